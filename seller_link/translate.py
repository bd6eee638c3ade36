"""Which event tells the seller what. The keys of MESSAGES and SILENT divide all event kinds; a test holds it."""

from collections.abc import Callable
from typing import Any

from closures import answers, evidence
from closures.matrix import PICTURE_KINDS
from closures.models import Answer, Closure, Photo
from dispatch.models import JobEvent
from dispatch.states import EventKind
from seller_link.wire import outgoing
from seller_link.wire.v1.outgoing import File, GivenAnswer, Letter

Message = tuple[str, dict[str, Any]]
Builder = Callable[[Letter, JobEvent], Message]


def engineer_assigned(letter: Letter, event: JobEvent) -> Message:
    return outgoing.NOTIFY, outgoing.engineer_assigned(letter, event.facts)


def en_route(letter: Letter, event: JobEvent) -> Message:
    return outgoing.NOTIFY, outgoing.en_route(letter, event.facts)


def on_site(letter: Letter, event: JobEvent) -> Message:
    return outgoing.NOTIFY, outgoing.on_site(letter, event.facts)


def ont_scanned(letter: Letter, event: JobEvent) -> Message:
    return outgoing.NOTIFY, outgoing.ont_scanned(letter, event.facts)


def closed(letter: Letter, event: JobEvent) -> Message:
    closure = Closure.objects.select_related("engineer__user").get(job=event.job)
    facts = {
        "code": closure.code,
        "secondary_code": closure.secondary_code,
        "secondary_description": closure.secondary_description,
        "remarks": closure.remarks,
        **_closed_by(closure, event),
    }
    return outgoing.CLOSE, outgoing.close_job(letter, facts, _answers(event, closure))


def _closed_by(closure: Closure, event: JobEvent) -> dict[str, str]:
    """The engineer; for a closure without a visit, the dispatcher who closed it."""
    if closure.engineer:
        return {"engineer_number": closure.engineer.staff_number, "engineer_name": closure.engineer.name}
    return {
        "engineer_number": event.user.username if event.user else "office",
        "engineer_name": closure.by_name,
    }


def _answers(event: JobEvent, closure: Closure) -> list[GivenAnswer]:
    """Every answer that counts, in the order of the questions; a photo answer carries its stored files."""
    photos: dict[str, list[Photo]] = {}
    for photo in Photo.objects.stored().filter(job=event.job).select_related("job"):
        photos.setdefault(photo.question_code, []).append(photo)
    counting = answers.that_count(event.job, closure_code=closure.code)
    return [_given(answer, photos.get(answer.question_code, [])) for answer in counting]


def _given(answer: Answer, photos: list[Photo]) -> GivenAnswer:
    return GivenAnswer(
        question_code=answer.question_code,
        question_text=answer.question_text,
        answer_text=answer.answer_text,
        answered_at=answer.answered_at,
        files=[_file(photo) for photo in photos if str(photo.pk) in answer.value]
        if answer.kind in PICTURE_KINDS
        else [],
    )


def _file(photo: Photo) -> File:
    path = evidence.object_path(photo)
    return File(
        name=path.rsplit("/", 1)[-1],
        media_type="image/jpeg",
        object_path=path,
        url=evidence.url_for(photo),
    )


MESSAGES: dict[str, Builder] = {
    EventKind.ENGINEER_ASSIGNED: engineer_assigned,
    EventKind.EN_ROUTE: en_route,
    EventKind.ON_SITE: on_site,
    EventKind.ONT_SCANNED: ont_scanned,
    EventKind.CLOSED: closed,
}
SILENT: frozenset[str] = frozenset(
    {
        EventKind.RECEIVED,
        EventKind.LOCATED,
        EventKind.MOVED,
        EventKind.UNASSIGNED,
        EventKind.HAND_OVER_ASKED,
        EventKind.ONT_PROVISIONED,
        EventKind.CANCELLED,
        EventKind.REPORTED_LATE,
    }
)
