"""The worker in figures: what waits in its queue and since when, failed tasks, and schedules that are late."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import redis
import structlog
from django.conf import settings
from django.db.models import Count, Min
from django.utils import timezone
from django_q.models import OrmQ, Schedule, Task
from django_q.signing import BadSignature, SignedPackage
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from background.tasks import schedule_period

log = structlog.get_logger("background.task_metrics")
# the broker's own (django_q.brokers.redis_broker)
REDIS_KEY = "django_q:{name}:q"


class TaskCollector(Collector):
    """Queue, failures and schedules. Missing where Redis keeps the queue and is away: `/readyz` says so."""

    def collect(self) -> Iterator[Metric]:
        now = timezone.now()
        try:
            yield from _queue(now)
        except redis.RedisError as problem:
            log.warning("queue not measured", error=type(problem).__name__)
        failed = GaugeMetricFamily(
            "task_failures", "Failed attempts of tasks that are kept (RETENTION_LOG_DAYS)"
        )
        failed.add_metric([], Task.objects.filter(success=False).count())
        yield failed
        late = GaugeMetricFamily(
            "task_schedule_late_seconds", "Since a schedule was due", labels=["schedule"]
        )
        for schedule in Schedule.objects.order_by("name"):
            late.add_metric([schedule.name], _late_seconds(schedule, now))
        yield late


def _late_seconds(schedule: Schedule, now: datetime) -> float:
    """Also of one that waits for longer than its period: it was planned by a clock that was ahead."""
    too_long = schedule.next_run - now - schedule_period(schedule.schedule_type, schedule.minutes)
    late: timedelta = max(now - schedule.next_run, too_long, timedelta())
    return late.total_seconds()


def _queue(now: datetime) -> Iterator[Metric]:
    number, since = _redis_queue() if settings.Q_BROKER == "redis" else _database_queue(now)
    tasks = GaugeMetricFamily("task_queue_tasks", "Tasks that wait for the worker")
    tasks.add_metric([], number)
    age = GaugeMetricFamily("task_queue_oldest_seconds", "How long the oldest of them has waited")
    age.add_metric([], max(0.0, (now - since).total_seconds()) if since else 0)
    yield from (tasks, age)


def _database_queue(now: datetime) -> tuple[int, datetime | None]:
    """One that a worker has taken is locked until later than now; before that, the lock is when it was queued."""
    found = OrmQ.objects.filter(lock__lte=now).aggregate(number=Count("pk"), since=Min("lock"))
    return found["number"], found["since"]


def _redis_queue() -> tuple[int, datetime | None]:
    key = REDIS_KEY.format(name=settings.Q_CLUSTER["name"])
    with redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=5) as server:
        # the worker takes from the left
        number, oldest = server.llen(key), server.lindex(key, 0)
    return int(number), _queued_at(oldest)


def _queued_at(payload: Any) -> datetime | None:
    """When the task of this payload was queued; None for none, and for one that is not ours."""
    if not payload:
        return None
    try:
        started = SignedPackage.loads(payload).get("started")
    except (BadSignature, TypeError, ValueError):
        return None
    return started if isinstance(started, datetime) else None
