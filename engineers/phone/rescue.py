"""The rescue file of a phone that could not send (static/js/phone/app/rescue.js), read in by the office.

Every entry goes the way that it would have gone from the phone, under its own id: read twice, or sent by the phone
after all, nothing is doubled.
"""

import base64
import binascii
import hashlib
import io
import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from closures import editions, evidence
from closures.models import Photo
from dispatch.models import Job
from dispatch.problems import Refused
from engineers import audit
from engineers.models import Engineer, User
from engineers.phone import sync
from engineers.phone.serializers import unstorable

FORMAT = "fibre-dispatch-rescue/1"


class Unreadable(Exception):
    """The file is none, or of an engineer that nobody knows; nothing was applied. The words are for people."""


@dataclass(frozen=True)
class RescueFile:
    """`photos`: base64 by photo id. `sha256` of the whole file."""

    engineer: Engineer
    made_at: datetime
    entries: list[dict[str, Any]]
    photos: dict[str, dict[str, Any]]
    sha256: str


@dataclass(frozen=True)
class Line:
    """What became of one entry or photo. `tone`: good, calm (nothing changed) or alarm."""

    occurred_at: datetime | None
    job_id: str
    what: str
    tone: str
    outcome: str
    problems: list[str] = field(default_factory=list)


def read(raw: bytes) -> RescueFile:
    """Raises Unreadable."""
    try:
        whole = json.loads(raw)
    except (ValueError, RecursionError) as problem:
        raise Unreadable(_("This is no rescue file: it cannot be read as JSON.")) from problem
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise Unreadable(_("This is no rescue file of this application."))
    entries, photos = _rows(whole, "entries"), _rows(whole, "photos")
    by_id = {str(photo.get("id", "")): photo for photo in photos}
    digest = hashlib.sha256(raw).hexdigest()
    return RescueFile(_engineer(whole), _made_at(whole), [_entry(row) for row in entries], by_id, digest)


def _rows(whole: dict[str, Any], name: str) -> list[dict[str, Any]]:
    rows = whole.get(name)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Unreadable(_("This rescue file is damaged: save it again on the phone."))
    return rows


def _entry(row: dict[str, Any]) -> dict[str, Any]:
    """What is no entry is refused in its place, like anything else that a phone may say."""
    entry = row.get("entry")
    return entry if isinstance(entry, dict) else {}


def _engineer(whole: dict[str, Any]) -> Engineer:
    number = str(whole.get("engineer", ""))
    known = None if unstorable(number) else Engineer.objects.filter(staff_number=number).first()
    if known is None:
        raise Unreadable(_("Nobody here has the staff number %(number)s.") % {"number": number[:20] or "?"})
    return known


def _made_at(whole: dict[str, Any]) -> datetime:
    try:
        made_at = parse_datetime(str(whole.get("made_at", "")))
    except ValueError:
        made_at = None
    if made_at is None or made_at.tzinfo is None:
        raise Unreadable(_("This rescue file is damaged: save it again on the phone."))
    return made_at


def take_in(*, file: RescueFile, by: User) -> list[Line]:
    """Apply each entry in its order, a photo's bytes right behind its entry; a line for each of them."""
    _record(file, by)
    lines = []
    for entry in file.entries:
        result = sync.take(entry=entry, engineer=file.engineer)
        lines.append(_line(entry, result))
        photo = _photo_of(entry, file)
        if photo is not None:
            lines.append(_store(entry, photo, file.engineer))
    return lines


@transaction.atomic
def _record(file: RescueFile, by: User) -> None:
    counted = {"entries": len(file.entries), "photos": len(file.photos), "sha256": file.sha256}
    after = {**counted, "made_at": file.made_at.isoformat()}
    audit.record(actor=by, action="rescue_file_read", subject=file.engineer.staff_number, after=after)


def _photo_of(entry: dict[str, Any], file: RescueFile) -> dict[str, Any] | None:
    body = entry.get("body")
    if entry.get("kind") != "photo_taken" or not isinstance(body, dict):
        return None
    return file.photos.get(str(body.get("photo_id", "")))


def _store(entry: dict[str, Any], given: dict[str, Any], engineer: Engineer) -> Line:
    photo_id = _uuid(given["id"])
    mine = Photo.objects.filter(by=engineer).select_related("job")
    photo = mine.filter(pk=photo_id).first() if photo_id else None
    if photo is None:
        return _photo_line(entry, "alarm", _("Not stored"), [_("Its entry was not applied.")])
    if photo.stored_at:
        return _photo_line(entry, "calm", _("Was here already"))
    try:
        evidence.store(photo=photo, content=io.BytesIO(_content(given)))
    except Refused as refused:
        return _photo_line(entry, "alarm", _("Not stored"), [one.message for one in refused.problems])
    return _photo_line(entry, "good", _("Stored"))


def _uuid(text: Any) -> UUID | None:
    try:
        return UUID(str(text))
    except ValueError:
        return None


def _content(given: dict[str, Any]) -> bytes:
    """Half a picture has another hash, and is refused with words by evidence.store."""
    try:
        return base64.b64decode(str(given.get("bytes", "")), validate=True)
    except binascii.Error:
        return b""


def _photo_line(entry: dict[str, Any], tone: str, outcome: str, problems: list[str] | None = None) -> Line:
    return _told(entry, _("The picture itself"), tone, outcome, problems or [])


def _line(entry: dict[str, Any], result: sync.Result) -> Line:
    tone, words = {
        sync.APPLIED: ("good", _("Applied")),
        sync.LATE: ("good", _("Kept: too late to change the job")),
        sync.ALREADY: ("calm", _("Was here already")),
        sync.REFUSED: ("alarm", _("Not applied")),
    }[result.outcome]
    problems = [problem.message for problem in result.problems]
    if unstorable(entry):
        return Line(None, "", _("An entry that cannot be read"), tone, words, problems)
    return _told(entry, _what(entry), tone, words, problems)


def _told(entry: dict[str, Any], what: str, tone: str, outcome: str, problems: list[str]) -> Line:
    return Line(_occurred_at(entry), str(entry.get("job", "")), what, tone, outcome, problems)


def _occurred_at(entry: dict[str, Any]) -> datetime | None:
    try:
        return parse_datetime(str(entry.get("occurred_at", "")))
    except ValueError:
        return None


def _what(entry: dict[str, Any]) -> str:
    words = {
        "en_route": _("On my way"),
        "on_site": _("On site"),
        "ont_scanned": _("ONT scanned"),
        "answered": _("Answer"),
        "answer_withdrawn": _("Answer taken back"),
        "photo_taken": _("Photo"),
        "close": _("Closed"),
        "hand_over_asked": _("Asked to hand over"),
        "check_in": _("Working alone: the timer was set"),
        "check_in_done": _("Working alone: I'm fine"),
        "driving": _("Place on the way"),
    }
    word, question = words.get(str(entry.get("kind", "")), str(entry.get("kind", ""))), _question(entry)
    return f"{word}: {question}" if question else word


def _question(entry: dict[str, Any]) -> str:
    body = entry.get("body")
    code = str(body.get("question", "")) if isinstance(body, dict) else ""
    number = str(entry.get("job", ""))
    if not code:
        return ""
    job = Job.objects.filter(provider_job_id=number).first()
    question = editions.of(job).find(code) if job else None
    return question.text if question else code
