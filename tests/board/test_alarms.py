"""Alarms: counted everywhere, said on the board, each with what to do, and the old ones below."""

import re

import pytest

from board.alarms.presenters import ALARM_TEXTS
from monitoring import alarms
from monitoring.alarms import AlarmKind
from tests.board.office import signed_in
from tests.conventions.sources import ROOT

pytestmark = pytest.mark.django_db


def test_open_alarm_is_counted_and_said_on_the_board() -> None:
    alarms.raise_alarm(AlarmKind.SELLER_UNREACHABLE, "https://a", "No answer since 08:00.")

    board = signed_in().get("/board/").content.decode()

    assert "1 open</span>" in board
    assert "The seller cannot be reached" in board


def test_page_says_what_to_do_and_keeps_what_is_over() -> None:
    alarms.raise_alarm(AlarmKind.MESSAGE_HELD, "J-1", "Refused: 400.")
    alarms.raise_alarm(AlarmKind.CLOCK_DIFFERS, "seller", "90 s apart.")
    alarms.clear_alarm(AlarmKind.CLOCK_DIFFERS, "seller")

    page = signed_in().get("/board/alarms/").context["page"]

    assert [(line.subject, line.words, bool(line.what_to_do)) for line in page.opened] == [
        ("J-1", "Refused: 400.", True)
    ]
    assert [line.title for line in page.cleared] == ["Our clock and the seller's differ"]


def test_no_alarm_is_said_kindly() -> None:
    page = signed_in().get("/board/alarms/").content.decode()

    assert "No alarm is open" in page
    assert "open</span>" not in page


def test_board_hears_of_an_alarm_without_a_reload() -> None:
    client = signed_in()
    before = client.get("/board/version").json()["version"]

    alarms.raise_alarm(AlarmKind.PROCESS_STUCK, "worker", "It does nothing.")
    raised = client.get("/board/version").json()["version"]
    alarms.clear_alarm(AlarmKind.PROCESS_STUCK, "worker")
    alarms.raise_alarm(AlarmKind.PROCESS_STUCK, "relay", "It does nothing.")
    another = client.get("/board/version").json()["version"]

    assert len({version.split(".")[1] for version in (before, raised, another)}) == 3


@pytest.mark.parametrize("kind", AlarmKind)
def test_every_alarm_has_its_words_and_its_row_in_the_handbook(kind: AlarmKind) -> None:
    rows = re.findall(r"^\| `([a-z_]+)` \|", (ROOT / "docs" / "operating.md").read_text(), re.M)

    assert kind in ALARM_TEXTS
    assert rows.count(kind) == 1
