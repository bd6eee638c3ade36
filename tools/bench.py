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

from tests.bench import (  # noqa: E402
    back_online,
    board,
    deadline,
    drain,
    idle,
    inbound,
    latency,
    lighthouse,
    memory,
    phone,
    photo,
    rows,
    scan,
    scan_webkit,
    tap,
    weight,
)
from tests.bench.rows import Row  # noqa: E402
from tests.servers.browser import CHROMIUM  # noqa: E402
from tools.check import POSTGRESQL, ROOT, postgresql_missing  # noqa: E402

OUTPUT = ROOT / "var" / "bench.json"
Measurement = Callable[[Path], list[Row]]


def inbound_sqlite(folder: Path) -> list[Row]:
    url = f"sqlite:///{folder / 'inbound.sqlite3'}"
    return [inbound.measure("inbound_sqlite", url=url, folder=folder)]


def inbound_postgresql(folder: Path) -> list[Row]:
    with inbound.postgresql_database(POSTGRESQL) as url:
        return [inbound.measure("inbound_postgresql", url=url, folder=folder)]


def inbound_latency_sqlite(folder: Path) -> list[Row]:
    url = f"sqlite:///{folder / 'latency.sqlite3'}"
    return latency.measure("inbound_latency_sqlite", url=url, folder=folder)


def inbound_latency_postgresql(folder: Path) -> list[Row]:
    with inbound.postgresql_database(POSTGRESQL) as url:
        return latency.measure("inbound_latency_postgresql", url=url, folder=folder)


def relay_drain_sqlite(folder: Path) -> list[Row]:
    url = f"sqlite:///{folder / 'drain.sqlite3'}"
    return [drain.measure("relay_drain_sqlite", url=url, folder=folder, number=1)]


def relay_drain_postgresql(folder: Path) -> list[Row]:
    found = []
    for number, name in ((1, "relay_drain_postgresql"), (2, "relay_drain_two_relays")):
        with inbound.postgresql_database(POSTGRESQL) as url:
            found.append(drain.measure(name, url=url, folder=folder / name, number=number))
    return found


def commit_to_seller_sqlite(folder: Path) -> list[Row]:
    url = f"sqlite:///{folder / 'idle.sqlite3'}"
    return [idle.measure("commit_to_seller_sqlite", url=url, folder=folder, goal_milliseconds=80)]


def commit_to_seller_postgresql(folder: Path) -> list[Row]:
    with inbound.postgresql_database(POSTGRESQL) as url:
        return [idle.measure("commit_to_seller_postgresql", url=url, folder=folder, goal_milliseconds=20)]


def chromium_missing() -> str:
    return "" if CHROMIUM else "no chromium is installed"


# name -> the measurement, and why it cannot be made here (nothing: it can)
MEASUREMENTS: dict[str, tuple[Measurement, Callable[[], str]]] = {
    "inbound_sqlite": (inbound_sqlite, str),
    "inbound_postgresql": (inbound_postgresql, postgresql_missing),
    "inbound_latency_sqlite": (inbound_latency_sqlite, str),
    "inbound_latency_postgresql": (inbound_latency_postgresql, postgresql_missing),
    "relay_drain_sqlite": (relay_drain_sqlite, str),
    "relay_drain_postgresql": (relay_drain_postgresql, postgresql_missing),
    "commit_to_seller_sqlite": (commit_to_seller_sqlite, str),
    "commit_to_seller_postgresql": (commit_to_seller_postgresql, postgresql_missing),
    "memory_flat": (memory.measure, str),
    "deadline_overshoot": (deadline.measure, str),
    "tap_to_seller": (tap.measure, str),
    "board_60x300": (board.measure, str),
    "phone_first_load": (phone.first_load, chromium_missing),
    "phone_offline_open": (phone.offline_open, chromium_missing),
    "phone_script_size": (weight.measure, chromium_missing),
    "phone_tap": (phone.tap, chromium_missing),
    "phone_back_online": (back_online.measure, chromium_missing),
    "phone_photo_stored": (photo.measure, chromium_missing),
    "lighthouse": (lighthouse.measure, lighthouse.missing),
    "scan_rate_server": (scan.measure_server, str),
    "scan_rate_chromium": (scan.measure_chromium, chromium_missing),
    "scan_rate_webkit": (scan_webkit.measure, scan_webkit.missing),
    "scan_tap_to_code": (scan.measure_tap, chromium_missing),
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
