"""The runner of `make bench`: whatever a measurement does, the others go on and the file can be read."""

import json
import os
import subprocess
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from demo.environment import wait_until
from tests.bench.catalogue import MEASUREMENTS

ROOT = Path(__file__).resolve().parent.parent.parent


class Bench:
    """The samples, run as `make bench` is, with a file of their own."""

    def __init__(self, folder: Path) -> None:
        self.output, self.cleaned_up = folder / "var" / "bench.json", folder / "cleaned up"

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.tools.sample_bench", str(self.output), *arguments]
        environment = {**os.environ, "CLEANED_UP": str(self.cleaned_up)}
        return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)

    def run(self, *arguments: str) -> tuple[int, str]:
        process = self.start(*arguments)
        printed, _nothing = process.communicate(timeout=120)
        return process.returncode, printed

    def rows(self) -> list[dict[str, Any]]:
        return json.loads(self.output.read_text()) if self.output.exists() else []

    def rows_by_name(self) -> dict[str, str | float]:
        """Name → value, or the reason why there is none."""
        return {row["name"]: row["failed"] or row["value"] for row in self.rows()}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_measurement_that_fails_is_a_row_and_the_others_continue(bench: Bench) -> None:
    code, printed = bench.run()

    rows = bench.rows_by_name()
    assert rows.pop("process")
    assert rows.pop("raises").startswith("AssertionError at sample_bench.py:")
    assert rows == {
        "good on its own": 9,
        "before it raises": 1,
        "before it is killed": 1,
        "is_killed": "killed by SIGKILL",
        "never_ends": "it did not end in time",
        "shares on its own": 1,
        "shares_nothing on its own": 1,
        "good_too on its own": 1,
    }
    assert bench.cleaned_up.exists()
    assert "SKIPPED: absent: no such program" in printed
    assert [line.split()[1] for line in printed.splitlines() if line.startswith("is_killed ")] == ["failed"]
    assert "FAILED: is_killed, never_ends, raises" in printed
    assert code == 1


def test_the_reason_quotes_an_assertion_without_a_message(bench: Bench) -> None:
    bench.run("--only", "raises")

    assert bench.rows_by_name()["raises"].endswith(": assert tapped == []")


def test_a_quick_row_is_marked_and_not_compared_with_its_goal(bench: Bench) -> None:
    bench.run("--only", "good")
    code, printed = bench.run("--only", "good", "--quick")

    rows = [(row["measurement"], row["form"], row["value"], row["is_within_limit"]) for row in bench.rows()]
    assert rows == [
        ("good", "full", 9, False),
        ("good_too", "full", 1, True),
        ("good", "quick", 1, None),
        ("good_too", "quick", 1, None),
    ]
    assert [line for line in printed.splitlines() if "good on" in line and "quick" in line]
    assert code == 0


def test_rows_that_are_measured_again_are_replaced(bench: Bench) -> None:
    old = [{"name": "good on its own", "value": 1}, {"name": "x", "measurement": "x", "form": "full"}]
    bench.output.parent.mkdir()
    bench.output.write_text(json.dumps(old))

    bench.run("--only", "good_too")
    bench.run("--only", "good_too")

    assert [row["name"] for row in bench.rows()] == ["x", "good_too on its own"]


def test_quick_forms_share_a_system_and_fail_alone_when_it_does_not_start(bench: Bench) -> None:
    code, _printed = bench.run("--only", "shares", "--quick")

    reason = bench.rows_by_name().pop("shares_nothing")
    assert bench.rows_by_name()["shares on a shared one"] == 1
    assert reason.startswith("the system did not start: RuntimeError at sample_bench.py:")
    assert code == 1


def test_a_killed_run_leaves_the_rows_so_far_and_no_process(bench: Bench) -> None:
    with bench.start() as process:
        assert wait_until(lambda: "process" in bench.rows_by_name(), seconds=60)
        process.kill()

    measuring = int(bench.rows_by_name()["process"])
    assert {"good on its own", "is_killed", "process"} <= bench.rows_by_name().keys()
    assert wait_until(lambda: not Path(f"/proc/{measuring}").exists(), seconds=20)
    assert bench.cleaned_up.exists()


def test_each_measurement_has_a_name_of_its_own() -> None:
    names = [measurement.name for measurement in MEASUREMENTS]

    assert sorted(set(names)) == sorted(names)


def test_measurements_that_share_a_system_are_neighbours() -> None:
    groups = [
        shared
        for shared, _group in groupby(MEASUREMENTS, key=lambda measurement: measurement.shared)
        if shared
    ]

    assert len(groups) == len(set(groups)) > 1
