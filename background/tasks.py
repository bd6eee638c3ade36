"""The worker's own tasks, and the schedules that make tasks come again and again."""

from datetime import UTC, datetime, time, timedelta
from functools import partial

import structlog
from django.conf import settings
from django.core.management import call_command
from django.db.models import Min
from django.utils import timezone
from django_q.models import Schedule

from background import personal_data
from closures.photos import direct_upload, unfinished_files
from dispatch import retention
from engineers import location_history, lone_worker
from engineers.shifts import local_time
from monitoring.alarms import open_alarms
from monitoring.models import AlarmKind
from monitoring.task_queue import enqueue_by_name, run_each, scheduled_task, task

log = structlog.get_logger("background.tasks")
# the shortest retention is a day
MAX_SECONDS_AHEAD = 24 * 3600
NOTIFY_CONTACTS = "alerting.delivery_tasks.notify_contacts"
# local time of the site: nobody waits for what the daily tasks hold up
DAILY_AT = time(3)


@task
def beat() -> None:
    """The watchdog asks for it; that it runs is all there is to it."""


@scheduled_task("removal of ended sessions and old positions")
def clean_up() -> None:
    """Log-ins that ended, places of engineers by their rule, photos in the bucket that no phone has confirmed, and
    parts of photos on the disk."""
    now = timezone.now()
    unconfirmed = partial(direct_upload.purge_incoming, now)
    unfinished = partial(unfinished_files.purge_old, now, seconds=settings.WORKER_TASK_SECONDS / 3)
    run_each(_purge_positions, partial(call_command, "clearsessions"), unconfirmed, unfinished)


def _purge_positions() -> None:
    if not _is_clock_far_ahead():
        now = timezone.now()
        run_each(partial(location_history.purge_expired, now), partial(retention.coarsen_positions, now))


@scheduled_task("purge of personal data")
def purge_personal_data() -> None:
    """A part of what is over; the next run goes on, so that a backlog never takes longer than a task may.
    What it deletes never comes back: nothing while our clock is known to be far ahead."""
    if _is_clock_far_ahead():
        log.error("personal data not purged", why="our clock is ahead of the seller's clock")
        return
    personal_data.purge(timezone.now(), seconds=settings.WORKER_TASK_SECONDS / 3)
    held_back = personal_data.count_waiting_for_delivery(timezone.now())
    if held_back:
        log.warning("personal data kept for undelivered messages", jobs=held_back)


@scheduled_task("check-ins of lone workers")
def watch_check_ins() -> None:
    """Each minute. Nobody who works alone waits for the contacts' own minute: a new alarm is delivered now."""
    if lone_worker.watch_check_ins():
        enqueue_by_name(NOTIFY_CONTACTS)


def _is_clock_far_ahead() -> bool:
    """As relays and `manage.py check_link` found it."""
    differing = open_alarms().filter(kind=AlarmKind.CLOCK_DIFFERS)
    # how far the seller's clock is ahead of ours
    return differing.filter(parameters__difference_seconds__lt=-MAX_SECONDS_AHEAD).exists()


# by full name: some of their modules are loaded by the worker only
SCHEDULES = {
    "sweep": ("closures.tasks.sweep", Schedule.MINUTES, 5),
    "clean_up": ("background.tasks.clean_up", Schedule.DAILY, None),
    "purge_personal_data": ("background.tasks.purge_personal_data", Schedule.HOURLY, None),
    "update_forecast": ("background.forecast_tasks.update_forecast", Schedule.MINUTES, 1),
    "watch_check_ins": ("background.tasks.watch_check_ins", Schedule.MINUTES, 1),
    "watch_capacity": ("dispatch.capacity.tasks.watch_capacity", Schedule.MINUTES, 10),
    "watch_plans": ("dispatch.planning.tasks.watch_plans", Schedule.MINUTES, 1),
    "notify_alarm_contacts": (NOTIFY_CONTACTS, Schedule.MINUTES, 1),
    "watch_backups": ("operations.tasks.watch_backups", Schedule.MINUTES, 10),
    "send_customer_messages": ("customer_messages.tasks.send_customer_messages", Schedule.MINUTES, 1),
    "fetch_drives": ("background.forecast_tasks.fetch_drives", Schedule.MINUTES, 5),
    "learn_spreads": ("background.forecast_tasks.learn_spreads", Schedule.DAILY, None),
}


def update_schedules() -> None:
    """The rows of SCHEDULES in the database. One that waits for longer than its period was planned by a clock that was
    ahead, and would sleep until then. A daily one waits for DAILY_AT, whatever the hour at which it was created."""
    now = timezone.now()
    # a task of ours from another version is not registered here, and would look like the break-in that others are
    ours = "|".join({func.partition(".")[0] for func, _type, _minutes in SCHEDULES.values()})
    Schedule.objects.filter(func__regex=rf"^({ours})\.").exclude(name__in=SCHEDULES).delete()
    for name, (func, schedule_type, minutes) in SCHEDULES.items():
        options = {"func": func, "schedule_type": schedule_type, "minutes": minutes}
        is_daily = schedule_type == Schedule.DAILY
        first_run = _next_daily_run(now) if is_daily else now
        if not Schedule.objects.filter(name=name).update(**options):
            Schedule.objects.create(name=name, next_run=first_run, **options)
        # one that is due stays due: the worker was stopped at its time
        latest = now if is_daily else now + schedule_period(schedule_type, minutes)
        Schedule.objects.filter(name=name, next_run__gt=latest).update(next_run=first_run)
        _delete_twins(name)


def _next_daily_run(now: datetime) -> datetime:
    """In UTC. Each day by the zone's own rules, so that a change of the clocks moves nothing."""
    today = local_time(now).date()
    zone = timezone.get_default_timezone()
    runs = [
        datetime.combine(day, DAILY_AT, tzinfo=zone).astimezone(UTC)
        for day in (today, today + timedelta(days=1))
    ]
    return next(run for run in runs if run > now)


def _delete_twins(name: str) -> None:
    """Two workers that start at once on a new database each find no row. Whoever looks last sees both."""
    rows = Schedule.objects.filter(name=name)
    rows.exclude(pk=rows.aggregate(first=Min("pk"))["first"]).delete()


def schedule_period(schedule_type: str, minutes: int | None) -> timedelta:
    """The longest time from one run to the next: a day in which clocks are put back has 25 hours."""
    if schedule_type == Schedule.MINUTES:
        return timedelta(minutes=minutes or 1)
    return timedelta(hours=1 if schedule_type == Schedule.HOURLY else 25)
