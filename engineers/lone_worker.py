"""Lone-worker check-in: an engineer sets a timer on site and checks in by then, or the office is alerted.

Nobody has to run for the alarm: it is overdue by its time alone, and every page of the office looks. For people outside
of the office the worker raises it each minute (`watch_check_ins`).
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from engineers import staff
from engineers.models import CheckIn, CheckInEnd, Engineer, User
from monitoring import alarms
from monitoring.alarms import AlarmKind, alarm_text


@transaction.atomic
def start_check_in(
    *, engineer: Engineer, provider_job_id: str, minutes: int, started_at: datetime
) -> CheckIn:
    """Set the timer, instead of the one that may be running. One from another phone of the engineer's may come hours
    late: where something newer is known, it is over already."""
    Engineer.objects.select_for_update().get(pk=engineer.pk)
    known = CheckIn.objects.filter(engineer=engineer)
    newer = known.filter(Q(started_at__gt=started_at) | Q(ended_at__gt=started_at))
    end = {"ended_at": started_at, "end_reason": CheckInEnd.AGAIN}
    is_late = newer.exists()
    if not is_late:
        known.running().update(**end)
    return CheckIn.objects.create(
        engineer=engineer,
        provider_job_id=provider_job_id,
        started_at=started_at,
        due_at=started_at + timedelta(minutes=minutes),
        **(end if is_late else {}),
    )


def end_check_in(*, engineer: Engineer, at: datetime, how: CheckInEnd, job: str = "") -> None:
    """The engineer was well `at` that time: the timer that was running then (only of that job, if one is named) is
    over, and so is its alarm. One that was set later goes on."""
    running = CheckIn.objects.running().filter(engineer=engineer, started_at__lte=at)
    if job:
        running = running.filter(provider_job_id=job)
    running.update(ended_at=at, end_reason=how)


def running_check_in(engineer: Engineer) -> CheckIn | None:
    return CheckIn.objects.running().filter(engineer=engineer).first()


def watch_check_ins() -> None:
    """An alarm for each engineer who has not checked in and whom nobody takes care of; cleared otherwise."""
    overdue = CheckIn.objects.overdue(timezone.now()).filter(acknowledged_at=None)
    alone = {
        check_in.engineer.staff_number: check_in for check_in in overdue.select_related("engineer__user")
    }
    known = alarms.open_alarms().filter(kind=AlarmKind.CHECK_IN_OVERDUE).values_list("subject", flat=True)
    alarms.clear_alarms(AlarmKind.CHECK_IN_OVERDUE, set(known) - set(alone))
    for number, check_in in alone.items():
        text = alarm_text(
            "check_in_overdue",
            engineer=check_in.engineer.name,
            job=check_in.provider_job_id,
            due_at=check_in.due_at,
            phone=check_in.engineer.phone,
        )
        alarms.raise_alarm(AlarmKind.CHECK_IN_OVERDUE, number, text)


@transaction.atomic
def acknowledge_check_in(*, check_in: CheckIn, by: User) -> None:
    """Somebody in the office handles it; the first name recorded stays."""
    fresh = CheckIn.objects.running().filter(pk=check_in.pk, acknowledged_at=None)
    if fresh.update(acknowledged_at=timezone.now(), acknowledged_by=by):
        _audit(check_in, "check_in_seen", by)


@transaction.atomic
def contacted_engineer(*, check_in: CheckIn, by: User) -> None:
    """The office has confirmed that the engineer is safe: the alarm is cleared."""
    fresh = CheckIn.objects.running().filter(pk=check_in.pk)
    if fresh.update(ended_at=timezone.now(), end_reason=CheckInEnd.OFFICE):
        _audit(check_in, "check_in_reached", by)


def _audit(check_in: CheckIn, action: str, by: User) -> None:
    subject = f"{check_in.engineer.staff_number} {check_in.provider_job_id}"
    staff.record_audit(
        actor=by, action=action, subject=subject, before={"due_at": check_in.due_at.isoformat()}
    )
