"""`make bench`: the numbers of the house as a table and as var/bench.json; skips by name what cannot be measured."""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.environment")
django.setup()

from tests.bench import board, drain, inbound, rows, tap  # noqa: E402
from tests.bench.rows import Row  # noqa: E402
from tools.check import POSTGRESQL, ROOT, postgresql_missing  # noqa: E402

OUTPUT = ROOT / "var" / "bench.json"
Measurement = Callable[[Path], list[Row]]


def inbound_sqlite(folder: Path) -> list[Row]:
    url = f"sqlite:///{folder / 'inbound.sqlite3'}"
    return [inbound.measure("inbound_sqlite", url=url, folder=folder)]


def inbound_postgresql(folder: Path) -> list[Row]:
    with inbound.postgresql_database(POSTGRESQL) as url:
        return [inbound.measure("inbound_postgresql", url=url, folder=folder)]


def relay_drain_sqlite(folder: Path) -> list[Row]:
    url = f"sqlite:///{folder / 'drain.sqlite3'}"
    return [drain.measure("relay_drain_sqlite", url=url, folder=folder, relays=1)]


def relay_drain_postgresql(folder: Path) -> list[Row]:
    found = []
    for relays, name in ((1, "relay_drain_postgresql"), (2, "relay_drain_two_relays")):
        with inbound.postgresql_database(POSTGRESQL) as url:
            found.append(drain.measure(name, url=url, folder=folder / name, relays=relays))
    return found


# name -> the measurement, and why it cannot be made here (nothing: it can)
MEASUREMENTS: dict[str, tuple[Measurement, Callable[[], str]]] = {
    "inbound_sqlite": (inbound_sqlite, str),
    "inbound_postgresql": (inbound_postgresql, postgresql_missing),
    "relay_drain_sqlite": (relay_drain_sqlite, str),
    "relay_drain_postgresql": (relay_drain_postgresql, postgresql_missing),
    "tap_to_seller": (tap.measure, str),
    "board_60x300": (board.measure, str),
}


def measured(wanted: str) -> Iterator[Row]:
    for name, (measurement, missing) in MEASUREMENTS.items():
        reason = missing()
        if wanted not in name:
            continue
        if reason:
            print(f"SKIPPED: {name}: {reason}", flush=True)
            continue
        print(f"measuring {name}", flush=True)
        with tempfile.TemporaryDirectory(prefix="fibre-bench-") as folder:
            yield from measurement(Path(folder))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="make the measurements whose name contains this")
    found = list(measured(parser.parse_args().only))
    rows.write(found, OUTPUT)
    print(f"\n{rows.show(found)}\n\nWritten to {OUTPUT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
