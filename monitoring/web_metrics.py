"""Requests of the web workers by page: how many, how they ended, how long they took.

Each worker of a web server counts in files of its own below PROMETHEUS_MULTIPROC_DIR, which `manage.py web` makes, and
whichever of them answers `/metrics` adds all of them up. A worker that is started in the place of another goes on with
that one's files, so that no counter goes back and no file is left over.
"""

import fcntl
import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from django.http import HttpRequest
from prometheus_client import CollectorRegistry, Counter, Histogram, values
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from monitoring.processes import is_running

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
FOLDER_PREFIX = "fibre-dispatch-web-metrics-"
BUCKETS_SECONDS = (0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


def make_folder() -> str:
    """For a web server that begins: an empty folder with our process id in its name. Those of servers that are gone are
    removed."""
    for old in Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*"):
        pid = old.name.removeprefix(FOLDER_PREFIX).partition("-")[0]
        # another server that begins may have removed it
        with suppress(FileNotFoundError):
            if old.stat().st_uid == os.getuid() and not is_running(pid):
                shutil.rmtree(old, ignore_errors=True)
    return tempfile.mkdtemp(prefix=f"{FOLDER_PREFIX}{os.getpid()}-")


def _worker_number() -> int:
    """Asked at each count: a process that was forked takes a number of its own."""
    return _number_of_process(os.getpid())


@cache
def _number_of_process(_pid: int) -> int:
    """The lowest number that no other process of this server has; the lock ends with the process, however it ends."""
    folder = Path(os.environ[FOLDER_VARIABLE])
    for number in itertools.count():
        # kept open on purpose: closing it would end the lock
        lock = os.open(folder / f"worker-{number}.lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
        else:
            return number
    raise AssertionError("itertools.count has no end")


if FOLDER_VARIABLE in os.environ:
    # before the first metric is made
    values.ValueClass = values.MultiProcessValue(_worker_number)  # type: ignore[no-untyped-call]

REGISTRY = CollectorRegistry()
REQUESTS_TOTAL = Counter("web_requests", "Requests by page", ["view", "method", "status"], registry=REGISTRY)
REQUEST_SECONDS = Histogram(
    "web_request_seconds", "How long they took", ["view"], registry=REGISTRY, buckets=BUCKETS_SECONDS
)
# of a web client; anything else is one label, since callers invent them
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"})


def view_name(request: HttpRequest) -> str:
    """Of the request's address, for metrics and logs: the path may carry a search word or a secret link."""
    found = request.resolver_match
    # one without a name (the administration's catch-all) would be called by its module
    return found.view_name if found and found.url_name else "unknown"


def record_request(*, view: str, method: str, status: int, seconds: float) -> None:
    """`view`: the name of its address, never the path, which has as many values as there are jobs."""
    REQUESTS_TOTAL.labels(view, method if method in METHODS else "other", str(status)).inc()
    REQUEST_SECONDS.labels(view).observe(seconds)


class WebCollector(Collector):
    """Of all workers of this server; elsewhere (a test) of this process."""

    def collect(self) -> Iterator[Metric]:
        folder = os.environ.get(FOLDER_VARIABLE)
        if folder:
            yield from MultiProcessCollector(None, folder).collect()  # type: ignore[no-untyped-call]
        else:
            yield from REGISTRY.collect()
