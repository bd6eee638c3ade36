"""Lone-worker check-ins that are overdue, as entries of the Attention list: engineers who set a timer and have not
checked in since."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F
from django.utils.translation import gettext as _

from board import formatting
from board.alarms.alarm_presenter import AlarmLine, AttentionText
from board.alarms.visible_alarms import rows_to_read, visible_check_ins, visible_jobs
from board.links import Link, engineer_links
from dispatch.models import Job
from engineers.area_scope import is_in_scope, title_for_reader
from engineers.location_history import map_link
from engineers.models import CheckIn, LastPosition
from engineers.phone_urls import phone_url
from monitoring.alarm_kinds import ALARM_KINDS
from monitoring.models import AlarmKind


@dataclass(frozen=True)
class CheckInLine:
    """`due`: `14:20` or with its day, `due_phrase`: the same in a sentence. `seen` names who handles it; `position` and
    `map_url` are empty while no phone has sent a location, `job_id` for a job of another area than the reader's: the
    engineer may be in danger, the customer's address helps only who may see it."""

    pk: int
    name: str
    staff_number: str
    phone: str
    phone_url: str
    job_id: str
    premises: str
    due: str
    due_phrase: str
    minutes: int
    position: str
    map_url: str
    seen: str


def list_overdue_check_ins(now: datetime) -> list[CheckInLine]:
    """One query while nobody is overdue."""
    found = visible_check_ins(
        CheckIn.objects.overdue(now).select_related(
            "engineer__user", "engineer__last_position", "acknowledged_by"
        )
    )
    jobs = Job.objects.in_bulk([check_in.provider_job_id for check_in in found], field_name="provider_job_id")
    return [_check_in_line(check_in, jobs.get(check_in.provider_job_id), now) for check_in in found]


def _check_in_line(check_in: CheckIn, job: Job | None, now: datetime) -> CheckInLine:
    last: LastPosition | None = getattr(check_in.engineer, "last_position", None)
    postcode = job.postcode if job else ""
    is_own = is_in_scope(postcode)
    return CheckInLine(
        pk=check_in.pk,
        name=check_in.engineer.name,
        staff_number=check_in.engineer.staff_number,
        phone=check_in.engineer.phone,
        phone_url=phone_url(check_in.engineer.phone),
        job_id=check_in.provider_job_id if is_own else "",
        premises=job.address if job and is_own else title_for_reader(postcode),
        due=formatting.format_recent_moment(check_in.due_at),
        due_phrase=formatting.format_moment_phrase(check_in.due_at),
        minutes=int((now - check_in.due_at).total_seconds()) // 60,
        position=_last_position(last) if last else "",
        map_url=map_link(last.latitude, last.longitude) if last else "",
        seen=handled_by(check_in),
    )


def _last_position(last: LastPosition) -> str:
    degrees = formatting.format_degrees(last.latitude, last.longitude)
    when = formatting.format_moment_phrase(last.taken_at)
    return _("%(degrees)s %(when)s") % {"degrees": degrees, "when": when}


def handled_by(check_in: CheckIn) -> str:
    """Who and since when; empty while nobody does."""
    if check_in.acknowledged_at is None or check_in.acknowledged_by is None:
        return ""
    parameters = {
        "who": check_in.acknowledged_by.display_name,
        "at": formatting.format_recent_moment(check_in.acknowledged_at),
    }
    return _("%(who)s has been handling this since %(at)s.") % parameters


def check_in_entry(line: CheckInLine) -> AlarmLine:
    """The same beside the alarms."""
    text = _("%(name)s works alone at %(premises)s and was due %(due)s, %(minutes)d min ago.")
    parameters = {
        "name": line.name,
        "premises": line.premises or line.job_id,
        "due": line.due_phrase,
        "minutes": line.minutes,
    }
    call = [Link(_("Call %(phone)s") % {"phone": line.phone}, line.phone_url)] if line.phone_url else []
    return AlarmLine(
        pk=line.pk,
        title=_title(),
        subject=line.staff_number,
        job_id=line.job_id,
        links=[*call, *engineer_links(line.name)],
        text=text % parameters,
        names=engineer_links(line.name),
        what_to_do=_remedy(),
        since=line.due,
        since_time=line.due,
        until="",
        handled=line.seen,
        is_unhandled=not line.seen,
        can_dismiss=False,
        is_check_in=True,
    )


def list_cleared_check_ins(most: int) -> list[tuple[datetime, AlarmLine]]:
    """Those that ended after they were due, the newest end first, each with its end; one query."""
    late = CheckIn.objects.filter(ended_at__gt=F("due_at")).order_by("-ended_at", "-pk")
    late = late.select_related("engineer__user", "acknowledged_by")
    found = visible_check_ins(late[: rows_to_read(most)])[:most]
    jobs = visible_jobs(check_in.provider_job_id for check_in in found)
    return [(check_in.ended_at, _cleared_entry(check_in, jobs)) for check_in in found if check_in.ended_at]


def _cleared_entry(check_in: CheckIn, jobs: Collection[str]) -> AlarmLine:
    """`jobs`: the numbers that the reader may see."""
    due = formatting.format_exact_moment(check_in.due_at)
    return AlarmLine(
        pk=check_in.pk,
        title=f"{_title()}: {check_in.get_end_reason_display()}",
        subject=check_in.engineer.staff_number,
        job_id=check_in.provider_job_id if check_in.provider_job_id in jobs else "",
        links=list(engineer_links(check_in.engineer.name)),
        text="",
        names=(),
        what_to_do="",
        since=due,
        since_time=formatting.format_recent_moment(check_in.due_at),
        until=formatting.format_exact_moment(check_in.ended_at) if check_in.ended_at else "",
        handled=handled_by(check_in),
        is_unhandled=False,
        can_dismiss=False,
        is_check_in=True,
    )


def overdue_subjects(now: datetime) -> dict[str, AttentionText]:
    """By the number of the job and of the engineer: what nobody takes care of yet; one query."""
    found = visible_check_ins(
        CheckIn.objects.overdue(now).filter(acknowledged_at=None).select_related("engineer")
    )
    # row head and card name the engineer
    text = AttentionText(ALARM_KINDS[AlarmKind.CHECK_IN_OVERDUE].card_title, _("Overdue"))
    return {
        subject: text
        for check_in in found
        for subject in (check_in.provider_job_id, check_in.engineer.staff_number)
    }


def _title() -> str:
    return str(ALARM_KINDS[AlarmKind.CHECK_IN_OVERDUE].title)


def _remedy() -> str:
    return str(ALARM_KINDS[AlarmKind.CHECK_IN_OVERDUE].remedy)
