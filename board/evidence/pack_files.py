"""The files of an evidence pack: what the job page shows, exact and complete, as JSON beside the photos themselves. Of
the attempts to deliver a message only the newest: one that failed for weeks has thousands.

Nothing in them depends on when or by whom the pack is made: the same job gives the same bytes.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model

from closures.models import Answer, Closure, Photo
from closures.photos import evidence
from dispatch.driving import travel
from dispatch.models import Job, JobEvent, Visit
from engineers.input_values import parse_json
from seller_link import delivery_attempts
from seller_link.models import InboundMessage, OutboundMessage

# of use to our database only
INTERNAL = frozenset({"id", "job_id", "postcode_key", "awaits_thumbnail", "content_sha256"})


@dataclass(frozen=True)
class PackFile:
    path: str
    content: bytes


def pack_files(job: Job) -> Iterator[PackFile]:
    """Everything but the manifest, photo by photo, so that one picture is in memory at a time."""
    yield _json("job.json", _row(job))
    yield _json("history.json", history(job))
    yield _json(
        "visits.json",
        [
            _row(visit) | _people(visit)
            for visit in job.visits.select_related("engineer__user", "second_engineer__user")
        ],
    )
    yield _json("scans.json", _scans(job))
    yield _json("answers.json", [_row(answer) | _author(answer) for answer in _answers(job)])
    yield _json("closure.json", [_row(closure) for closure in Closure.objects.filter(job=job)])
    yield from _photo_files(job)
    for number, (name, body) in enumerate(messages(job), start=1):
        yield _json(f"messages/{number:03}-{name}.json", body)


def _json(path: str, content: Any) -> PackFile:
    """Half a character, which a refused message may have, stays the escape that it was."""
    text = json.dumps(content, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2, sort_keys=True)
    return PackFile(path, text.encode("utf-8", "backslashreplace") + b"\n")


def _row(row: Model) -> dict[str, Any]:
    return {
        field.attname: field.value_from_object(row)
        for field in row._meta.concrete_fields
        if field.attname not in INTERNAL
    }


def _people(visit: Visit) -> dict[str, str]:
    found = {"engineer": visit.engineer.name, "staff_number": visit.engineer.staff_number}
    second = visit.second_engineer
    if second is None:
        return found
    return {**found, "second_engineer": second.name, "second_staff_number": second.staff_number}


def _answers(job: Job) -> list[Answer]:
    return list(Answer.objects.filter(job=job).select_related("by__user"))


def _author(row: Answer | Photo) -> dict[str, str]:
    return {"by": row.by.name if row.by else ""}


def history(job: Job) -> list[dict[str, Any]]:
    """Each event with its three times: `occurred_at`, `recorded_at`, and `reported_at` by our clock of the seller's
    acknowledgement; positions with their distance from the premises in metres."""
    sent = {message.event_id: message for message in job.outbound_messages.all()}
    return [_event(job, event, sent.get(event.pk)) for event in job.events.select_related("user")]


def _event(job: Job, event: JobEvent, message: OutboundMessage | None) -> dict[str, Any]:
    premises = travel.job_coordinates(job)
    latitude, longitude = event.facts.get("latitude"), event.facts.get("longitude")
    is_measured = premises and latitude is not None and longitude is not None
    metres = travel.distance_metres((latitude, longitude), premises) if is_measured and premises else None
    return {
        **_row(event),
        "user": event.user.display_name if event.user else "",
        "reported_at": message.sent_at if message else None,
        "message_id": str(message.message_id) if message else "",
        "distance_from_premises_metres": None if metres is None else round(metres),
    }


def _scans(job: Job) -> list[dict[str, Any]]:
    return [
        {**_row(scan), "results": [_row(result) for result in scan.results.all()]}
        for scan in job.scans.prefetch_related("results")
    ]


def _photo_files(job: Job) -> Iterator[PackFile]:
    found = []
    for photo in Photo.objects.filter(job=job).select_related("job", "by__user"):
        content = read_photo(photo)
        path = photo_path(photo) if content else ""
        found.append(
            {**_row(photo), **_author(photo), "file": path, "matches_stored_sha256": _matches(photo, content)}
        )
        if content:
            yield PackFile(path, content)
    yield _json("photos.json", found)


def photo_path(photo: Photo) -> str:
    return f"photos/{photo.question_code}-{photo.pk}.jpg"


def read_photo(photo: Photo) -> bytes:
    """The stored file; empty for one that has not arrived, was purged or is missing."""
    return evidence.read_file(photo) if photo.is_available else b""


def _matches(photo: Photo, content: bytes) -> bool | None:
    """Whether the file is what was stored then; None without a file."""
    return hashlib.sha256(content).hexdigest() == photo.stored_sha256 if content else None


def messages(job: Job) -> list[tuple[str, dict[str, Any]]]:
    """Name and content of each message in both directions, exact and in the order of our clock."""
    sent = list(job.outbound_messages.all())
    delivery_attempts.load_attempts(sent, with_answers=True)
    found = [(message.created_at, "to-seller", _outbound(message)) for message in sent]
    found += [
        (message.received_at, "from-seller", _inbound(message)) for message in job.inbound_messages.all()
    ]
    return [(name, body) for _at, name, body in sorted(found, key=lambda entry: entry[0])]


def _outbound(message: OutboundMessage) -> dict[str, Any]:
    """With its newest attempts, and how many older ones the pack leaves out."""
    attempts = [_row(attempt) for attempt in message.newest_attempts]
    older = message.attempt_count - len(attempts)
    return {**_row(message), "attempts": attempts, "older_attempts_left_out": older}


def _inbound(message: InboundMessage) -> dict[str, Any]:
    return {**_row(message), "body": _parsed(message.body), "response": _parsed(message.response)}


def _parsed(text: Any) -> Any:
    """A refused message may be anything: then it stays the text that came."""
    try:
        return parse_json(text) if isinstance(text, str) and text else text
    except (ValueError, RecursionError):
        return text
