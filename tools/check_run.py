"""How `make test` plays its steps: the small ones two at a time, each with its output in one piece, and a summary."""

import os
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
# two small steps side by side keep two cores busy: one computes while the other waits for a process or its last test
LANES = 2
# many times what a slow machine needs for a step that does not fill it: one that hangs fails with its name
LONGEST_SMALL_STEP_SECONDS = 1800.0


def no_reason() -> str:
    return ""


@dataclass(frozen=True)
class Step:
    """One command; `missing` says why it cannot run here, or nothing.

    `fills_machine`: its own workers keep the cores busy. Two of these at a time take longer than one after the other
    (docs/numbers.md): who waits for a page or a process looks again and again, and running systems idle for longer.
    Each of its tests has a time limit; every other step has `limit_seconds`.
    """

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    missing: Callable[[], str] = no_reason
    fills_machine: bool = False
    limit_seconds: float = LONGEST_SMALL_STEP_SECONDS


@dataclass(frozen=True)
class Outcome:
    step: Step
    verdict: str
    seconds: float = 0
    reason: str = ""
    skipped_tests: list[str] = field(default_factory=list)


class Runner:
    """Plays steps in `folder`, which is empty."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.printing = threading.Lock()

    def run_all(self, steps: list[Step]) -> list[Outcome]:
        """In their order, two at a time where they do not fill the machine; a step on its own prints as it goes."""
        if len(steps) == 1:
            return [self._run(steps[0], output=None)]
        outcomes: list[Outcome] = []
        for fills_machine, group in groupby(enumerate(steps), lambda numbered: numbered[1].fills_machine):
            outcomes += self._run_in_lanes([*group], number=1 if fills_machine else LANES)
        return outcomes

    def _run_in_lanes(self, steps: list[tuple[int, Step]], *, number: int) -> list[Outcome]:
        lanes = ThreadPoolExecutor(number)
        try:
            return list(lanes.map(self._run_and_print, steps))
        finally:
            # Ctrl-C reaches the commands by themselves; those that have not begun must not
            lanes.shutdown(cancel_futures=True)

    def _run_and_print(self, numbered: tuple[int, Step]) -> Outcome:
        number, step = numbered
        self._print(f"--- begins: {step.name}")
        path = self.folder / f"output-{number}"
        outcome = self._run(step, output=path)
        text = path.read_text(errors="replace") if path.exists() else ""
        self._print(f"\n=== {step.name}: {outcome.verdict} after {outcome.seconds:.0f} s\n{text}")
        return outcome

    def _run(self, step: Step, *, output: Path | None) -> Outcome:
        reason = step.missing()
        if reason:
            self._print(f"SKIPPED: {step.name}: {reason}")
            return Outcome(step, "SKIPPED", reason=reason)
        report = self.folder / f"report-{step.name.replace(' ', '-')}.xml"
        command = [*step.command, "--junitxml", str(report)] if "pytest" in step.command else step.command
        started = time.monotonic()
        reason = ""
        try:
            code = self._call(replace(step, command=command), output)
        except subprocess.TimeoutExpired:
            reason, code = f"it did not end within {step.limit_seconds:.0f} s", 1
        outcome = Outcome(step, "passed" if code == 0 else "FAILED", time.monotonic() - started, reason)
        return replace(outcome, skipped_tests=skipped_tests(report))

    def _call(self, step: Step, output: Path | None) -> int:
        """Without `output` it prints as it goes, for somebody who watches it: without a limit."""
        environment = {**os.environ, "TMPDIR": str(self.folder), **step.environment}
        # or each worker and each process of a test compiles everything anew
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        call = partial(
            subprocess.run, step.command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, check=False
        )
        if output is None:
            return call().returncode
        limit = None if step.fills_machine else step.limit_seconds
        with output.open("wb") as file:
            return call(stdout=file, stderr=subprocess.STDOUT, timeout=limit).returncode

    def _print(self, text: str) -> None:
        with self.printing:
            print(text, flush=True)


def skipped_tests(report: Path) -> list[str]:
    """`test name: reason` of each test that pytest skipped."""
    if not report.exists():
        return []
    cases = ElementTree.parse(report).iter("testcase")
    return sorted(
        f"{case.get('name')}: {skip.get('message')}" for case in cases for skip in case.iter("skipped")
    )


def summarise(outcomes: list[Outcome], *, seconds: float) -> None:
    """`seconds`: how long all of them took, side by side."""
    print("\n=== Summary")
    for outcome in outcomes:
        detail = f"{outcome.seconds:6.1f} s" if not outcome.reason else outcome.reason
        print(f"  {outcome.verdict:8} {outcome.step.name:32} {detail}")
        for line in outcome.skipped_tests:
            print(f"           skipped {line}")
    failed = [outcome.step.name for outcome in outcomes if outcome.verdict == "FAILED"]
    skipped = [outcome.step.name for outcome in outcomes if outcome.verdict == "SKIPPED"]
    print(f"\n{len(outcomes) - len(failed) - len(skipped)} passed in {seconds:.0f} s", end="")
    tests = sum(len(outcome.skipped_tests) for outcome in outcomes)
    left_out = [*skipped, *([f"tests skipped in the others: {tests}"] if tests else [])]
    print(f"; SKIPPED: {', '.join(left_out)}" if left_out else "; nothing skipped", end="")
    print(f"; FAILED: {', '.join(failed)}" if failed else "")
