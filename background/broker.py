"""The task queue as the worker reads it: a task that is not registered by name is removed, logged and raises an alarm,
unless another version of ours may have queued it.

django-q2 imports and calls whatever name a task carries, so that write access to the queue would be a shell.
"""

import re
from typing import Any

import redis
import structlog
from django.conf import settings
from django_q.brokers.orm import ORM
from django_q.brokers.redis_broker import Redis
from django_q.signing import BadSignature, SignedPackage

from monitoring.alarms import clear_alarms, open_alarms, raise_alarm
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind
from monitoring.task_queue import QUEUE_ERRORS, REGISTERED

log = structlog.get_logger("background.broker")
# what django-q2 would call in addition to the task itself
CALLBACK_FIELDS = ("hook", "chain")
OUR_TASK = re.compile(r"(?P<app>\w+)\.(\w+\.)*tasks\.\w+")


class RegisteredTasksOnly:
    """Before a broker of django-q2: `dequeue` gives only tasks that may run."""

    def dequeue(self) -> list[tuple[Any, Any]]:
        pulled = super().dequeue() or []  # type: ignore[misc]
        return [(ack_id, payload) for ack_id, payload in pulled if self._may_run(ack_id, payload)]

    def _may_run(self, ack_id: Any, payload: Any) -> bool:
        try:
            task = SignedPackage.loads(payload)
            objection = rejection_reason(task)
        except (TypeError, BadSignature):
            # whoever unpacks it next refuses it
            return True
        if objection:
            self.fail(ack_id)  # type: ignore[attr-defined]
            if is_of_another_version(task):
                log.warning("task of another version removed", task=objection)
            else:
                _report_rejected_task(objection)
        return not objection


class DatabaseBroker(RegisteredTasksOnly, ORM):  # type: ignore[misc]
    pass


class RedisBroker(RegisteredTasksOnly, Redis):  # type: ignore[misc]
    pass


def rejection_reason(task: dict[str, Any]) -> str:
    """The name of what must not run, or nothing."""
    func = task.get("func")
    name = func if isinstance(func, str) else f"{func.__module__}.{getattr(func, '__qualname__', '?')}"
    if not isinstance(func, str) or func not in REGISTERED:
        return name
    fields = [field for field in CALLBACK_FIELDS if task.get(field)]
    return f"{name} with {fields[0]}" if fields else ""


def is_of_another_version(task: dict[str, Any]) -> bool:
    """Named as our tasks are, `app.….tasks.function`, and alone: processes of both versions run during an upgrade and a
    roll-back. It is not run, and no sign of a break-in. django-q2's own tasks are not ours."""
    func = task.get("func")
    named = OUR_TASK.fullmatch(func) if isinstance(func, str) else None
    if named is None or any(task.get(field) for field in CALLBACK_FIELDS):
        return False
    return (settings.BASE_DIR / named["app"] / "apps.py").is_file()


def _report_rejected_task(name: str) -> None:
    name = name[:100]
    log.error("task refused", task=name)
    try:
        raise_alarm(AlarmKind.TASK_REFUSED, name, coded_text("task_rejected", name=name))
    except QUEUE_ERRORS as problem:
        log.error("database away", error=type(problem).__name__)


def clear_rejected_task_alarms() -> None:
    """At the start of a worker, which the operator starts again after looking; what is still wrong raises it again."""
    kind = AlarmKind.TASK_REFUSED
    clear_alarms(kind, list(open_alarms().filter(kind=kind).values_list("subject", flat=True)))


def check_redis() -> None:
    """Raises what Redis raises; nothing to ask where tasks wait in the database."""
    if settings.Q_BROKER == "redis":
        with redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=5) as server:
            server.ping()
