"""The application of board and phone. A granian worker of `manage.py web` that loads it also writes its heartbeat, and
ends with its server.
"""

import gc
import os
import sys
from multiprocessing import parent_process
from multiprocessing.util import Finalize
from signal import SIG_DFL, SIGINT, SIGKILL, SIGTERM, signal

_server = parent_process()
if _server:
    # forked with its server's handlers, a worker that is stopped while it loads the following would not notice; granian
    # sets the worker's own afterwards
    for _number in (SIGINT, SIGTERM):
        signal(_number, SIG_DFL)

# Django is a good part of what a worker loads
from django.conf import settings  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402

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


if _server and _server.pid:
    _begin(_server.pid)
