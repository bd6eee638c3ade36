"""How `make test` plays its steps."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tools.check_run import Runner, Step, summarise


def step(name: str, code: str) -> Step:
    return Step(name, [sys.executable, "-c", code])


def verdicts(folder: Path, *steps: Step) -> list[str]:
    return [outcome.verdict for outcome in Runner(folder).run_all([*steps])]


def test_exit_code_decides(tmp_path: Path) -> None:
    missing = Step("third", ["no-such-command"], missing=lambda: "not installed")

    assert verdicts(tmp_path, step("first", ""), step("second", "raise SystemExit(3)"), missing) == [
        "passed",
        "FAILED",
        "SKIPPED",
    ]


def test_step_that_hangs_fails_with_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hanging = replace(
        step("hangs", "import time; print('begun', flush=True); time.sleep(60)"), limit_seconds=1
    )
    outcomes = Runner(tmp_path).run_all([hanging, step("other", "")])

    summarise(outcomes, seconds=1)

    assert [outcome.verdict for outcome in outcomes] == ["FAILED", "passed"]
    printed = capsys.readouterr().out
    assert "begun" in printed
    assert "hangs                            it did not end within 1 s" in printed


def test_two_steps_run_side_by_side(tmp_path: Path) -> None:
    meet = """
import time
from pathlib import Path
Path({own!r}).touch()
while not Path({other!r}).exists():
    time.sleep(0.01)
"""
    left, right = str(tmp_path / "left"), str(tmp_path / "right")

    assert verdicts(
        tmp_path,
        step("left", meet.format(own=left, other=right)),
        step("right", meet.format(own=right, other=left)),
    ) == ["passed", "passed"]


def test_step_that_fills_the_machine_runs_alone(tmp_path: Path) -> None:
    alone = f"""
import time
from pathlib import Path
Path({str(tmp_path / "running")!r}).touch(exist_ok=False)
time.sleep(0.2)
Path({str(tmp_path / "running")!r}).unlink()
"""
    small = [step("first", alone), step("last", alone)]
    filling = [
        replace(step(name, code), fills_machine=True)
        for name, code in (("second", f"{alone}raise SystemExit(1)"), ("third", alone))
    ]

    assert verdicts(tmp_path, small[0], *filling, small[1]) == ["passed", "FAILED", "passed", "passed"]


def test_output_of_each_step_is_in_one_piece(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    verdicts(tmp_path, step("first", "print('a'); print('b')"), step("second", "print('c'); print('d')"))

    printed = capfd.readouterr().out
    assert "a\nb\n" in printed
    assert "c\nd\n" in printed


def test_step_on_its_own_prints_as_it_goes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    verdicts(tmp_path, step("only", "print('now')"))

    assert capfd.readouterr().out == "now\n"


def test_steps_write_bytecode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")

    assert verdicts(tmp_path, step("only", "import sys; sys.exit(sys.dont_write_bytecode)")) == ["passed"]


def test_skipped_tests_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "test_it.py").write_text("import pytest\n@pytest.mark.skip('no time')\ndef test_it(): pass\n")
    options = ["-q", "-p", "no:django", "-c", "/dev/null", str(tmp_path / "test_it.py")]
    outcomes = Runner(tmp_path).run_all([Step("tests", [sys.executable, "-m", "pytest", *options])])

    summarise(outcomes, seconds=1)

    assert outcomes[0].skipped_tests == ["test_it: no time"]
    printed = capsys.readouterr().out
    assert "skipped test_it: no time" in printed
    assert "SKIPPED: tests skipped in the others: 1" in printed
    assert "nothing skipped" not in printed
