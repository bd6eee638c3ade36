"""The message to the seller for each event. MESSAGES and SILENT divide all event kinds; a test holds it."""

from collections.abc import Callable, Sequence
from typing import Any

from closures import answer_validation, answers, codes
from closures.models import Answer, Closure, Photo
from closures.photos import evidence
from closures.question_matrix.matrix import PICTURE_KINDS
from closures.question_matrix.matrix_editions import matrix_for_job
from dispatch.models import Job, JobEvent
from dispatch.states import EventKind
from seller_link.wire import outgoing
from seller_link.wire.v1.outgoing import File, GivenAnswer, MessageEnvelope

Message = tuple[str, dict[str, Any]]
Builder = Callable[[MessageEnvelope, JobEvent], Message]


def engineer_assigned(envelope: MessageEnvelope, event: JobEvent) -> Message:
    return _notify(envelope, event, outgoing.engineer_assigned(envelope, event.facts))


def en_route(envelope: MessageEnvelope, event: JobEvent) -> Message:
    return _notify(envelope, event, outgoing.en_route(envelope, event.facts))


def on_site(envelope: MessageEnvelope, event: JobEvent) -> Message:
    return _notify(envelope, event, outgoing.on_site(envelope, event.facts))


def ont_scanned(envelope: MessageEnvelope, event: JobEvent) -> Message:
    return _notify(envelope, event, outgoing.ont_scanned(envelope, event.facts))


def _notify(envelope: MessageEnvelope, event: JobEvent, body: dict[str, Any]) -> Message:
    unreported = answers.claim_unreported(event.job, at=envelope.sent_at)
    new = [_given_answer(envelope, event.job, answer) for answer in unreported]
    return outgoing.NOTIFY, outgoing.with_answers(body, new)


def closed(envelope: MessageEnvelope, event: JobEvent) -> Message:
    closure = event.job.closure
    code = codes.find_code(closure.code)
    facts = {
        # no code outside the tables leaves us
        "code": code.code,
        "secondary_code": closure.secondary_code if code.secondary(closure.secondary_code) else "",
        "secondary_description": closure.secondary_description,
        "remarks": closure.remarks,
        **_attended_by(closure),
    }
    return outgoing.CLOSE, outgoing.close_job(envelope, facts, _answers(envelope, event, closure))


def _attended_by(closure: Closure) -> dict[str, str]:
    """Empty when nobody attended: the dispatcher who closed it is no engineer."""
    if closure.engineer is None:
        return {}
    return {"engineer_number": closure.engineer.staff_number, "engineer_name": closure.engineer.name}


def _answers(envelope: MessageEnvelope, event: JobEvent, closure: Closure) -> list[GivenAnswer]:
    """Every answer that counts, in the order of the questions; a photo answer carries its stored files."""
    photos: dict[str, list[Photo]] = {}
    for photo in evidence.available_photos(event.job):
        photos.setdefault(photo.question_code, []).append(photo)
    counting = answers.applicable_answers(event.job, closure_code=closure.code)
    found = [
        _given_answer(envelope, event.job, answer, photos.get(answer.question_code, []))
        for answer in counting
    ]
    # a photo answer is its files: closing waits for them, but the office may close a job whose phone never sent them
    return [
        given_answer
        for given_answer, answer in zip(found, counting, strict=True)
        if given_answer.files or not _is_picture(answer)
    ]


def _is_picture(answer: Answer) -> bool:
    return answer.kind in PICTURE_KINDS


def _given_answer(
    envelope: MessageEnvelope, job: Job, answer: Answer, photos: Sequence[Photo] = ()
) -> GivenAnswer:
    files = [_file(photo) for photo in photos if str(photo.pk) in answer.value] if _is_picture(answer) else []
    return GivenAnswer(
        question_code=answer.question_code,
        question_text=answer.question_text,
        answer_text=str(len(files)) if files else _answer_text(job, answer),
        # a phone's clock may run ahead, or ours; the same time with every message that carries this answer
        answered_at=envelope.accepted(
            min(answer.answered_at, answer.recorded_at), reported_at=answer.reported_at
        ),
        files=files,
    )


def _answer_text(job: Job, answer: Answer) -> str:
    question = matrix_for_job(job).find(answer.question_code)
    return answer_validation.machine_value(question, answer.value) if question else answer.answer_text


def _file(photo: Photo) -> File:
    address = evidence.object_address(photo)
    return File(
        name=address.rsplit("/", 1)[-1],
        media_type="image/jpeg",
        object_path=address,
        url=evidence.url_for(photo),
    )


MESSAGES: dict[str, Builder] = {
    EventKind.ENGINEER_ASSIGNED: engineer_assigned,
    # another time is a new plan: the latest message counts at the seller
    EventKind.RESCHEDULED: engineer_assigned,
    EventKind.EN_ROUTE: en_route,
    EventKind.ON_SITE: on_site,
    EventKind.ONT_SCANNED: ont_scanned,
    EventKind.CLOSED: closed,
}
SILENT: frozenset[str] = frozenset(
    {
        EventKind.RECEIVED,
        EventKind.LOCATED,
        EventKind.UNASSIGNED,
        # the contract knows one engineer of a job
        EventKind.SECOND_ENGINEER_CHANGED,
        EventKind.HANDOVER_REQUESTED,
        EventKind.ONT_PROVISIONED,
        # the closure is sent when it is approved
        EventKind.SUBMITTED,
        EventKind.SENT_BACK,
        EventKind.CANCELLED,
        EventKind.PUT_ON_HOLD,
        EventKind.RELEASED,
        EventKind.PINNED,
        EventKind.UNPINNED,
        EventKind.NOTE_ADDED,
        # the seller made the test itself
        EventKind.LINE_CHECKED,
        EventKind.REPORTED_LATE,
    }
)
