"""What a granian worker of `manage.py web` loads: the application, in a process that ends with its server and beats."""

from multiprocessing import parent_process
from multiprocessing.util import Finalize
from signal import SIGKILL

from django.conf import settings

# sets Django up, and must come before the heartbeat's models
from config.wsgi import application
from monitoring.heartbeats import WEB, HeartbeatWriter
from monitoring.middleware import REQUESTS
from monitoring.processes import end_with_parent

__all__ = ["application"]


def _end_with_server(server: int) -> None:
    """A worker shares the port: one that outlived its main process would go on answering with old code."""
    bind = end_with_parent(server, by=SIGKILL)
    if bind:
        bind()


def _begin(server: int) -> None:
    _end_with_server(server)
    writer = HeartbeatWriter(WEB, is_healthy=lambda: not REQUESTS.is_stuck(threads=settings.WEB_THREADS))
    writer.start()
    # multiprocessing runs this, and no atexit, when a worker ends
    Finalize(None, writer.end, exitpriority=1)


_server = parent_process()
if _server and _server.pid:
    _begin(_server.pid)
