"""Offline exports that no phone of ours writes: each unreadable part is a line, never a 500 half-way through."""

import json
import tracemalloc
from typing import Any

import pytest

from engineers.models import AuditEntry, Engineer
from phone.offline_import import FORMAT, MOST_VALUES, UnreadableExport, read_export
from tests.phone.phone import POSITION, entry
from tests.phone.test_offline_import import (
    engineer,
    entries,
    export_of,
    job,
    outcomes,
    page_of,
    read_in,
    supervisor,
    unsigned,
)

pytestmark = pytest.mark.django_db
__all__ = ["engineer", "entries", "job"]
APPLIED = ["Applied"] * 4
ENDS_OF_THE_CALENDAR = [
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
    "9999-12-31T23:59:59Z",
    "0001-01-01T00:00:00",
]


@pytest.mark.parametrize("content", ["é", "\ud800", "====", "a", "*", None, 7, [], {}])
def test_picture_that_is_no_base64_is_not_stored(
    engineer: Engineer, entries: list[dict[str, Any]], content: Any
) -> None:
    whole = export_of(engineer, entries)
    whole["photos"][0]["bytes"] = content

    assert outcomes(read_in(whole)) == [*APPLIED, "Not stored"]


@pytest.mark.parametrize("value", ["", None, 7, "\0", "é", [], {}])
def test_picture_with_another_id_is_left_out(
    engineer: Engineer, entries: list[dict[str, Any]], value: Any
) -> None:
    whole = export_of(engineer, entries)
    whole["photos"][0]["id"] = value

    assert outcomes(read_in(whole)) == APPLIED


def test_picture_of_an_unreadable_entry_has_no_line(
    engineer: Engineer, entries: list[dict[str, Any]]
) -> None:
    strange = {**entries[3], "job": "J-\ud800"}

    answer = read_in(export_of(engineer, [*entries[:3], strange]))

    assert (answer.status_code, outcomes(answer)) == (200, [*APPLIED[:3], "Not applied"])


def test_staff_number_that_no_page_can_show_is_unknown(
    engineer: Engineer, entries: list[dict[str, Any]]
) -> None:
    answer = read_in(export_of(engineer, entries, changed={"engineer": "E-\ud800"}))

    assert (answer.status_code, "No engineer has the staff number ?." in answer.content.decode()) == (
        400,
        True,
    )


def test_picture_without_an_id_of_an_entry_without_one_is_no_500(
    engineer: Engineer, entries: list[dict[str, Any]]
) -> None:
    whole = export_of(engineer, entries[:3])
    nameless = entry("photo_taken", entries[0]["job"], {})
    whole = export_of(
        engineer,
        entries[:3],
        changed={"entries": [{"entry": written} for written in [*entries[:3], nameless]]},
    )
    whole["photos"] = [{"bytes": "AAAA"}]

    assert outcomes(read_in(whole)) == ["Applied", "Applied", "Applied", "Not applied", "Not stored"]


@pytest.mark.parametrize("moment", ENDS_OF_THE_CALENDAR)
def test_entry_at_the_end_of_the_calendar_does_not_affect_the_others(
    engineer: Engineer, entries: list[dict[str, Any]], moment: str
) -> None:
    strange = {
        **entry("answered", entries[0]["job"], {"question": "SAF01", "value": "no"}),
        "occurred_at": moment,
    }

    answer = read_in(export_of(engineer, [*entries[:2], strange]))

    assert (answer.status_code, outcomes(answer)) == (200, ["Applied", "Applied", "Not applied"])
    assert page_of(answer).lines[-1].occurred_at is None


@pytest.mark.parametrize("moment", ENDS_OF_THE_CALENDAR)
def test_entry_at_the_end_of_the_calendar_is_previewed(
    engineer: Engineer, entries: list[dict[str, Any]], moment: str
) -> None:
    answer = read_in(unsigned(engineer, [{**entries[0], "occurred_at": moment}]), supervisor())

    assert (answer.status_code, outcomes(answer)) == (400, ["Not imported yet"])


@pytest.mark.parametrize("moment", ENDS_OF_THE_CALENDAR)
def test_file_of_the_end_of_the_calendar_is_damaged(
    engineer: Engineer, entries: list[dict[str, Any]], moment: str
) -> None:
    answer = read_in(export_of(engineer, entries, changed={"made_at": moment}))

    assert (answer.status_code, "damaged" in answer.content.decode()) == (400, True)
    assert not AuditEntry.objects.filter(action="offline_export_imported").exists()


def test_file_of_a_phone_that_begins_with_1970_is_applied(
    engineer: Engineer, entries: list[dict[str, Any]]
) -> None:
    moment = "1970-01-01T00:05:00Z"
    lost = [{**each, "occurred_at": moment} for each in entries]
    lost[-1]["body"]["taken_at"] = moment

    answer = read_in(export_of(engineer, lost, changed={"made_at": moment}))

    assert (answer.status_code, outcomes(answer)) == (200, [*APPLIED, "Stored"])


@pytest.mark.parametrize("is_inside", [False, True])
def test_file_that_would_fill_the_memory_is_not_parsed(engineer: Engineer, is_inside: bool) -> None:
    """A hundred megabytes of empty lists took two and a half gigabytes."""
    many = f"[{'[],' * MOST_VALUES}[]]"
    # in a text each sign may be written as another one
    whole = {"format": FORMAT, "signed": many, "photos": []} if is_inside else {}
    raw = json.dumps(whole).replace("[],", "\\u005b\\u005d\\u002c").encode() if is_inside else many.encode()
    tracemalloc.start()
    with pytest.raises(UnreadableExport, match="not an export file"):
        read_export(raw)
    assert tracemalloc.get_traced_memory()[1] < 2 * len(raw) + MOST_VALUES * 10
    tracemalloc.stop()


def test_audit_of_an_unsigned_entry_names_its_message(
    engineer: Engineer, entries: list[dict[str, Any]]
) -> None:
    strange = {**entry("en_route", entries[0]["job"], {"position": POSITION}), "message_id": 7}
    read_in(unsigned(engineer, [*entries, strange]), supervisor(), reason="Old phone, asked Erin")

    lines = AuditEntry.objects.filter(action="unsigned_entry_imported").order_by("pk")
    assert [line.after["entry"]["message_id"] for line in lines] == [
        *(written["message_id"] for written in entries),
        7,
    ]
