"""`make bench`: figures of the product as a table and in var/bench.json, which is complete after every row.

A measurement that fails is a row that says so, the others go on, and the exit code is 1. What cannot be measured on
this machine is skipped by name. `--quick` makes the smallest form of each, whose rows are marked and not compared
with goals.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.environment")
django.setup()

from tests.bench.catalogue import MEASUREMENTS, message_tables_of  # noqa: E402
from tests.bench.rows import FULL, QUICK, show  # noqa: E402
from tests.bench.runner import Measurement, Runner  # noqa: E402
from tools.check_run import ROOT  # noqa: E402

OUTPUT = ROOT / "var" / "bench.json"
MANY_ROWS_LIMIT_SECONDS = 4 * 3600.0
LIMIT_SECONDS = {FULL: 1800.0, QUICK: 180.0}


def main(measurements: Sequence[Measurement], output: Path, *, limits: dict[str, float]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="make the measurements whose name contains this")
    parser.add_argument("--quick", action="store_true", help="make the smallest form of each measurement")
    parser.add_argument(
        "--rows", type=int, help="make only message_tables, with so many rows, for hours if need be"
    )
    wanted = parser.parse_args()
    if wanted.rows:
        measurements, limits = (
            [message_tables_of(wanted.rows)],
            dict.fromkeys(limits, MANY_ROWS_LIMIT_SECONDS),
        )
    form, started = QUICK if wanted.quick else FULL, time.monotonic()
    runner = Runner(form=form, output=output, limit_seconds=limits[form])
    rows = list(runner.rows(measurement for measurement in measurements if wanted.only in measurement.name))
    print(f"\n{show(rows)}\n\nWritten to {output} in {time.monotonic() - started:.0f} s")
    failed = sorted({row.measurement for row in rows if row.failed})
    if failed:
        print(f"FAILED: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(MEASUREMENTS, OUTPUT, limits=LIMIT_SECONDS))
