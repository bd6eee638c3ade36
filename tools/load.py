"""`make load`: phones, open boards and a seller on all production parts of this machine, until something gives way.

PostgreSQL, nginx, an S3 server, two web processes, the stream, a worker, a relay, and Redis where it runs. More and
more phones work at their usual rhythm (the day every 30 s, a tap every four minutes, photos) with their boards (one
for 15 phones), in a company that is as large as the level, until a 99th percentile or an answer misses its goal; it
names that level and what was busiest. `--soak MINUTES` works at one level instead, 600 phones and 40 boards unless
another is named, and says how the memory of each part grew. The levels are also written to var/load.json. The exit code
is 1 when a goal was missed with 600 phones and 40 boards or fewer (those of `make bench`, whose limit for the memory of
the web processes holds for a soak).
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.environment")
django.setup()

from demo.text_table import table  # noqa: E402
from tests.bench import load  # noqa: E402
from tests.load import installation  # noqa: E402
from tests.load.run import Level, Run, generating  # noqa: E402
from tools.check_run import ROOT  # noqa: E402

OUTPUT = ROOT / "var" / "load.json"
PHONES = (100, 200, 400, 600, 900, 1300, 1800, 2500)
PHONES_TO_A_BOARD = 15
JOBS_EACH = 3
PACKS_TO_A_PHONE = 0.0002
HEADS = (
    "phones",
    "boards",
    "tap",
    "day",
    "photo",
    "board action",
    "createJob",
    "answers",
    "failed",
    "cores used",
    "gave way",
)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--phones", type=int, nargs="+", help="the levels, from 100 to 2500 by default")
    parser.add_argument("--packs", type=float, help="job packs a second (default: by the number of phones)")
    parser.add_argument("--seconds", type=float, default=120, help="how long each level is measured")
    parser.add_argument(
        "--warm-up", type=float, default=90, help="seconds before, to get into the middle of visits"
    )
    parser.add_argument("--soak", type=float, help="minutes at the lowest of the levels")
    parser.add_argument("--folder", type=Path, help="where logs and certificates stay (default: nowhere)")
    wanted = parser.parse_args()
    missing = load.missing()
    if missing:
        print(f"make load cannot run here: {missing}")
        return 1
    if wanted.folder:
        wanted.folder.mkdir(parents=True, exist_ok=True)
    levels: list[Level] = []
    with tempfile.TemporaryDirectory(prefix="fibre-load-") as name:
        for level in _played(wanted.folder or Path(name), wanted):
            levels.append(level)
            print(table(HEADS, [_cells(level) for level in levels]), flush=True)
            OUTPUT.parent.mkdir(parents=True, exist_ok=True)
            OUTPUT.write_text(json.dumps([asdict(level) for level in levels], indent=2) + "\n")
    print(_result_text(levels, soaked=bool(wanted.soak)))
    missed = missed_goals(levels, soaked=bool(wanted.soak))
    print("".join(f"MISSED: {goal}\n" for goal in missed), end="")
    return 1 if missed else 0


def wanted_levels(phones: Sequence[int] | None, *, soaked: bool) -> Sequence[int]:
    """The lowest first, since the company grows with them."""
    if soaked:
        return [min(phones or [load.PHONES])]
    return sorted(phones or PHONES)


def missed_goals(levels: Sequence[Level], *, soaked: bool) -> list[str]:
    """Those that hold for as many phones as the goals name, or fewer: more may give way."""
    named = [level for level in levels if level.phones <= load.PHONES]
    missed = [f"{level.phones} phones: {level.gave_way}" for level in named if level.gave_way]
    grown = levels[-1].megabytes_per_hour("web")
    if soaked and grown > load.GOAL_MEGABYTES_PER_HOUR:
        limit = load.GOAL_MEGABYTES_PER_HOUR
        missed.append(f"the web processes grew by {grown:.1f} MB an hour, at most {limit} are allowed")
    return missed


def _played(folder: Path, wanted: argparse.Namespace) -> Iterator[Level]:
    jobs_each, people = JOBS_EACH * (4 if wanted.soak else 1), installation.People()
    with installation.running(folder) as machine, generating(machine, folder) as run:
        for phones in wanted_levels(wanted.phones, soaked=bool(wanted.soak)):
            print(f"growing a day of {phones} engineers with {jobs_each} jobs each", flush=True)
            people = machine.grow(people, engineers=phones, dispatchers=_boards(phones), jobs_each=jobs_each)
            level = _level(run, people, phones, wanted)
            yield level
            if level.gave_way:
                return


def _level(run: Run, people: installation.People, phones: int, wanted: argparse.Namespace) -> Level:
    return run.play(
        people,
        phones=phones,
        boards=_boards(phones),
        packs=PACKS_TO_A_PHONE * phones if wanted.packs is None else wanted.packs,
        warm_up=wanted.warm_up,
        seconds=wanted.soak * 60 if wanted.soak else wanted.seconds,
    )


def _boards(phones: int) -> int:
    return max(1, phones // PHONES_TO_A_BOARD)


def _cells(level: Level) -> tuple[str, ...]:
    kinds = ("tap", "day", "photo, may be busy", "board action", "createJob")
    waits = [f"{level.milliseconds[kind]:.0f} ms" if kind in level.milliseconds else "" for kind in kinds]
    cores = ", ".join(f"{part} {cores:.2f}" for part, cores in level.cores.items() if cores >= 0.01)
    counts = (str(sum(level.answers.values())), str(sum(level.failures.values())))
    return (str(level.phones), str(level.boards), *waits, *counts, cores, level.gave_way or "nothing")


def _result_text(levels: Sequence[Level], *, soaked: bool) -> str:
    last = levels[-1]
    failures = "".join(f"\n    {number} × {reason}" for reason, number in last.failures.items())
    if soaked:
        grown = ", ".join(f"{part} {last.megabytes_per_hour(part):+.1f}" for part in last.megabytes)
        return f"After {last.seconds / 60:.0f} min, megabytes an hour: {grown}{failures}"
    held = max((level.phones for level in levels if not level.gave_way), default=0)
    return f"{held} phones held; {last.phones}: {last.gave_way or 'nothing gave way'}{failures}"


if __name__ == "__main__":
    sys.exit(main())
