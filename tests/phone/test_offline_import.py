"""The offline export: applied once, whoever sends it first and however often, and explained line by line."""

import base64
import hashlib
import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from closures.models import Answer, Photo
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import AuditEntry, CheckIn, CheckInEnd, Engineer, PhoneMessage, Role
from phone.offline_import import preview_export, read_export, sign_export
from phone.offline_import_views import OfflineImportPage
from tests import make
from tests.board.office import signed_in
from tests.phone.phone import POSITION, Phone, entry

pytestmark = pytest.mark.django_db
PAGE = "/board/offline-import/"
RAW = make.jpeg()


@pytest.fixture
def engineer() -> Engineer:
    return make.engineer()


@pytest.fixture
def job(engineer: Engineer) -> Job:
    return make.job(at_state=JobState.ASSIGNED, to=engineer)


@pytest.fixture
def entries(job: Job) -> list[dict[str, Any]]:
    """A departure, an arrival, an answer and a photo, as a phone stores them."""
    body = {
        "photo_id": str(uuid.uuid4()),
        "question": "PHO01",
        "taken_at": make.now().isoformat(),
        "sha256": hashlib.sha256(RAW).hexdigest(),
        "source": "camera",
    }
    return [
        entry("en_route", job, {"position": POSITION}),
        entry("on_site", job, {"position": POSITION}),
        entry("answered", job, {"question": "SAF01", "value": "yes"}),
        entry("photo_taken", job, body),
    ]


def export_of(
    engineer: Engineer, entries: list[Any], raw: bytes = RAW, changed: dict[str, Any] | None = None
) -> dict[str, Any]:
    """As the engineer's phone signs it."""
    whole = unsigned(engineer, entries, raw) | (changed or {})
    photos = whole.pop("photos")
    text = json.dumps(whole)
    return {
        "format": whole["format"],
        "signature": sign_export(text, engineer),
        "signed": text,
        "photos": photos,
    }


def unsigned(engineer: Engineer, entries: list[Any], raw: bytes = RAW) -> dict[str, Any]:
    """As anybody may write it."""
    ids = [entry["body"]["photo_id"] for entry in entries if entry.get("kind") == "photo_taken"]
    content = base64.b64encode(raw).decode()
    return {
        "format": "fibre-dispatch-offline-export/1",
        "engineer": engineer.phone_identity,
        "name": engineer.name,
        "made_at": make.now().isoformat(),
        "entries": [{"entry": entry, "state": "here", "problems": []} for entry in entries],
        "photos": [
            {"id": entry, "sha256": hashlib.sha256(raw).hexdigest(), "bytes": content} for entry in ids
        ],
    }


def raw_export(engineer: Engineer, entries: list[Any]) -> bytes:
    """The file."""
    return json.dumps(export_of(engineer, entries)).encode()


def read_in(whole: Any, client: Client | None = None, **fields: str) -> HttpResponse:
    raw = whole if isinstance(whole, bytes) else json.dumps(whole).encode()
    file = SimpleUploadedFile("export.json", raw, "application/json")
    return (client or signed_in()).post(PAGE, {"file": file, **fields})


def page_of(answer: HttpResponse) -> OfflineImportPage:
    page: OfflineImportPage = answer.context["page"]  # type: ignore[attr-defined]
    return page


def outcomes(answer: HttpResponse) -> list[str]:
    return [line.outcome for line in page_of(answer).lines]


def test_file_is_applied_in_order(engineer: Engineer, job: Job, entries: list[dict[str, Any]]) -> None:
    answer = read_in(export_of(engineer, entries))

    job.refresh_from_db()
    assert outcomes(answer) == ["Applied", "Applied", "Applied", "Applied", "Stored"]
    assert (job.state, Photo.objects.stored().count(), Answer.objects.count()) == (JobState.ON_SITE, 1, 1)
    assert "All entries were imported." in answer.content.decode()
    assert job.provider_job_id in answer.content.decode()


def test_read_twice_it_changes_nothing(engineer: Engineer, entries: list[dict[str, Any]]) -> None:
    whole = export_of(engineer, entries)
    read_in(whole)
    events = list(Job.objects.get().events.values_list("pk", flat=True))
    answer = read_in(whole)

    assert set(outcomes(answer)) == {"Already received"}
    assert "All entries had already arrived." in answer.content.decode()
    assert list(Job.objects.get().events.values_list("pk", flat=True)) == events
    assert PhoneMessage.objects.count() == 4


def test_phone_that_sends_it_after_all_doubles_nothing(
    engineer: Engineer, entries: list[dict[str, Any]]
) -> None:
    read_in(export_of(engineer, entries))
    phone = Phone(engineer)
    results = phone.send(*entries)
    photo = phone.put(entries[3]["body"]["photo_id"], RAW)

    assert [result["outcome"] for result in results] == ["already"] * 4
    assert (photo.status_code, Photo.objects.count(), Answer.objects.count()) == (200, 1, 1)


def test_what_the_phone_sent_before_is_known(engineer: Engineer, entries: list[dict[str, Any]]) -> None:
    Phone(engineer).send(*entries)
    answer = read_in(export_of(engineer, entries))

    assert outcomes(answer) == ["Already received"] * 4 + ["Stored"]


def test_time_of_a_clock_that_was_ahead_is_not_in_the_future(engineer: Engineer) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    ahead = (make.now() + timedelta(hours=3)).isoformat()
    read_in(export_of(engineer, [entry("check_in", job, {"minutes": 30}, occurred_at=ahead)]))

    assert CheckIn.objects.running().get().started_at <= make.now()
    # a timer that is set now is not taken for an older one, which would be over at once
    Phone(engineer).say("check_in", job, {"minutes": 60})
    assert list(CheckIn.objects.order_by("pk").values_list("end_reason", flat=True)) == [CheckInEnd.AGAIN, ""]


def test_refused_entry_is_a_line_with_its_reason(engineer: Engineer, entries: list[dict[str, Any]]) -> None:
    strange = entry("answered", entries[0]["job"], {"question": "NOPE99", "value": "yes"})
    answer = read_in(export_of(engineer, [*entries[:2], strange]))
    line = page_of(answer).lines[-1]

    assert (line.outcome, line.tone, bool(line.problems)) == ("Not applied", "alarm", True)
    assert "1 entry was not applied" in answer.content.decode()


def test_damaged_picture_is_not_stored(engineer: Engineer, entries: list[dict[str, Any]]) -> None:
    whole = export_of(engineer, entries)
    whole["photos"][0]["bytes"] = whole["photos"][0]["bytes"][:40]

    assert outcomes(read_in(whole))[-1] == "Not stored"
    assert Photo.objects.stored().count() == 0
    # the whole file corrects it
    assert outcomes(read_in(export_of(engineer, entries)))[-1] == "Stored"


@pytest.mark.parametrize("strange", [None, [], "x", {"job": "a/b", "kind": 7, "body": []}, {"job": "\ud800"}])
def test_invalid_entry_does_not_affect_the_others(
    engineer: Engineer, entries: list[dict[str, Any]], strange: Any
) -> None:
    mixed = [{"entry": strange}, *unsigned(engineer, entries[:1])["entries"]]
    answer = read_in(export_of(engineer, entries[:1], changed={"entries": mixed}))

    assert (answer.status_code, outcomes(answer)) == (200, ["Not applied", "Applied"])


def test_entries_count_for_the_engineer_of_the_file_only(entries: list[dict[str, Any]]) -> None:
    answer = read_in(export_of(make.engineer(), entries))

    assert outcomes(answer) == ["Not applied"] * 4 + ["Not stored"]
    assert Job.objects.get().state == JobState.ASSIGNED


def test_reading_leaves_a_line_in_the_audit(engineer: Engineer, entries: list[dict[str, Any]]) -> None:
    whole = export_of(engineer, entries)
    read_in(whole)
    line = AuditEntry.objects.get(action="offline_export_imported")

    assert (line.subject, line.actor is not None) == (engineer.staff_number, True)
    assert line.after["sha256"] == hashlib.sha256(json.dumps(whole).encode()).hexdigest()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"format": "else"}, "not an export file from this app"),
        ({"engineer": "nobody"}, "No engineer has the staff number"),
        ({"engineer": "\0"}, "No engineer has the staff number"),
        ({"entries": 7}, "damaged"),
        ({"photos": ["x"]}, "damaged"),
        ({"made_at": "2026-13-40T00:00"}, "damaged"),
    ],
)
def test_file_that_is_none_is_explained(engineer: Engineer, change: dict[str, Any], sentence: str) -> None:
    answer = read_in(export_of(engineer, [], changed=change))

    assert (answer.status_code, sentence in answer.content.decode()) == (400, True)
    assert not AuditEntry.objects.filter(action="offline_export_imported").exists()


@pytest.mark.parametrize("raw", [b"\xff\xd8\xff", b"[" * 100_000, b"{}", b"7"])
def test_other_bytes_are_explained(raw: bytes) -> None:
    assert read_in(raw).status_code == 400


def test_supervisor_reads_it_too_and_an_engineer_may_not(
    engineer: Engineer, entries: list[dict[str, Any]]
) -> None:
    supervisor = Client()
    supervisor.force_login(make.dispatcher(role=Role.SUPERVISOR))

    assert read_in(export_of(engineer, entries), supervisor).status_code == 200
    assert read_in(export_of(engineer, entries), Phone(engineer).client).status_code == 403


# --- files that no phone has signed ---------------------------------------------------------------------------


def supervisor() -> Client:
    client = Client()
    client.force_login(make.dispatcher(username="ruth", role=Role.SUPERVISOR))
    return client


def forged(engineer: Engineer, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What somebody without the engineer's key can write."""
    signed = export_of(engineer, entries)
    other = make.engineer()
    return [
        unsigned(engineer, entries),
        signed | {"signature": ""},
        signed | {"signature": sign_export(signed["signed"], other)},
        signed | {"signed": signed["signed"].replace("SAF01", "SAF02")},
    ]


def test_dispatcher_cannot_write_an_engineer_s_day(
    engineer: Engineer, job: Job, entries: list[dict[str, Any]]
) -> None:
    for whole in forged(engineer, entries):
        answer = read_in(whole, reason="Because")

        assert (answer.status_code, outcomes(answer)) == (400, ["Not imported yet"] * 4)
        assert "no valid signature of the engineer" in answer.content.decode()
    job.refresh_from_db()
    assert (job.state, PhoneMessage.objects.count()) == (JobState.ASSIGNED, 0)


def test_supervisor_sees_an_unsigned_file_before_it_is_imported(
    engineer: Engineer, entries: list[dict[str, Any]]
) -> None:
    answer = read_in(unsigned(engineer, entries), supervisor())

    assert (answer.status_code, outcomes(answer)) == (400, ["Not imported yet"] * 4)
    assert "Nothing has been imported yet. Check the entries:" in answer.content.decode()
    assert not PhoneMessage.objects.exists()


def test_unsigned_file_is_imported_with_a_reason_and_a_line_for_each_entry(
    engineer: Engineer, entries: list[dict[str, Any]]
) -> None:
    answer = read_in(unsigned(engineer, entries), supervisor(), reason="Old phone, asked Erin")

    assert outcomes(answer) == ["Applied", "Applied", "Applied", "Applied", "Stored"]
    whole = AuditEntry.objects.get(action="offline_export_imported")
    assert (whole.after["is_signed"], whole.after["reason"]) == (False, "Old phone, asked Erin")
    lines = AuditEntry.objects.filter(action="unsigned_entry_imported").order_by("pk")
    assert [line.after["entry"]["kind"] for line in lines] == [
        "en_route",
        "on_site",
        "answered",
        "photo_taken",
    ]
    assert {line.actor.username for line in lines if line.actor} == {"ruth"}


@pytest.mark.parametrize("signed", [7, "[]", "{", "[" * 100_000])
def test_signed_part_that_is_none_is_explained(engineer: Engineer, signed: Any) -> None:
    assert read_in(export_of(engineer, []) | {"signed": signed}).status_code == 400


@pytest.mark.parametrize(
    "change",
    [{"signature": "\ud800"}, {"signature": "ä"}, {"signature": [7]}, {"format": []}, {"format": {}}],
)
def test_strange_frame_is_explained(engineer: Engineer, change: dict[str, Any]) -> None:
    assert read_in(export_of(engineer, []) | change).status_code == 400


def test_statements_for_questions_do_not_grow_with_the_file(engineer: Engineer, job: Job) -> None:
    answer = entry("answered", job, {"question": "SAF01", "value": "yes"})
    files = [read_export(json.dumps(export_of(engineer, [answer] * count)).encode()) for count in (1, 30)]
    with CaptureQueriesContext(connection) as few:
        preview_export(files[0])
    with CaptureQueriesContext(connection) as many:
        lines = preview_export(files[1])

    assert len(many) <= len(few) <= 2
    assert all(line.what.startswith("Answer: ") and "SAF01" not in line.what for line in lines)
