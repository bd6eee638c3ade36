"""What the office or the seller changed, for the phone: with each job of its day, and for jobs it no longer has."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from closures import closing
from closures.answers import active_answers, counting_answers
from closures.question_matrix.matrix_editions import matrix_for_job
from closures.question_matrix.translations import readers_language, translated_question
from dispatch import sync_conflicts
from dispatch.driving import travel
from dispatch.models import Job, JobEvent, Visit
from dispatch.problems import build_or_replace
from dispatch.states import ENDED_STATES, UNDER_WAY, EventKind, JobState
from dispatch.sync_conflicts import SyncConflict
from engineers import lone_worker
from engineers.models import Engineer
from engineers.shifts import day_span, local_time
from monitoring.coded_texts import reason_text
from phone import formatting
from phone.arrival_distance import far_away_text
from phone.assigned_jobs import end_of_list

FAR_FROM_PREMISES = "far_from_premises"
CHANGES = (
    EventKind.ENGINEER_ASSIGNED,
    EventKind.UNASSIGNED,
    EventKind.RESCHEDULED,
    EventKind.ON_SITE,
    EventKind.PUT_ON_HOLD,
)


def list_notices(visit: Visit, *, reader: Engineer) -> list[dict[str, str]]:
    """`[{"rule", "at", "words"}]`, oldest first, for one of the visit's people; `rule` is a name of
    docs/phone-rules.md, `handed_over`, `on_hold`, `note`, `sent_back` or `far_from_premises`.
    """
    return list(_notices(visit.job, visit.engineer, is_first=visit.engineer_id == reader.pk))


def _notices(job: Job, engineer: Engineer, *, is_first: bool) -> Iterator[dict[str, str]]:
    newest = _newest(job)
    assigned = newest.get(EventKind.ENGINEER_ASSIGNED)
    moved = next(_moves_of_reader(job, is_first=is_first), None)
    if is_first and assigned and _was_begun_before(job, assigned):
        text = handover_text(job, _holder_before(assigned, newest), engineer_id=engineer.pk)
        yield _notice("handed_over", assigned.recorded_at, text)
    if assigned and moved and moved.seq > assigned.seq and job.is_open:
        yield _of(sync_conflicts.new_time(moved.recorded_at, moved.facts))
    if job.on_hold_since and job.is_open:
        yield _hold_notice(job, job.on_hold_since, newest.get(EventKind.PUT_ON_HOLD))
    if job.is_open:
        yield from _notes(job)
    # what is to be done on the phone is the first engineer's
    if is_first and job.state == JobState.ON_SITE:
        yield from _sent_back(job)
        yield from _far_from_premises(job, newest.get(EventKind.ON_SITE))
    if job.state in ENDED_STATES:
        conflict = sync_conflicts.conflict_for(job=job, engineer=engineer)
        if conflict.rule != sync_conflicts.RuleName.CLOSED_BEFORE:
            yield _of(conflict)


def _was_begun_before(job: Job, assigned: JobEvent) -> bool:
    """Whether somebody set off or worked there before: then answers and photos may be there already."""
    if assigned.facts.get("state_then") in UNDER_WAY:
        return True
    return any(event.kind == EventKind.ON_SITE and event.seq < assigned.seq for event in job.events.all())


def _holder_before(assigned: JobEvent, newest: dict[str, JobEvent]) -> str:
    unassigned = newest.get(EventKind.UNASSIGNED)
    between = unassigned.facts.get("engineer_name", "") if unassigned else ""
    return str(assigned.facts.get("instead_of") or between)


def _hold_notice(job: Job, on_hold_since: datetime, held: JobEvent | None) -> dict[str, str]:
    reason = reason_text(held.facts.get("reason")) if held else ""
    text = _(
        "The office has put this job on hold. Don't set off; if you're already on the way, call the office."
    )
    if job.state == JobState.ON_SITE:
        text = _("The office has put this job on hold. Call the office before you continue.")
    return _notice("on_hold", on_hold_since, " ".join(filter(None, [text, reason])))


def _notes(job: Job) -> Iterator[dict[str, str]]:
    """What the office wrote for the engineer, oldest first."""
    for event in job.events.all():
        if (
            event.kind == EventKind.NOTE_ADDED
            and event.facts.get("is_for_engineer")
            and event.facts.get("note")
        ):
            yield _notice("note", event.recorded_at, _("Note from the office: %(note)s") % event.facts)


def _sent_back(job: Job) -> Iterator[dict[str, str]]:
    matrix = matrix_for_job(job)
    sentence = _(
        "The office sent this back: %(question)s. Reason: %(reason)s. Do it again, then close the job."
    )
    for item in closing.sent_back_items(job):
        question = matrix.find(item.question_code)
        parameters = {
            "question": translated_question(question, readers_language()).text
            if question
            else item.question_code,
            "reason": item.reason.rstrip("."),
        }
        yield _notice("sent_back", item.at, sentence % parameters)


def _far_from_premises(job: Job, arrived: JobEvent | None) -> Iterator[dict[str, str]]:
    if arrived is None:
        return
    facts = arrived.facts
    position = travel.as_coordinates(facts.get("latitude"), facts.get("longitude"))
    text = far_away_text(position, travel.job_coordinates(job), accuracy_metres=facts.get("accuracy_metres"))
    if text:
        yield _notice(FAR_FROM_PREMISES, arrived.recorded_at, text)


def _newest(job: Job) -> dict[str, JobEvent]:
    """Of each kind that a notice may speak of; events come in their order."""
    return {event.kind: event for event in job.events.all() if event.kind in CHANGES}


def _of(conflict: SyncConflict) -> dict[str, str]:
    return {"rule": str(conflict.rule), "at": conflict.at, "words": conflict.phone_text}


def _notice(rule: str, at: datetime, text: str) -> dict[str, str]:
    return {"rule": rule, "at": at.isoformat(), "words": text}


def handover_text(job: Job, before: str, *, engineer_id: int) -> str:
    """Who had it `before` and what is there already for this engineer."""
    photos = list(job.photos.all())
    parameters = {
        "who": before,
        "answers": len(counting_answers(job, engineer_id=engineer_id)),
        "scans": len(job.scans.all()),
        "photos": sum(photo.is_available for photo in photos),
    }
    text = _(
        "%(who)s had this job before you. It already has answers: %(answers)s, ONT scans: "
        "%(scans)s, photos: %(photos)s."
    )
    waiting = sum(photo.stored_at is None for photo in photos)
    if not waiting:
        return text % parameters
    still = _("Photos not yet uploaded from the other phone: %(number)s.") % {"number": waiting}
    return f"{text % parameters} {still}"


def engineer_notices(engineer: Engineer) -> dict[str, Any]:
    """What the day holds besides its jobs: jobs that left the list, and the timer that runs."""
    return {
        "gone": absent_job_notices(engineer),
        "check_in": _check_in(engineer),
        "shares_position": engineer.shares_position_since is not None,
    }


def _check_in(engineer: Engineer) -> dict[str, str] | None:
    running = lone_worker.running_check_in(engineer)
    if running is None:
        return None
    times = {"started_at": running.started_at.isoformat(), "due_at": running.due_at.isoformat()}
    return {"job": running.provider_job_id, **times}


def absent_job_notices(engineer: Engineer) -> list[dict[str, Any]]:
    """Jobs that left this engineer's list since yesterday, taken off or moved to a later day, with the rule's text."""
    today = timezone.localdate()
    since = day_span(today).start - timedelta(days=1)
    moves = JobEvent.objects.filter(job=OuterRef("job"), kind=EventKind.RESCHEDULED, recorded_at__gte=since)
    is_moved = Q(Exists(moves), planned_start__gte=end_of_list(today), job__state=JobState.ASSIGNED)
    theirs = Visit.objects.attended_by([engineer])
    lost = theirs.filter(Q(unassigned_at__gte=since) | Q(is_moved, unassigned_at=None))
    lost = lost.select_related("job", "engineer")
    lost = lost.prefetch_related("job__visits__engineer__user", "job__events__user")
    mine = set(theirs.active().values_list("job_id", flat=True))
    newest = {
        visit.job_id: visit
        for visit in lost.order_by("unassigned_at")
        if visit.unassigned_at is None or visit.job_id not in mine
    }
    notices = [_safe_lost(visit, engineer, since=since) for visit in newest.values()]
    return [notice for notice in notices if notice]


def _safe_lost(visit: Visit, engineer: Engineer, *, since: datetime) -> dict[str, Any] | None:
    job = visit.job

    def lost() -> dict[str, Any] | None:
        if visit.unassigned_at:
            return _lost(visit, engineer)
        return _moved(visit, since=since, is_first=visit.engineer_id == engineer.pk)

    def broken(reason: str) -> dict[str, Any] | None:
        number = job.provider_job_id
        return {"id": number, "address": number, "rule": "", "at": "", "words": reason}

    return build_or_replace(job, lost, broken)


def _lost(visit: Visit, engineer: Engineer) -> dict[str, Any]:
    job = visit.job
    found = _of(sync_conflicts.conflict_for(job=job, engineer=engineer))
    if visit.second_engineer_id == engineer.pk:
        text = _(
            "You no longer accompany %(engineer)s at this job. If you're already there, call the office."
        )
        found["words"] = text % {"engineer": visit.engineer.name}
    return _absent(job, found)


def _moved(visit: Visit, *, since: datetime, is_first: bool) -> dict[str, Any] | None:
    """None where the move did not take it off the list: it was planned for a later day before, too."""
    job = visit.job
    for event in _moves_of_reader(job, is_first=is_first):
        if event.recorded_at >= since and _was_listed_before(event):
            facts = {**event.facts, "planned_start": visit.planned_start.isoformat()}
            return _absent(job, _of(sync_conflicts.new_time(event.recorded_at, facts)))
    return None


def _moves_of_reader(job: Job, *, is_first: bool) -> Iterator[JobEvent]:
    """Newest first, back to where the reader got the job: a move before that changed nothing for the reader."""
    for event in sorted(job.events.all(), key=lambda event: event.seq, reverse=True):
        is_beginning = (
            event.kind == EventKind.ENGINEER_ASSIGNED if is_first else event.facts.get("second_is_new")
        )
        if is_beginning:
            return
        if event.kind == EventKind.RESCHEDULED:
            yield event


def _was_listed_before(moved: JobEvent) -> bool:
    end = end_of_list(local_time(moved.recorded_at).date())
    return datetime.fromisoformat(moved.facts["from"]) < end


def _absent(job: Job, notice: dict[str, str]) -> dict[str, Any]:
    return {"id": job.provider_job_id, "address": formatting.short_address(job), **notice}


def handed_over_by(job: Job) -> dict[str, str]:
    """Question → who answered it."""
    return {answer.question_code: answer.by.name for answer in active_answers(job) if answer.by}
