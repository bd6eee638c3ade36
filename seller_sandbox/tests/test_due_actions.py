"""What falls due by the sandbox's clock is done once, in order of time and at its own time, however far it is moved."""

import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from seller_sandbox import clock, due_actions
from seller_sandbox.due_actions import UnknownAction, due_action, run_due, schedule
from seller_sandbox.models import DueAction, Heartbeat
from seller_sandbox.tests import due_action_examples
from seller_sandbox.tests.processes import REPOSITORY, environment_of_processes

pytestmark = [pytest.mark.django_db, pytest.mark.locks]
HOUR = 3600
# a process of its own that does what is due
RUN_DUE = (
    "import os, pathlib, sys, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'seller_sandbox.settings';"
    "django.setup(); from seller_sandbox.tests.due_action_examples import run_together;"
    "run_together(pathlib.Path(sys.argv[1]), processes=2)"
)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return tmp_path / "notes.txt"


def lines_of(notes: Path) -> list[tuple[str, str]]:
    return [tuple(line.rsplit(" ", 1)) for line in due_action_examples.lines(str(notes))]


def note_in(notes: Path, *, hours: float, text: str) -> datetime:
    at = clock.now() + timedelta(hours=hours)
    schedule("tests.note", at=at, subject=str(notes), text=text)
    return at


def test_long_step_runs_everything_in_order_and_at_its_own_time(notes: Path) -> None:
    expected = {
        text: note_in(notes, hours=hours, text=text) for text, hours in [("c", 30), ("a", 1), ("b", 2)]
    }

    end = clock.move(seconds=48 * HOUR)

    assert lines_of(notes) == [(text, expected[text].isoformat()) for text in "abc"]
    assert abs(end - timezone.now() - timedelta(hours=48)) < timedelta(seconds=5)
    assert DueAction.objects.open().count() == 0


def test_actions_of_one_moment_run_as_they_were_scheduled(notes: Path) -> None:
    at = clock.now() + timedelta(hours=1)
    for text in "abc":
        schedule("tests.note", at=at, subject=str(notes), text=text)

    clock.move(seconds=HOUR)

    assert [text for text, _ in lines_of(notes)] == ["a", "b", "c"]


def test_what_an_action_schedules_falls_due_inside_the_same_step(notes: Path) -> None:
    start = clock.now()
    schedule("tests.follow_up", at=start + timedelta(hours=1), subject=str(notes), hours=[2, 4])
    between = note_in(notes, hours=4, text="between")

    clock.move(seconds=24 * HOUR)

    times = [start + timedelta(hours=hours) for hours in (1, 3, 7)]
    assert lines_of(notes) == [
        ("follow-up", times[0].isoformat()),
        ("follow-up", times[1].isoformat()),
        ("between", between.isoformat()),
        ("follow-up", times[2].isoformat()),
    ]


def test_what_is_not_due_yet_waits(notes: Path) -> None:
    note_in(notes, hours=2, text="later")

    clock.move(seconds=HOUR)
    assert lines_of(notes) == []
    clock.move(seconds=HOUR)
    assert [text for text, _ in lines_of(notes)] == ["later"]


def test_time_that_has_passed_means_now(notes: Path) -> None:
    before = clock.now()
    action = schedule("tests.note", at=before - timedelta(days=1), subject=str(notes), text="now")

    assert action.due_at >= before
    assert run_due() == 1


def test_failing_action_changes_nothing_and_blocks_no_other(notes: Path) -> None:
    start = clock.now() + timedelta(hours=1)
    until = (start + timedelta(minutes=10)).isoformat()
    schedule("tests.fail", at=start, subject=str(notes), until=until)
    note_in(notes, hours=1.01, text="other")

    clock.move(seconds=HOUR)
    failed = DueAction.objects.open().get(name="tests.fail")
    assert (failed.attempts, failed.error) == (1, "RuntimeError: not yet")
    assert failed.due_at == start + timedelta(minutes=1)
    assert Heartbeat.objects.count() == 0

    clock.move(seconds=HOUR)

    # after 1, 3, 7 and 15 minutes
    assert lines_of(notes)[1] == ("at last", (start + timedelta(minutes=15)).isoformat())
    assert [text for text, _ in lines_of(notes)] == ["other", "at last"]
    assert Heartbeat.objects.count() == 1


def test_action_that_always_fails_does_not_fill_a_year(notes: Path) -> None:
    schedule("tests.fail", at=clock.now(), subject=str(notes), until="2999-01-01T00:00:00+00:00")

    clock.move(seconds=365 * 24 * HOUR)

    assert DueAction.objects.get().attempts < 400


def test_long_step_with_many_actions_keeps_order_and_failures_apart(notes: Path) -> None:
    start = clock.now()
    for number in range(130):
        at = start + timedelta(minutes=number)
        name = "tests.fail" if number % 40 == 7 else "tests.note"
        more = {"until": "2999-01-01T00:00:00+00:00"} if name == "tests.fail" else {"text": f"{number:03d}"}
        schedule(name, at=at, subject=str(notes), **more)

    clock.move(seconds=130 * 60)

    expected = [f"{number:03d}" for number in range(130) if number % 40 != 7]
    assert [text for text, _ in lines_of(notes)] == expected
    assert set(DueAction.objects.open().values_list("name", flat=True)) == {"tests.fail"}
    assert Heartbeat.objects.count() == 0


def test_action_cancelled_by_one_before_it_in_the_same_transaction_is_not_done(notes: Path) -> None:
    start = clock.now()
    schedule("tests.cancel_notes", at=start + timedelta(minutes=1), subject=str(notes))
    for hours in (1, 2):
        note_in(notes, hours=hours, text="taken back")

    clock.move(seconds=3 * HOUR)

    assert lines_of(notes) == []
    assert DueAction.objects.filter(name="tests.note", cancelled_at=None).count() == 0


def test_cancelled_action_is_not_done(notes: Path) -> None:
    note_in(notes, hours=1, text="mine")
    other = notes.with_name("other.txt")
    note_in(other, hours=1, text="other")
    assert due_actions.is_scheduled("tests.note", subject=str(notes))

    assert due_actions.cancel("tests.note", subject=str(notes)) == 1

    assert not due_actions.is_scheduled("tests.note", subject=str(notes))
    assert due_actions.cancel("tests.note", subject=str(notes)) == 0
    clock.move(seconds=2 * HOUR)
    assert lines_of(notes) == []
    assert len(lines_of(other)) == 1
    assert not due_actions.is_scheduled("tests.note", subject=str(other))


def test_limit_stops_after_so_many(notes: Path) -> None:
    for text in "abc":
        note_in(notes, hours=0, text=text)

    assert run_due(limit=2) == 2
    assert run_due(limit=0) == 0
    assert run_due() == 1
    assert run_due() == 0


def test_unknown_name_is_refused_at_once() -> None:
    with pytest.raises(UnknownAction, match=r"no due action 'tests\.nothing'; known are .*tests\.note"):
        schedule("tests.nothing", at=clock.now(), subject="x")


def test_one_name_has_one_function() -> None:
    with pytest.raises(ValueError, match=r"two due actions are named tests\.note"):
        due_action("tests.note")(due_action_examples.note)


def test_now_can_be_set_for_a_block() -> None:
    moment = clock.now() + timedelta(days=3)

    with clock.at(moment):
        assert clock.now() == moment
    assert clock.now() < moment


@pytest.mark.django_db(transaction=True)
def test_two_processes_at_once_do_each_action_once_and_in_order(notes: Path) -> None:
    numbers = [f"{number:03d}" for number in range(80)]
    start = clock.now() - timedelta(hours=1)
    for number in reversed(numbers):
        action = schedule("tests.note_slowly", at=start, subject=str(notes), text=number)
        DueAction.objects.filter(pk=action.pk).update(due_at=start + timedelta(seconds=int(number)))

    command = [sys.executable, "-c", RUN_DUE, str(notes.parent)]
    processes = [subprocess.Popen(command, cwd=REPOSITORY, env=environment_of_processes()) for _ in range(2)]

    assert [process.wait(timeout=60) for process in processes] == [0, 0]
    assert [text for text, _ in lines_of(notes)] == numbers
    assert len({process for _, process in lines_of(notes)}) == 2
