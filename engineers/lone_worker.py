"""Lone-worker check-in: an engineer sets a timer on site and checks in by then, or the office is alerted.

Nobody has to run for the alarm: it is overdue by its time alone, and every page of the office looks. For people outside
of the office the worker raises it each minute (`watch_check_ins`).
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from engineers.audit import record_audit
from engineers.clock_skew import TOLERATED_SKEW
from engineers.models import CheckIn, CheckInEnd, Engineer, User
from monitoring import alarms
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind


@transaction.atomic
def start_check_in(
    *, engineer: Engineer, provider_job_id: str, minutes: int, started_at: datetime
) -> CheckIn:
    """Set the timer, instead of the one that may be running. One from another phone of the engineer's may come hours
    late: where something newer is known, it is over already."""
    Engineer.objects.select_for_update().get(pk=engineer.pk)
    known = CheckIn.objects.filter(engineer=engineer)
    end = {"ended_at": started_at, "end_reason": CheckInEnd.AGAIN}
    is_late = known.filter(_is_newer(started_at)).exists()
    if not is_late:
        known.running().update(**end)
    return CheckIn.objects.create(
        engineer=engineer,
        provider_job_id=provider_job_id,
        started_at=started_at,
        due_at=started_at + timedelta(minutes=minutes),
        **(end if is_late else {}),
    )


def _is_newer(started_at: datetime) -> Q:
    """For check-ins of an engineer: set or ended after that tap. The office's calls are by our clock, from which a
    phone's may differ by TOLERATED_SKEW: who is called and sets the next timer at once would have none."""
    is_called = Q(end_reason=CheckInEnd.OFFICE)
    is_ended = Q(ended_at__gt=started_at) & ~is_called
    is_newer = Q(started_at__gt=started_at) | is_ended
    is_newer |= Q(is_called, ended_at__gt=started_at + TOLERATED_SKEW)
    return is_newer & ~_is_in_future()


def _is_in_future() -> Q:
    """Set while our clock was ahead: it is older than whatever comes now."""
    return Q(started_at__gt=timezone.now() + TOLERATED_SKEW)


def end_check_in(*, engineer: Engineer, at: datetime, how: CheckInEnd, job: str = "") -> None:
    """The engineer was well `at` that time: the timer that was running then (only of that job, if one is named) is
    over, and so is its alarm. One that was set later goes on."""
    is_older = Q(started_at__lte=at) | _is_in_future()
    running = CheckIn.objects.running().filter(is_older, engineer=engineer)
    if job:
        running = running.filter(provider_job_id=job)
    running.update(ended_at=at, end_reason=how)


def running_check_in(engineer: Engineer) -> CheckIn | None:
    return CheckIn.objects.running().filter(engineer=engineer).first()


def watch_check_ins() -> bool:
    """An alarm for each engineer who has not checked in and whom nobody takes care of; cleared otherwise. Whether one
    is new."""
    overdue = CheckIn.objects.overdue(timezone.now()).filter(acknowledged_at=None)
    alone = {
        check_in.engineer.staff_number: check_in for check_in in overdue.select_related("engineer__user")
    }
    raised = alarms.open_alarms().filter(kind=AlarmKind.CHECK_IN_OVERDUE)
    known = set(raised.values_list("subject", flat=True))
    alarms.clear_alarms(AlarmKind.CHECK_IN_OVERDUE, known - alone.keys())
    for number, check_in in alone.items():
        text = coded_text(
            "check_in_overdue",
            engineer=check_in.engineer.name,
            job=check_in.provider_job_id,
            due_at=check_in.due_at,
            phone=check_in.engineer.phone,
        )
        alarms.raise_alarm(AlarmKind.CHECK_IN_OVERDUE, number, text)
    return bool(alone.keys() - known)


@transaction.atomic
def acknowledge_check_in(*, check_in: CheckIn, by: User) -> bool:
    """Somebody in the office handles it; False when somebody already does, or the timer is over."""
    fresh = CheckIn.objects.running().filter(pk=check_in.pk, acknowledged_at=None)
    is_changed = bool(fresh.update(acknowledged_at=timezone.now(), acknowledged_by=by))
    if is_changed:
        _audit(check_in, "check_in_seen", by)
    return is_changed


@transaction.atomic
def release_check_in(*, check_in: CheckIn, by: User) -> bool:
    """Whoever handled it does so no longer: the alarm is raised again; False when nobody did, or the timer is over."""
    handled = CheckIn.objects.running().filter(pk=check_in.pk).exclude(acknowledged_at=None)
    is_changed = bool(handled.update(acknowledged_at=None, acknowledged_by=None))
    if is_changed:
        _audit(check_in, "check_in_released", by)
    return is_changed


@transaction.atomic
def contacted_engineer(*, check_in: CheckIn, by: User) -> bool:
    """The office has confirmed that the engineer is safe: the alarm is cleared; False when the timer is over."""
    fresh = CheckIn.objects.running().filter(pk=check_in.pk)
    is_changed = bool(fresh.update(ended_at=timezone.now(), end_reason=CheckInEnd.OFFICE))
    if is_changed:
        _audit(check_in, "check_in_reached", by)
    return is_changed


def _audit(check_in: CheckIn, action: str, by: User) -> None:
    subject = f"{check_in.engineer.staff_number} {check_in.provider_job_id}"
    record_audit(actor=by, action=action, subject=subject, before={"due_at": check_in.due_at.isoformat()})
