"""What a phone says of a job that went on without it: kept, shown on both sides, by a named rule."""

from typing import Any

from django.db import transaction

from closures import answer_validation, answers, codes, site_safety
from closures.answer_validation import BadAnswer
from closures.models import Answer
from closures.question_matrix.matrix import Question
from closures.question_matrix.matrix_editions import matrix_for_job
from dispatch import job_events, sync_conflicts
from dispatch.models import Job
from dispatch.problems import Problem
from dispatch.states import EventKind, JobState
from dispatch.sync_conflicts import RuleName, SyncConflict
from phone.action_handlers import PhoneAction, report_safety
from phone.stored_entries import MAX_CHARACTERS
from phone.superseded import newer_answer

STEPS = frozenset({"en_route", "on_site"})
HOLDER_KINDS = (EventKind.ENGINEER_ASSIGNED, EventKind.UNASSIGNED)


class Unfinished(Exception):
    """Half an answer or a request from a job without a page on the phone: never part of the job, whoever has it."""


def refuse_unfinished(action: PhoneAction) -> None:
    """Raises Unfinished."""
    if action.body.get("unfinished"):
        raise Unfinished


def find_conflict(action: PhoneAction, *, kind: str) -> SyncConflict:
    """Why the job went on without it; an answer given before the job was lost joins it while no colleague has begun."""
    if action.body.get("unfinished"):
        return SyncConflict(RuleName.UNFINISHED)
    conflict = sync_conflicts.conflict_for(job=action.job, engineer=action.engineer)
    if kind == "answered" and conflict.rule == RuleName.REASSIGNED and _joins(action):
        return SyncConflict(RuleName.JOINED, conflict.at, conflict.who)
    return conflict


def store_late_message(
    action: PhoneAction, *, kind: str, body: dict[str, Any], conflict: SyncConflict
) -> list[Problem]:
    """Write it into the job's history under its rule; the problem (no refusal) names the rule to the phone.

    `body` is as it is kept of what the phone sent (phone.stored_entries).
    """
    facts = {
        "body": body,
        "engineer_name": action.engineer.name,
        **_event_facts(action, kind),
        **conflict.facts(),
    }
    _report_unsafe_answer(action, kind)
    job_events.record_late(
        job=action.job, by=action.by, what=kind, occurred_at=action.occurred_at, facts=facts
    )
    return [build_problem(conflict)]


def _report_unsafe_answer(action: PhoneAction, kind: str) -> None:
    """A site that is unsafe for this engineer is so whoever has the job now."""
    question = _question(action.job, action.body["question"]) if kind == "answered" else None
    if question is None or _is_outdated(action):
        return
    unsafe = site_safety.unsafe_value(question, action.body["value"])
    if unsafe is not None:
        report_safety(action, question, unsafe)


def _is_outdated(action: PhoneAction) -> bool:
    """Whether the question was answered again after that."""
    return newer_answer(action.job, action.body["question"], than=action.occurred_at) is not None


def build_problem(conflict: SyncConflict) -> Problem:
    return Problem(conflict.rule, "job", conflict.phone_text, blocks=False)


def reschedule_notices(action: PhoneAction, *, kind: str) -> list[Problem]:
    """For a step that counts: the office had moved the visit, and the engineer did not know."""
    if kind not in STEPS:
        return []
    moves = action.job.events.filter(kind=EventKind.RESCHEDULED).order_by("seq")
    conflict = sync_conflicts.unknown_move(list(moves), occurred_at=action.occurred_at)
    return [build_problem(conflict)] if conflict else []


def _joins(action: PhoneAction) -> bool:
    """Give the answer to the job, as if it had arrived before the handover; whether it could be given."""
    question = _question(action.job, action.body["question"])
    # nobody else knows whether it is safe for whoever is there now
    if question is None or question.stage == "safety":
        return False
    if action.job.state != JobState.ASSIGNED or not _was_theirs(action):
        return False
    active = Answer.objects.active().filter(job=action.job, question_code=question.code).first()
    if (active and active.by_id != action.engineer.pk) or _is_outdated(action):
        return False
    try:
        with transaction.atomic():
            answers.record_answer(
                job=action.job,
                question_code=question.code,
                value=action.body["value"],
                answered_at=action.occurred_at,
                by=action.engineer,
            )
    except BadAnswer:
        return False
    return True


def _was_theirs(action: PhoneAction) -> bool:
    """Whether the engineer, who has lost the job since, had it as its first engineer when that was said."""
    before = action.job.events.filter(kind__in=HOLDER_KINDS, recorded_at__lte=action.occurred_at)
    last = before.order_by("seq").last()
    if last and last.kind == EventKind.UNASSIGNED:
        return False
    # visits follow each other and have no beginning of their own: the first that had not ended
    holder = action.job.visits.exclude(unassigned_at__lte=action.occurred_at).order_by("pk").first()
    return holder is not None and holder.engineer_id == action.engineer.pk


def _question(job: Job, code: str) -> Question | None:
    return matrix_for_job(job).find(code)


def _event_facts(action: PhoneAction, kind: str) -> dict[str, Any]:
    """The facts that the history prints, as the event itself would have had them."""
    body = action.body
    if kind in STEPS:
        position = body["position"]
        coordinates = {name: position.get(name) for name in ("latitude", "longitude", "accuracy_metres")}
        return {**coordinates, "position_missing_because": position.get("missing_because", "")}
    if kind == "ont_scanned":
        return {"fsan": body["fsan"], "serial_number": body["serial_number"]}
    if kind == "handover_requested":
        return {"reported_text": body["reason"]}
    if kind == "close":
        return _closing_facts(body)
    return {"reported_text": _answer_text(action)} if kind in {"answered", "answer_withdrawn"} else {}


def _closing_facts(body: dict[str, Any]) -> dict[str, Any]:
    """As an event of the closing has them (closures.closing), with the remarks, which no closure keeps here."""
    code = codes.find_code(body["code"])
    secondary = code.secondary(body["secondary_code"])
    return {
        "code": body["code"],
        "description": code.description,
        "secondary_code": body["secondary_code"],
        "secondary_description": secondary.description if secondary else "",
        "remarks": body["remarks"],
    }


def _answer_text(action: PhoneAction) -> str:
    code = action.body["question"]
    question = _question(action.job, code)
    if question is None:
        return f"{code} {_raw_value(action)}" if "value" in action.body else str(code)
    if "value" not in action.body:
        return question.text
    try:
        value = answer_validation.validate(question, action.body["value"])
        return f"{question.text} {answer_validation.stored_text(question, value)}"
    except BadAnswer:
        return f"{question.text} {_raw_value(action)}"


def _raw_value(action: PhoneAction) -> str:
    """No answer to the question, so nothing else has limited its length."""
    return str(action.body["value"])[:MAX_CHARACTERS]
