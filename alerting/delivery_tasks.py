"""The worker's tasks about alarms; only `manage.py worker` imports them, and its tests."""

from django.conf import settings

from alerting import deliveries, escalation
from monitoring.task_queue import run_each, scheduled_task, task


@scheduled_task("notification of alarm contacts")
def notify_contacts() -> None:
    """Each minute; a run that comes late or twice notifies nobody twice."""
    run_each(escalation.create_due_deliveries, _deliver_due)


@task
def send_deliveries() -> None:
    """What a supervisor has just asked for (a test) need not wait for the minute."""
    _deliver_due()


def _deliver_due() -> None:
    deliveries.deliver_due(seconds=settings.WORKER_TASK_SECONDS / 3)
