"""Background work: each task is a thin wrapper round a function of the business, takes ids, and may run twice.

A task that cannot be queued is no failure of the request that wanted it: a schedule finds what was left. A scheduled
task that fails again and again raises an alarm, until one run succeeds.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.db.models import F
from django.utils import timezone
from django_q.tasks import async_task
from redis.exceptions import RedisError
from structlog.contextvars import bound_contextvars

from monitoring import request_ids
from monitoring.alarms import clear_alarm, open_alarms, raise_alarm
from monitoring.backoff import Backoff
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind, Heartbeat, TaskFailures

log = structlog.get_logger("monitoring.task_queue")
FAILURES_UNTIL_ALARM = 3


@contextmanager
def watch_task(duty: str) -> Iterator[None]:
    """Around one run. Each counts as failed from its beginning until it succeeds: one whose process is killed cannot
    record how it ended."""
    row, _is_new = TaskFailures.objects.get_or_create(duty=duty)
    TaskFailures.objects.filter(pk=row.pk).update(in_a_row=F("in_a_row") + 1)
    _raise_when_failing(duty, row.in_a_row)
    try:
        yield
    # also a time-out, which is a SystemExit
    except BaseException:
        try:
            _raise_when_failing(duty, row.in_a_row + 1)
        except (DatabaseError, InterfaceError) as problem:
            log.error("database away", error=type(problem).__name__)
        raise
    TaskFailures.objects.filter(pk=row.pk).update(in_a_row=0)
    # an earlier run that took longer may have raised it, whatever the count was when this one began
    if open_alarms().filter(kind=AlarmKind.DUTY_FAILING, subject=duty).exists():
        clear_alarm(AlarmKind.DUTY_FAILING, duty)


def _raise_when_failing(duty: str, failures: int) -> None:
    # runs that wait behind others begin together, in as many processes as there are, and each counts until it succeeds
    under_way = max(0, settings.WORKER_PROCESSES - (FAILURES_UNTIL_ALARM - 1))
    if failures >= FAILURES_UNTIL_ALARM + under_way:
        text = coded_text("scheduled_task_failing", duty=duty, times=FAILURES_UNTIL_ALARM)
        raise_alarm(AlarmKind.DUTY_FAILING, duty, text)


P = ParamSpec("P")
WORKER = "worker"
QUEUE_ERRORS = (DatabaseError, InterfaceError, RedisError, OSError)
# a queue in Redis that does not answer holds one request at a time
_redis_rest = Backoff()
# by full name: the worker runs these and nothing else (background/broker.py)
REGISTERED: set[str] = set()
# those that may take longer than WORKER_TASK_SECONDS: how many seconds, by full name
TIME_LIMITS: dict[str, Callable[[], float]] = {}
# what a schedule may run, by full name, and what its alarm calls it
SCHEDULABLE: dict[str, str] = {}


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


def long_task(seconds: Callable[[], float]) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """A task with a time limit of its own. It calls record_progress every few seconds, so that the watchdog leaves it;
    in a queue in the database it is handed out once more after twice WORKER_TASK_SECONDS."""

    def register(work: Callable[P, None]) -> Callable[P, None]:
        TIME_LIMITS[f"{work.__module__}.{work.__name__}"] = seconds
        return task(work)

    return register


def scheduled_task(duty: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """A task that a schedule runs. Nobody waits for it, so that one which keeps failing is an alarm; `duty` is what it
    does, in words."""

    def register(work: Callable[[], None]) -> Callable[[], None]:
        SCHEDULABLE[f"{work.__module__}.{work.__name__}"] = duty
        return task(watch_task(duty)(work))

    return register


def run_each(*steps: Callable[[], object]) -> None:
    """Every step, also after one that failed. Then raises what the first of those raised."""
    problems = []
    for step in steps:
        try:
            step()
        except Exception as problem:
            log.error("step failed", error=type(problem).__name__)
            problems.append(problem)
    if problems:
        raise problems[0]


def enqueue(work: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> bool:
    """Queue a registered task; whether that was possible."""
    return enqueue_by_name(f"{work.__module__}.{work.__name__}", *args, **kwargs)


def enqueue_by_name(name: str, *args: object, **kwargs: object) -> bool:
    """The same for a task whose module only the worker loads. The id of the request goes with it."""
    if request_id := request_ids.current_request_id():
        kwargs[request_ids.NAME] = request_id
    if seconds := TIME_LIMITS.get(name):
        kwargs["timeout"] = seconds()
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
