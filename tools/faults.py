"""`make faults`: everything that can fail does, and the seller's record and ours agree in the end.

Each scenario runs in a process of its own with a database of its own. `--short` is the form for every CI run;
`--only WORDS` plays the scenarios whose name contains them; `--messages N` and `--minutes M` say how long those are
that carry a number of messages or last a time. The table is also written to var/faults.json.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

import django

from demo.text_table import table
from tools.check import postgresql_missing
from tools.check_run import ROOT

OUTPUT = ROOT / "var" / "faults.json"
SHORT_SECONDS, LONG_SECONDS = 600, 7200


@dataclass(frozen=True)
class Played:
    """One line of the table."""

    scenario: str
    database: str
    verdict: str
    seconds: float
    summary: str
    wrong: list[str]


def catalogue() -> dict[str, Any]:
    """The scenarios by name; they import our models, so Django comes first."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.environment")
    django.setup()
    found: dict[str, Any] = import_module("tests.faults.catalogue").SCENARIOS
    return found


def play(name: str, database: str, *, form: list[str], seconds: int) -> Played:
    """`form` goes to tests.faults.run; a scenario that does not end in `seconds` has failed."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fibre-faults-") as folder:
        arguments = [name, "--database", database, "--folder", folder, *form]
        command = [sys.executable, "-m", "tests.faults.run", *arguments]
        environment = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
        verdict = _verdict(command, environment, seconds=seconds)
    verdict_text = "FAILED" if verdict["wrong"] else "held"
    return Played(
        name,
        database,
        verdict_text,
        round(time.monotonic() - started, 1),
        verdict["summary"],
        verdict["wrong"],
    )


def _verdict(command: list[str], environment: dict[str, str], *, seconds: int) -> dict[str, Any]:
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=seconds, check=False
        )
        verdict: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        return {"summary": "", "wrong": [f"it did not end within {seconds} s"]}
    except (IndexError, ValueError):
        return {"summary": "", "wrong": done.stderr.splitlines()[-4:] or [f"ended with {done.returncode}"]}
    return verdict


def form_of(wanted: argparse.Namespace) -> list[str]:
    options = {"--seed": wanted.seed, "--messages": wanted.messages, "--minutes": wanted.minutes}
    return [
        *(["--short"] if wanted.short else []),
        *(text for option in options.items() for text in map(str, option)),
    ]


def played(wanted: argparse.Namespace) -> Iterator[Played]:
    """The most telling come first, so that a run that is bounded by `--seconds` has seen those."""
    without_postgresql, end = postgresql_missing(), time.monotonic() + wanted.seconds
    for scenario in catalogue().values():
        for database in scenario.databases:
            name = f"{scenario.name}, {database}"
            if wanted.only not in name or (wanted.short and not scenario.in_short):
                continue
            missing = scenario.missing() or (without_postgresql if database == "postgresql" else "")
            if time.monotonic() > end:
                missing = missing or f"no time left of {wanted.seconds:g} s"
            print(f"{name} ... ", end="", flush=True)
            if missing:
                result = Played(scenario.name, database, "SKIPPED", 0, missing, [])
            else:
                seconds = SHORT_SECONDS if wanted.short else LONG_SECONDS
                result = play(scenario.name, database, form=form_of(wanted), seconds=seconds)
            print(f"{result.verdict} {result.seconds:g} s {result.summary}", flush=True)
            for sentence in result.wrong[:10]:
                print(f"    {sentence}", flush=True)
            yield result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="the form for every CI run")
    parser.add_argument("--only", default="", help="play the scenarios whose name or database contains this")
    parser.add_argument("--seed", type=int, default=20261121, help="another day's chances")
    parser.add_argument(
        "--messages", type=int, default=0, help="as many as these in scenarios that count them"
    )
    parser.add_argument(
        "--minutes", type=float, default=0, help="as long as this in scenarios that last a time"
    )
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="begin no scenario after this time"
    )
    wanted = parser.parse_args()
    found = list(played(wanted))
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    OUTPUT.write_text(json.dumps([asdict(result) for result in found], indent=2, ensure_ascii=False) + "\n")
    rows = [
        (result.scenario, result.database, result.verdict, f"{result.seconds:.0f} s", result.summary)
        for result in found
    ]
    print(f"\n{table(('scenario', 'database', 'verdict', 'time', 'what was done'), rows)}")
    failed = [result for result in found if result.verdict == "FAILED"]
    left_out = sum(result.verdict == "SKIPPED" for result in found)
    print(f"\n{len(found) - left_out} played, {left_out} skipped, {len(failed)} failed, seed {wanted.seed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
