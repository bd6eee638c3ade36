"""What the office or the seller changed, told to the phone: with each job of its day, and for jobs it lost."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from closures.models import Answer, Photo
from dispatch import meanwhile
from dispatch.meanwhile import Meeting
from dispatch.models import Job, JobEvent, Visit
from dispatch.states import EventKind, JobState
from engineers import check_ins
from engineers.models import Engineer
from engineers.phone import words
from engineers.shifts import day_window

OVER = frozenset({JobState.CLOSED, JobState.CANCELLED})
CHANGES = (EventKind.ENGINEER_ASSIGNED, EventKind.MOVED)


def notices_of(visit: Visit) -> list[dict[str, str]]:
    """`[{"rule", "at", "words"}]`, oldest first; `rule` is a name of docs/phone-rules.md, or `handed_over`."""
    return list(_notices(visit.job, visit.engineer))


def _notices(job: Job, engineer: Engineer) -> Iterator[dict[str, str]]:
    assigned, moved = _newest(job, CHANGES[0]), _newest(job, CHANGES[1])
    if assigned and assigned.facts.get("state_then") in {JobState.EN_ROUTE, JobState.ON_SITE}:
        yield _notice("handed_over", assigned.recorded_at, handed_over_words(job, assigned))
    if assigned and moved and moved.seq > assigned.seq and job.is_open:
        yield _of(meanwhile.new_time(moved))
    if job.state in OVER:
        meeting = meanwhile.met(job=job, engineer=engineer)
        if meeting.rule != meanwhile.RuleName.CLOSED_BEFORE:
            yield _of(meeting)


def _newest(job: Job, kind: EventKind) -> JobEvent | None:
    return job.events.filter(kind=kind).order_by("seq").last()


def _of(meeting: Meeting) -> dict[str, str]:
    return {"rule": str(meeting.rule), "at": meeting.at, "words": meeting.phone_words}


def _notice(rule: str, at: datetime, said: str) -> dict[str, str]:
    return {"rule": rule, "at": at.isoformat(), "words": said}


def handed_over_words(job: Job, assigned: JobEvent) -> str:
    """Who had it before and what is there already."""
    photos = Photo.objects.filter(job=job)
    told = {
        "who": assigned.facts.get("instead_of", ""),
        "answers": Answer.objects.standing().filter(job=job).count(),
        "scans": job.scans.count(),
        "photos": photos.stored().count(),
    }
    said = _(
        "%(who)s had this job before you. With it came: answers %(answers)s, ONT scans %(scans)s, photos %(photos)s."
    )
    waiting = photos.missing().count()
    if not waiting:
        return said % told
    still = _("Photos still on the other phone: %(number)s.") % {"number": waiting}
    return f"{said % told} {still}"


def of_engineer(engineer: Engineer) -> dict[str, Any]:
    """What the day says beside the jobs of it: jobs that went, and the timer that runs."""
    return {
        "gone": gone(engineer),
        "check_in": _check_in(engineer),
        "shares_position": engineer.shares_position_since is not None,
    }


def _check_in(engineer: Engineer) -> dict[str, str] | None:
    running = check_ins.running_of(engineer)
    if running is None:
        return None
    times = {"started_at": running.started_at.isoformat(), "due_at": running.due_at.isoformat()}
    return {"job": running.provider_job_id, **times}


def gone(engineer: Engineer) -> list[dict[str, Any]]:
    """Jobs that were taken off this engineer since yesterday, with the rule's words."""
    yesterday = day_window(timezone.localdate()).start - timedelta(days=1)
    lost = engineer.visits.filter(taken_off_at__gte=yesterday).select_related("job", "engineer")
    mine = set(engineer.visits.standing().values_list("job_id", flat=True))
    jobs = {visit.job_id: visit.job for visit in lost.order_by("taken_off_at") if visit.job_id not in mine}
    return [_lost(job, engineer) for job in jobs.values()]


def _lost(job: Job, engineer: Engineer) -> dict[str, Any]:
    meeting = meanwhile.met(job=job, engineer=engineer)
    return {"id": job.provider_job_id, "address": words.short_address(job), **_of(meeting)}


def given_by(job: Job) -> dict[str, str]:
    """Question → who answered it."""
    given = Answer.objects.standing().filter(job=job).exclude(by=None).select_related("by__user")
    return {answer.question_code: answer.by.name for answer in given if answer.by}
