"""Background work: each task is a thin wrapper round a function of the business, takes ids, and may run twice.

A task that cannot be queued is no failure of the request that wanted it: a schedule finds what was left.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import structlog
from django.db import DatabaseError, InterfaceError
from django.utils import timezone
from django_q.tasks import async_task
from redis.exceptions import RedisError
from structlog.contextvars import bound_contextvars

from monitoring import request_ids
from monitoring.backoff import Backoff
from monitoring.models import Heartbeat

P = ParamSpec("P")
log = structlog.get_logger("monitoring.task_queue")
WORKER = "worker"
QUEUE_ERRORS = (DatabaseError, InterfaceError, RedisError, OSError)
# a queue in Redis that does not answer holds one request at a time
_redis_rest = Backoff()
# by full name: the worker runs these and nothing else (background/broker.py)
REGISTERED: set[str] = set()


def task(work: Callable[P, None]) -> Callable[P, None]:
    """Register it for the worker. Note that the worker gets something done; log a failure without the traceback,
    which may carry people."""
    REGISTERED.add(f"{work.__module__}.{work.__name__}")

    @wraps(work)
    def recorded(*args: P.args, **kwargs: P.kwargs) -> None:
        record_progress()
        with bound_contextvars(**{request_ids.NAME: kwargs.pop(request_ids.NAME, "")}):
            try:
                work(*args, **kwargs)
            except Exception as problem:
                log.error("task failed", task=work.__name__, error=type(problem).__name__)
                raise

    return recorded


def enqueue(work: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> bool:
    """Queue a registered task; whether that was possible."""
    return enqueue_by_name(f"{work.__module__}.{work.__name__}", *args, **kwargs)


def enqueue_by_name(name: str, *args: object, **kwargs: object) -> bool:
    """The same for a task whose module only the worker loads. The id of the request goes with it."""
    if request_id := request_ids.current_request_id():
        kwargs[request_ids.NAME] = request_id
    try:
        with _redis_rest.around(RedisError):
            async_task(name, *args, **kwargs)
    except QUEUE_ERRORS as problem:
        log.warning("not queued", task=name.rpartition(".")[2], error=type(problem).__name__)
        return False
    return True


def record_progress() -> None:
    """For the watchdog, and for whoever asks whether the background works."""
    beat_at = timezone.now()
    if not Heartbeat.objects.filter(process=WORKER).update(beat_at=beat_at):
        Heartbeat.objects.get_or_create(process=WORKER, defaults={"beat_at": beat_at})
