"""The application of board and phone. A granian worker of `manage.py web` that loads it also writes its heartbeat, and
ends with its server.
"""

import gc
import os
import sys
from multiprocessing import parent_process
from multiprocessing.util import Finalize
from signal import SIGKILL

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# as in manage.py
gc.disable()
# a page of a large board lets a tap or another page go on after a millisecond; the default is five
sys.setswitchinterval(0.001)
application = get_wsgi_application()

# the heartbeat's models need Django set up
from monitoring.heartbeats import WEB, HeartbeatWriter  # noqa: E402
from monitoring.middleware import REQUESTS  # noqa: E402
from monitoring.processes import end_with_parent  # noqa: E402


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
