"""Alarms: counted everywhere, shown on the board, each with what to do, and the cleared ones below."""

import re
from datetime import UTC, datetime

import pytest
from django.utils import translation
from django.utils.html import escape

from board.alarms.alarm_links import ALARM_PAGES
from monitoring import alarms
from monitoring.alarm_kinds import ALARM_KINDS
from monitoring.coded_texts import coded_text
from monitoring.models import Alarm, AlarmKind
from tests import make
from tests.board.office import signed_in
from tests.conventions.sources import ROOT

pytestmark = pytest.mark.django_db


def test_open_alarm_is_counted_and_described_on_the_board() -> None:
    alarms.raise_alarm(
        AlarmKind.SELLER_UNREACHABLE, "https://a", coded_text("seller_unreachable", reason="no answer")
    )

    board = signed_in().get("/board/").content.decode()

    assert 'data-unhandled="1"' in board
    assert escape("The seller can't be reached") in board


def test_page_says_what_to_do_and_keeps_what_is_over() -> None:
    alarms.raise_alarm(
        AlarmKind.MESSAGE_HELD,
        "J-1",
        coded_text("message_held", address="1 Mill Lane, LS30 1AA", job="J-1", reason="400"),
    )
    alarms.raise_alarm(
        AlarmKind.CLOCK_DIFFERS, "seller", coded_text("clock_differs", url="https://a", difference_seconds=90)
    )
    alarms.clear_alarm(AlarmKind.CLOCK_DIFFERS, "seller")

    page = signed_in().get("/board/alarms/").context["page"]

    assert [(line.subject, line.text, bool(line.what_to_do)) for line in page.opened] == [
        (
            "J-1",
            "1 Mill Lane, LS30 1AA, job J-1: the seller's answer was “400”. Later messages for this job are waiting. "
            "Other jobs are not affected.",
            True,
        )
    ]
    assert [line.title for line in page.cleared] == ["Our clock and the seller's clock differ"]


def test_page_without_alarms_has_a_text() -> None:
    page = signed_in().get("/board/alarms/").content.decode()

    assert "Nothing needs your attention." in page
    assert "data-unhandled" not in page


def test_board_shows_a_new_alarm_without_a_reload() -> None:
    client = signed_in()
    before = client.get("/board/version").json()["version"]

    alarms.raise_alarm(AlarmKind.PROCESS_STUCK, "worker", coded_text("worker_not_starting"))
    raised = client.get("/board/version").json()["version"]
    alarms.clear_alarm(AlarmKind.PROCESS_STUCK, "worker")
    alarms.raise_alarm(AlarmKind.PROCESS_STUCK, "relay", coded_text("worker_not_starting"))
    another = client.get("/board/version").json()["version"]

    assert len({version.split(".")[1] for version in (before, raised, another)}) == 3


@pytest.mark.parametrize("kind", AlarmKind)
def test_every_kind_has_its_facts_its_page_and_its_row_in_the_handbook(kind: AlarmKind) -> None:
    rows = re.findall(r"^\| `([a-z_]+)` \|", (ROOT / "docs" / "operating.md").read_text(), re.M)

    assert kind in ALARM_KINDS
    assert kind in ALARM_PAGES
    assert rows.count(kind) == 1


def test_absent_engineer_leads_to_the_panel_that_reassigns() -> None:
    text = coded_text("engineer_absent", engineer="Erin Engineer", jobs=2)
    alarms.raise_alarm(AlarmKind.ENGINEER_ABSENT, "E 7", text)

    page = signed_in().get("/board/alarms/").content.decode()

    assert '<a href="/board/?engineer=E+7">Reassign on the board</a>' in page


def test_alarm_is_in_the_reader_s_language() -> None:
    """Raised by a process that speaks English; retention may have removed its parameters."""
    parts = {"process": "relay a 1", "since_at": datetime(2026, 7, 1, 6, 30, tzinfo=UTC)}
    alarms.raise_alarm(AlarmKind.PROCESS_STUCK, "relay a 1", coded_text("process_stuck", **parts))
    alarm = Alarm.objects.get()
    with translation.override("de"):
        german = str(alarms.text_of(alarm))
    assert german.startswith("Kein Lebenszeichen von relay a 1 seit Mi, 1. Jul, 07:30.")
    alarm.parameters = {}
    assert str(alarms.text_of(alarm)) == ""


def test_entries_are_named_the_same_on_every_page(django_assert_num_queries: object) -> None:
    client = signed_in()
    alarms.raise_alarm(
        AlarmKind.MESSAGE_HELD,
        "J-1",
        coded_text("message_held", address="1 Mill Lane, LS30 1AA", job="J-1", reason="400"),
    )
    alarms.raise_alarm(AlarmKind.SELLER_UNREACHABLE, "a", coded_text("seller_unreachable", reason="x"))
    held, unreachable = Alarm.objects.order_by("pk")
    alarms.acknowledge_alarm(unreachable, owner_id=make.office().user.pk)  # type: ignore[union-attr]

    # session, user, alarms, check-ins
    with django_assert_num_queries(4):
        answer = client.get("/board/alarms/entries").json()
    page = client.get("/board/messages/").content.decode()

    assert answer["entries"] == [f"alarm-{held.pk}"]
    assert f'data-attention="alarm-{held.pk}" data-version="{answer["version"]}"' in page
    assert page.count("data-attention-sound") == 1
