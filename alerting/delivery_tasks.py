"""The worker's tasks about alarms; only `manage.py worker` imports them, and its tests (see deliveries.py)."""

from django.conf import settings

from alerting import deliveries, escalation
from engineers import lone_worker
from monitoring.task_queue import task


@task
def notify_contacts() -> None:
    """Each minute; a run that comes late or twice notifies nobody twice."""
    lone_worker.watch_check_ins()
    escalation.create_due_deliveries()
    deliveries.deliver_due(seconds=settings.WORKER_TASK_SECONDS / 3)


@task
def send_deliveries() -> None:
    """What a supervisor has just asked for (a test) need not wait for the minute."""
    deliveries.deliver_due(seconds=settings.WORKER_TASK_SECONDS / 3)
