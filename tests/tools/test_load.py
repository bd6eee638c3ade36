"""What a load test counts: waits, processes by part, and what gave way."""

import os
import subprocess
import sys
from random import Random
from typing import Any

import pytest
from django.conf import settings

from demo.rehearsal.app_client import HttpSession
from tests import make
from tests.config.test_web import Web, web  # noqa: F401  # a fixture
from tests.load.figures import Used, Waits, cores_used, percentile, used_by_part
from tests.load.phones import Phone
from tests.load.run import Level
from tests.phone.phone import Phone as SignedIn
from tools.load import missed_goals, wanted_levels

BUSY = "import sys\nwhile True:\n    sys.stdin.readline() or sys.exit()  # tests.load.generator"


def level(**changes: Any) -> Level:
    usual: dict[str, Any] = {
        "phones": 100,
        "boards": 7,
        "seconds": 60,
        "milliseconds": {"tap": 80.0, "board action": 120.0},
        "answers": {"tap": 500},
        "failures": {},
        "cores": {"web": 0.9, "PostgreSQL": 0.2},
        "megabytes": {"web": [400.0, 401.0, 402.0]},
        "late_seconds": 0.1,
        "refused": 0,
        "unchanged": 0,
        "unsent": 3,
    }
    return Level(**{**usual, **changes})


def test_percentile_is_what_99_of_100_do_not_exceed() -> None:
    assert percentile([float(number) for number in range(100)], 0.99) == 99
    assert percentile([5.0], 0.99) == 5
    assert percentile([], 0.99) == 0


def test_level_within_its_goals_did_not_give_way() -> None:
    assert level().gave_way == ""


def test_slow_tap_gives_way_and_names_the_busiest_part() -> None:
    text = level(milliseconds={"tap": 301.0, "board action": 120.0}).gave_way
    assert text.startswith("a tap took 301 ms; busiest: web with 0.90 of 1.10 cores used")


def test_slow_board_failed_answer_and_waiting_messages_give_way() -> None:
    assert "board action took 501 ms" in level(milliseconds={"board action": 501.0}).gave_way
    assert "2 requests failed" in level(failures={"tap: 500": 2}).gave_way
    assert "1000 messages wait" in level(unsent=1000).gave_way


def test_memory_growth_is_by_the_hour() -> None:
    # a megabyte every ten seconds
    assert round(level().megabytes_per_hour("web")) == 360


def test_goals_of_600_phones_are_missed_by_them_or_fewer_and_by_no_more() -> None:
    slow = {"tap": 301.0}
    held, missed = level(phones=600), level(phones=600, milliseconds=slow)
    assert missed_goals([held, level(phones=900, milliseconds=slow)], soaked=False) == []
    assert [text.partition(";")[0] for text in missed_goals([missed], soaked=False)] == [
        "600 phones: a tap took 301 ms"
    ]
    assert len(missed_goals([level(phones=100, failures={"tap: 500": 1})], soaked=False)) == 1


def test_soak_is_that_of_600_phones_and_fails_when_memory_grows() -> None:
    # 0.05 and 0.06 MB in ten seconds are 18 and 21.6 MB an hour
    flat, steep = ({"web": [400.0, 400 + step, 400 + 2 * step]} for step in (0.05, 0.06))
    assert missed_goals([level(megabytes=flat)], soaked=True) == []
    assert missed_goals([level(megabytes=steep)], soaked=True) == [
        "the web processes grew by 21.6 MB an hour, at most 20 are allowed"
    ]
    assert missed_goals([level(megabytes=steep)], soaked=False) == []
    assert wanted_levels(None, soaked=True) == [600]
    assert wanted_levels([900, 300], soaked=True) == [300]


def test_levels_begin_with_the_smallest_company() -> None:
    assert wanted_levels([600, 100], soaked=False) == [100, 600]
    assert 600 in wanted_levels(None, soaked=False)


def test_own_processes_are_counted_by_part_and_no_others() -> None:
    process = subprocess.Popen([sys.executable, "-c", BUSY], stdin=subprocess.PIPE)
    try:
        used = used_by_part("no_such_database")
    finally:
        process.communicate()
    assert used["generators"].megabytes > 1
    assert "web" not in used or os.environ.get("PYTEST_XDIST_WORKER")


def test_cores_are_seconds_a_second_the_busiest_first() -> None:
    before, after = {"web": Used(10, 0)}, {"relay": Used(1, 0), "web": Used(14, 0)}
    assert cores_used(before, after, seconds=4) == {"web": 1.0, "relay": 0.25}
    assert list(cores_used(before, after, seconds=4)) == ["web", "relay"]


def test_waits_are_taken_once() -> None:
    waits = Waits()
    waits.note("tap", 0.2)
    waits.fail("tap", "500")
    assert waits.take() == {"seconds": {"tap": [0.2]}, "failures": {"tap: 500": 1}}
    assert waits.take() == {"seconds": {}, "failures": {}}


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_phone_names_the_day_that_it_has(web: Web) -> None:  # noqa: F811
    """The web server writes `etag`: a phone that looks for `ETag` only asks for its whole day each time."""
    name = settings.SESSION_COOKIE_NAME
    cookies = {name: SignedIn(make.engineer()).client.cookies[name].value}
    cookies[settings.CSRF_COOKIE_NAME] = "a" * 32
    browser = HttpSession(f"http://127.0.0.1:{web.port}", cookies=cookies)
    asked: list[str] = []

    def timed(kind: str, request: Any) -> Any:
        asked.append(kind)
        return request()

    phone = Phone(browser, browser, timed, lambda *_, **__: None, lambda _job: None, Random(1))
    phone.ask_for_day()
    phone.ask_for_day()

    assert (asked, phone.unchanged) == (["day", "day"], 1)
