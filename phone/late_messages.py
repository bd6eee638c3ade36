"""What a phone says of a job that went on without it: kept, shown on both sides, by a named rule."""

from typing import Any

from django.db import transaction

from closures import answer_validation, answers, codes, matrix_versions
from closures.answer_validation import BadAnswer
from closures.matrix import Question
from closures.models import Answer
from dispatch import sync_conflicts, visits
from dispatch.models import Job
from dispatch.problems import Problem
from dispatch.states import EventKind
from dispatch.sync_conflicts import RuleName, SyncConflict
from phone.action_handlers import PhoneAction, report_safety

STEPS = frozenset({"en_route", "on_site"})


def store_late_message(said: PhoneAction, *, kind: str, body: dict[str, Any]) -> list[Problem]:
    """Write it into the job's history under its rule; the problem (no refusal) tells the phone which.

    `body` is as the phone said it.
    """
    meeting = sync_conflicts.conflict_for(job=said.job, engineer=said.engineer)
    if kind == "answered" and meeting.rule == RuleName.REASSIGNED and _joins(said):
        meeting = SyncConflict(RuleName.JOINED, meeting.at, meeting.who)
    facts = {"body": body, "engineer_name": said.engineer.name, **_audit(said, kind), **meeting.facts()}
    _alarm(said, kind)
    visits.report_late(job=said.job, by=said.by, what=kind, occurred_at=said.occurred_at, facts=facts)
    return [build_problem(meeting)]


def _alarm(said: PhoneAction, kind: str) -> None:
    """A site that is unsafe for this engineer is so whoever has the job now."""
    question = _question(said.job, said.body["question"]) if kind == "answered" else None
    if question and said.body["value"] in question.unsafe:
        report_safety(said, question, said.body["value"])


def build_problem(meeting: SyncConflict) -> Problem:
    return Problem(meeting.rule, "job", meeting.phone_words, blocks=False)


def find_conflict(said: PhoneAction, *, kind: str) -> list[Problem]:
    """For a step that counts: the office had moved the visit, and the engineer did not know."""
    if kind not in STEPS:
        return []
    moves = said.job.events.filter(kind=EventKind.MOVED).order_by("seq")
    meeting = sync_conflicts.unknown_move(list(moves), occurred_at=said.occurred_at)
    return [build_problem(meeting)] if meeting else []


def _joins(said: PhoneAction) -> bool:
    """Give the answer to the colleague's job; whether it could be given."""
    question = _question(said.job, said.body["question"])
    # nobody else knows whether it is safe for whoever is there now
    if question is None or question.stage == "safety" or not said.job.is_open:
        return False
    standing = Answer.objects.active().filter(job=said.job, question_code=question.code).first()
    if standing and standing.by_id != said.engineer.pk:
        return False
    try:
        with transaction.atomic():
            answers.record_answer(
                job=said.job,
                question_code=question.code,
                value=said.body["value"],
                answered_at=said.occurred_at,
                by=said.engineer,
            )
    except BadAnswer:
        return False
    return True


def _question(job: Job, code: str) -> Question | None:
    return matrix_versions.matrix_for_job(job).find(code)


def _audit(said: PhoneAction, kind: str) -> dict[str, Any]:
    """The facts that the history prints, as the event itself would have had them."""
    body = said.body
    if kind in STEPS:
        position = body["position"]
        place = {name: position.get(name) for name in ("latitude", "longitude", "accuracy_metres")}
        return {**place, "position_missing_because": position.get("missing_because", "")}
    if kind == "ont_scanned":
        return {"fsan": body["fsan"], "serial_number": body["serial_number"]}
    if kind == "hand_over_asked":
        return {"told": body["reason"]}
    if kind == "close":
        return {"code": body["code"], "description": codes.find_code(body["code"]).description}
    return {"told": _answer_words(said)} if kind in {"answered", "answer_withdrawn"} else {}


def _answer_words(said: PhoneAction) -> str:
    code = said.body["question"]
    question = _question(said.job, code)
    if question is None:
        return str(code)
    if "value" not in said.body:
        return question.text
    try:
        value = answer_validation.validate(question, said.body["value"])
        return f"{question.text} {answer_validation.stored_text(question, value)}"
    except BadAnswer:
        return f"{question.text} {said.body['value']}"
