"""Imports the offline export of a phone that could not send (static/js/phone/app/offline_export.js).

Every entry is applied as if the phone had sent it, under its own id, so nothing is duplicated when the file is imported
twice or the phone sends it later.
"""

import base64
import hashlib
import hmac
import io
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from closures.models import Photo
from closures.photos import direct_upload
from closures.question_matrix.matrix_editions import matrix_for_job
from dispatch.models import Job
from dispatch.problems import ActionRefused
from engineers.audit import record_audit
from engineers.clock_skew import PhoneClock
from engineers.input_values import PHONE_YEARS, parse_json, read_instant
from engineers.models import Engineer, User
from phone import sync
from phone.serializers import find_unstorable, parse_number
from phone.stored_entries import ENVELOPE, is_too_large

FORMAT = "fibre-dispatch-offline-export/1"
SALT = "phone.export"
# a day's work is some thousand; most of a file are the bytes of photos, each of them one value
MOST_VALUES = 200_000


class UnreadableExport(Exception):
    """The file is none, or of an unknown engineer; nothing was applied. The message is for people."""


@dataclass(frozen=True)
class OfflineExport:
    """`photos`: base64 by photo id. `sha256` of the whole file. `is_signed`: by the engineer's own phone,
    and since its key was last replaced."""

    engineer: Engineer
    is_signed: bool
    made_at: datetime
    entries: list[dict[str, Any]]
    photos: dict[str, dict[str, Any]]
    sha256: str


@dataclass(frozen=True)
class ImportedEntry:
    """What became of one entry or photo. `tone`: good, calm (nothing changed) or alarm."""

    occurred_at: datetime | None
    job_id: str
    what: str
    tone: str
    outcome: str
    problems: list[str] = field(default_factory=list)


def read_export(raw: bytes) -> OfflineExport:
    """Raises UnreadableExport."""
    outer = _json(raw)
    if not isinstance(outer, dict) or outer.get("format") != FORMAT:
        raise UnreadableExport(_("This is not an export file from this app."))
    signed = outer.get("signed")
    whole = _json(signed) if isinstance(signed, str) else outer
    if not isinstance(whole, dict):
        raise UnreadableExport(_("This export file is damaged. Save it again on the phone."))
    entries, photos = _rows(whole, "entries"), _rows(outer, "photos")
    engineer = _engineer(whole)
    return OfflineExport(
        engineer=engineer,
        is_signed=isinstance(signed, str)
        and has_valid_signature(signed, str(outer.get("signature", "")), engineer),
        made_at=_made_at(whole),
        entries=[_entry(row) for row in entries],
        photos={str(photo.get("id", "")): photo for photo in photos},
        sha256=hashlib.sha256(raw).hexdigest(),
    )


def _json(text: bytes | str) -> Any:
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    # three bytes of empty lists become eighty of memory
    if sum(map(raw.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise UnreadableExport(_("This is not an export file from this app."))
    try:
        return parse_json(text, parse_int=parse_number)
    except ValueError as problem:
        raise UnreadableExport(_("This is not an export file: it is not valid JSON.")) from problem


def _rows(whole: dict[str, Any], name: str) -> list[dict[str, Any]]:
    rows = whole.get(name)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UnreadableExport(_("This export file is damaged. Save it again on the phone."))
    return rows


def _entry(row: dict[str, Any]) -> dict[str, Any]:
    """What is no entry is refused in its place, like anything else that a phone may say."""
    entry = row.get("entry")
    return entry if isinstance(entry, dict) else {}


def _engineer(whole: dict[str, Any]) -> Engineer:
    number = str(whole.get("engineer", ""))
    if find_unstorable(number):
        number = ""
    known = Engineer.objects.in_scope().filter(phone_identity=number).first()
    if known is None:
        text = _("No engineer has the staff number %(number)s.")
        raise UnreadableExport(text % {"number": number[:20] or "?"})
    return known


def _made_at(whole: dict[str, Any]) -> datetime:
    made_at = read_instant(whole.get("made_at"), years=PHONE_YEARS)
    if made_at is None:
        raise UnreadableExport(_("This export file is damaged. Save it again on the phone."))
    return made_at


def preview_export(file: OfflineExport) -> list[ImportedEntry]:
    """A line for each entry as the file has it; nothing is applied."""
    outcome, jobs = _("Not imported yet"), _jobs_of(file)
    return [
        ImportedEntry(None, "", _("Unreadable entry"), "alarm", outcome)
        if find_unstorable(entry)
        else _entry_line(entry, _what(entry, jobs), "calm", outcome, [])
        for entry in file.entries
    ]


def import_export(*, file: OfflineExport, by: User, reason: str = "") -> list[ImportedEntry]:
    """Apply each entry in its order, a photo's bytes right behind its entry; a line for each of them.

    What no phone has signed may be by anybody: each of its entries gets a line in the audit.
    """
    _record(file, by, reason)
    lines, jobs = [], _jobs_of(file)
    # when the file was sent by the phone's clock nobody knows; no entry is from after now
    clocks = sync.clocks_of_batch(file.entries, PhoneClock(latest=timezone.now()))
    for entry, clock in zip(file.entries, clocks, strict=True):
        result = sync.apply_message(entry=entry, engineer=file.engineer, clock=clock)
        lines.append(_line(entry, result, jobs))
        if not file.is_signed:
            _record_unsigned(file, entry, result, by)
        photo = None if find_unstorable(entry) else _photo_of(entry, file)
        if photo is not None:
            lines.append(_store(entry, photo, file.engineer))
    return lines


@transaction.atomic
def _record(file: OfflineExport, by: User, reason: str) -> None:
    counted = {"entries": len(file.entries), "photos": len(file.photos), "sha256": file.sha256}
    after = {**counted, "made_at": file.made_at.isoformat(), "is_signed": file.is_signed, "reason": reason}
    record_audit(actor=by, action="offline_export_imported", subject=file.engineer.staff_number, after=after)


@transaction.atomic
def _record_unsigned(file: OfflineExport, entry: dict[str, Any], result: sync.SyncResult, by: User) -> None:
    is_stored = not find_unstorable(entry) and not is_too_large(entry)
    sentence = {name: entry.get(name) for name in ENVELOPE} if is_stored else {}
    after = {"entry": sentence, "outcome": result.outcome, "sha256": file.sha256}
    record_audit(actor=by, action="unsigned_entry_imported", subject=file.engineer.staff_number, after=after)


def _photo_of(entry: dict[str, Any], file: OfflineExport) -> dict[str, Any] | None:
    body = entry.get("body")
    if entry.get("kind") != "photo_taken" or not isinstance(body, dict):
        return None
    return file.photos.get(str(body.get("photo_id", "")))


def _store(entry: dict[str, Any], upload: dict[str, Any], engineer: Engineer) -> ImportedEntry:
    photo_id = _uuid(upload.get("id"))
    mine = Photo.objects.filter(by=engineer).select_related("job")
    photo = mine.filter(pk=photo_id).first() if photo_id else None
    if photo is None:
        return _photo_line(entry, "alarm", _("Not stored"), [_("The entry for this file was not applied.")])
    if photo.stored_at:
        return _photo_line(entry, "calm", _("Already received"))
    try:
        direct_upload.store_sent(photo, io.BytesIO(_content(upload)))
    except ActionRefused as refused:
        return _photo_line(entry, "alarm", _("Not stored"), [problem.message for problem in refused.problems])
    return _photo_line(entry, "good", _("Stored"))


def _uuid(text: Any) -> UUID | None:
    try:
        return UUID(str(text))
    except ValueError:
        return None


def _content(photo: dict[str, Any]) -> bytes:
    """Half a picture has another hash, and evidence.store refuses it with a message."""
    try:
        return base64.b64decode(str(photo.get("bytes", "")), validate=True)
    except ValueError:
        # no base64, or a text that is not ASCII
        return b""


def _photo_line(
    entry: dict[str, Any], tone: str, outcome: str, problems: list[str] | None = None
) -> ImportedEntry:
    return _entry_line(entry, _("Photo file"), tone, outcome, problems or [])


def _line(entry: dict[str, Any], result: sync.SyncResult, jobs: dict[str, Job]) -> ImportedEntry:
    tone, text = {
        sync.APPLIED: ("good", _("Applied")),
        sync.LATE: ("good", _("Kept, but too late to change the job")),
        sync.ALREADY: ("calm", _("Already received")),
        sync.REFUSED: ("alarm", _("Not applied")),
    }[result.outcome]
    problems = [problem.message for problem in result.problems]
    if find_unstorable(entry):
        return ImportedEntry(None, "", _("Unreadable entry"), tone, text, problems)
    return _entry_line(entry, _what(entry, jobs), tone, text, problems)


def _entry_line(
    entry: dict[str, Any], what: str, tone: str, outcome: str, problems: list[str]
) -> ImportedEntry:
    occurred_at = read_instant(entry.get("occurred_at"), years=PHONE_YEARS)
    return ImportedEntry(occurred_at, str(entry.get("job", "")), what, tone, outcome, problems)


def _jobs_of(file: OfflineExport) -> dict[str, Job]:
    """By number, for the questions of their entries; one query."""
    numbers = {str(entry.get("job", "")) for entry in file.entries if not find_unstorable(entry)}
    return Job.objects.in_bulk(numbers, field_name="provider_job_id")


def _what(entry: dict[str, Any], jobs: dict[str, Job]) -> str:
    labels = {
        "en_route": _("On my way"),
        "on_site": _("On site"),
        "ont_scanned": _("ONT scanned"),
        "answered": _("Answer"),
        "answer_withdrawn": _("Answer cleared"),
        "photo_taken": _("Photo"),
        "close": _("Closed"),
        "handover_requested": _("Handover requested"),
        "check_in": _("Lone-worker timer set"),
        "check_in_done": _("Lone-worker check-in"),
        "driving": _("Location while travelling"),
    }
    label, question = (
        labels.get(str(entry.get("kind", "")), str(entry.get("kind", ""))),
        _question(entry, jobs),
    )
    return f"{label}: {question}" if question else label


def _question(entry: dict[str, Any], jobs: dict[str, Job]) -> str:
    body = entry.get("body")
    code = str(body.get("question", "")) if isinstance(body, dict) else ""
    if not code:
        return ""
    job = jobs.get(str(entry.get("job", "")))
    question = matrix_for_job(job).find(code) if job else None
    return question.text if question else code


def signing_key(engineer: Engineer) -> str:
    """32 bytes in hex; it goes to the phone with each day.json and nowhere else. Another one once every sign-in of the
    engineer has ended (staff.end_access): the phone may have been stolen."""
    value = f"{engineer.pk}:{engineer.phone_identity}:{engineer.export_key_number}"
    return salted_hmac(SALT, value, algorithm="sha256").hexdigest()


def sign_export(text: str, engineer: Engineer) -> str:
    """As static/js/phone/app/offline_export.js does it."""
    key = bytes.fromhex(signing_key(engineer))
    return hmac.new(key, text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()


def has_valid_signature(text: str, signature: str, engineer: Engineer) -> bool:
    return signature.isascii() and constant_time_compare(sign_export(text, engineer), signature)
