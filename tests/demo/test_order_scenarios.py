"""Scenarios of orders: what is in the data, how sequences are compared, and two of them played for real."""

import inspect
import re
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from demo.environment import BASE_DIR
from demo.order_scenarios import envelopes
from demo.order_scenarios.moved_clock import MovedClock, is_clock_movable
from demo.order_scenarios.scenarios import load_scenarios
from demo.order_scenarios.sequence import Line, NotALine, differences, parse_lines
from demo.order_scenarios.steps import STEPS

FEWEST = 20
# of each situation of the sandbox's test premises (seller_sandbox/README.md)
COPIES = 20
needs_moved_clock = pytest.mark.skipif(not is_clock_movable(), reason="libfaketime is not installed")

ORDER = Line("A", "seller", "order")
PENDING = Line("seller", "A", "pending")
JOB = Line("seller", "partner", "createJob")
CEASE = Line("seller", "B", "unsolicitedCeaseRequest", "cease")


def test_every_scenario_can_be_played() -> None:
    scenarios = load_scenarios()

    assert len(scenarios) >= FEWEST
    for scenario in scenarios.values():
        assert scenario.expected, scenario.name
        for step in scenario.steps:
            inspect.signature(STEPS[step.name]).bind(None, **step.options)


def test_each_step_is_in_the_table_of_the_page() -> None:
    text = (BASE_DIR / "demo" / "order_scenarios" / "README.md").read_text()
    rows = text.partition("\n| step |")[2].partition("\n\n")[0].splitlines()[2:]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row.split(" | ")[0])]

    assert sorted(named) == sorted(STEPS)


def test_each_scenario_has_premises_of_its_own() -> None:
    used = Counter(scenario.situation for scenario in load_scenarios().values())

    assert max(used.values()) <= COPIES, used


def test_list_names_every_scenario() -> None:
    written = StringIO()

    call_command("scenario", "--list", stdout=written)

    assert [line.split()[0] for line in written.getvalue().splitlines()[1:]] == list(load_scenarios())


@pytest.mark.parametrize(
    ("names", "message"), [(["plain_instal"], "no scenario plain_instal"), ([], "Name a scenario")]
)
def test_wrong_names_are_refused(names: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("scenario", *names)


def test_lines_are_read_as_they_are_printed() -> None:
    lines = [ORDER, PENDING, JOB, CEASE]

    assert parse_lines("\n".join(str(line) for line in lines)) == lines
    with pytest.raises(NotALine, match="order by A"):
        parse_lines("order by A")


def test_messages_of_different_pairs_go_at_the_same_time() -> None:
    assert differences([ORDER, PENDING, JOB], [ORDER, JOB, PENDING]) == []
    assert differences([PENDING, JOB, CEASE], [PENDING, JOB])[-1].endswith("cease: unsolicitedCeaseRequest")
    committed = Line("seller", "A", "committed")
    assert differences([PENDING, committed], [committed, PENDING])


def test_envelopes_leave_out_what_is_empty() -> None:
    content = envelopes.write("orderRequest", {"a": "", "b": {"c": True, "ext:d": ["x", "y"]}, "e": None})

    message = envelopes.read(content)
    assert (message.name, message.children()) == ("orderRequest", ["b"])
    assert message.has("c")
    assert [part.text("d") for part in message.parts("d")] == ["x", "y"]
    with pytest.raises(ValueError, match="not XML"):
        envelopes.read(b"<half")


def test_clock_file_holds_the_offset_of_the_sandbox(tmp_path: Path) -> None:
    clock = MovedClock(tmp_path / "clock")

    clock.follow(datetime(2099, 1, 1, 12, tzinfo=UTC))

    assert int(clock.file.read_text()) == clock.offset.total_seconds()
    assert abs((clock.now() - datetime(2099, 1, 1, 12, tzinfo=UTC)).total_seconds()) < 5


WAITS = """
import queue, subprocess, sys, threading, time
started, wall = time.monotonic(), time.time()
time.sleep(0.2)
threading.Event().wait(0.2)
subprocess.run([sys.executable, "-c", "pass"], timeout=20)
try:
    queue.Queue().get(timeout=0.2)
except queue.Empty:
    pass
print(int(wall), time.monotonic() - started)
"""


@needs_moved_clock
def test_waits_are_right_in_a_process_under_the_moved_clock(tmp_path: Path) -> None:
    clock = MovedClock(tmp_path / "clock")
    clock.follow(datetime(2099, 1, 1, 12, tzinfo=UTC))

    done = subprocess.run(
        [sys.executable, "-c", WAITS],
        check=False,
        env=clock.environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr
    wall, waited = done.stdout.split()
    assert abs(int(wall) - clock.now().timestamp()) < 60
    assert float(waited) > 0.6


@needs_moved_clock
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_scenarios_go_as_expected_over_the_wire(tmp_path: Path) -> None:
    """One with a visit, one that the clock completes and two of faults; `manage.py scenario --all` plays every one."""
    done = subprocess.run(
        [
            sys.executable,
            "manage.py",
            "scenario",
            "plain_install",
            "remote_activation",
            "fault_dying_gasp",
            "fault_closed_by_silence",
            f"--folder={tmp_path}/s",
        ],
        check=False,
        cwd=BASE_DIR,
        capture_output=True,
        text=True,
        timeout=580,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 scenarios, each as expected" in done.stdout
