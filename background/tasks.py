"""The worker's own tasks, and the schedules that make tasks come again and again."""

import structlog
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone
from django_q.models import Schedule

from background import personal_data
from dispatch import retention
from engineers import location_history
from monitoring.task_queue import task

log = structlog.get_logger("background.tasks")


@task
def beat() -> None:
    """The watchdog asks for it; that it runs is all there is to it."""


@task
def clean_up() -> None:
    """Log-ins that ended, and places of engineers by their rule."""
    location_history.purge_expired(timezone.now())
    retention.coarsen_positions(timezone.now())
    call_command("clearsessions")


@task
def purge_personal_data() -> None:
    """A part of what is over; the next run goes on, so that a backlog never takes longer than a task may."""
    personal_data.purge(timezone.now(), seconds=settings.WORKER_TASK_SECONDS / 3)
    held_back = personal_data.count_waiting_for_delivery(timezone.now())
    if held_back:
        log.warning("personal data kept for undelivered messages", jobs=held_back)


# by full name: some of their modules are loaded by the worker only
SCHEDULES = {
    "sweep": ("closures.tasks.sweep", Schedule.MINUTES, 5),
    "clean_up": ("background.tasks.clean_up", Schedule.DAILY, None),
    "purge_personal_data": ("background.tasks.purge_personal_data", Schedule.HOURLY, None),
    "update_forecast": ("background.forecast_tasks.update_forecast", Schedule.MINUTES, 1),
    "watch_capacity": ("dispatch.capacity.tasks.watch_capacity", Schedule.MINUTES, 10),
    "notify_alarm_contacts": ("alerting.delivery_tasks.notify_contacts", Schedule.MINUTES, 1),
    "watch_backups": ("operations.tasks.watch_backups", Schedule.MINUTES, 10),
    "send_customer_messages": ("customer_messages.tasks.send_customer_messages", Schedule.MINUTES, 1),
    "fetch_drives": ("background.forecast_tasks.fetch_drives", Schedule.MINUTES, 5),
    "learn_spreads": ("background.forecast_tasks.learn_spreads", Schedule.DAILY, None),
}


def update_schedules() -> None:
    """The rows of SCHEDULES in the database."""
    for name, (func, schedule_type, minutes) in SCHEDULES.items():
        options = {"func": func, "schedule_type": schedule_type, "minutes": minutes}
        if not Schedule.objects.filter(name=name).update(**options):
            Schedule.objects.create(name=name, **options)
