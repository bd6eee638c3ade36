"""`python -m tests.bench.road_drives_page ENGINEERS JOBS`: the board of a day at as many positions as it has people and
jobs, with estimated drives and then with a travel server's drive stored for each pair of positions."""

import json
import random
import sys
from dataclasses import replace
from itertools import product

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.utils import timezone  # noqa: E402

from dispatch.driving.drive_times import pair_code  # noqa: E402
from dispatch.driving.travel import Coordinates  # noqa: E402
from dispatch.models import Job, RoadDrive  # noqa: E402
from engineers.models import Engineer  # noqa: E402
from tests import make  # noqa: E402
from tests.bench.board_page import grow, measure  # noqa: E402

MINUTES_OF_DRIVE = (5, 40)
BATCH = 5000


def scatter(chance: random.Random) -> list[Coordinates]:
    """Everybody and everything at a position of its own."""
    positions: list[Coordinates] = []
    for model, names in (
        (Engineer, ("home_latitude", "home_longitude")),
        (Job, ("latitude", "longitude")),
    ):
        rows = list(model.objects.all())
        for row in rows:
            position = 53.8 + chance.uniform(-0.1, 0.1), -1.55 + chance.uniform(-0.15, 0.15)
            positions.append(position)
            for name, value in zip(names, position, strict=True):
                setattr(row, name, value)
        model.objects.bulk_update(rows, names)
    return positions


def store_drives(positions: list[Coordinates], chance: random.Random) -> None:
    now = timezone.now()
    codes = {pair_code(start, end) for start, end in product(positions, positions) if start != end}
    rows = (
        RoadDrive(pair=code, seconds=60 * chance.randint(*MINUTES_OF_DRIVE), metres=5000, fetched_at=now)
        for code in sorted(codes)
    )
    RoadDrive.objects.bulk_create(rows, batch_size=BATCH)


def main() -> None:
    engineers, jobs = map(int, sys.argv[1:])
    call_command("migrate", verbosity=0)
    person, chance = make.dispatcher(), random.Random(1)
    grow(engineers=engineers, jobs_in_all=jobs)
    positions = scatter(chance)
    estimated = measure(person)
    store_drives(positions, chance)
    settings.TRAVEL_SERVER = replace(settings.TRAVEL_SERVER, url="http://127.0.0.1:1")
    found = {"estimated": estimated, "stored": measure(person), "drives": RoadDrive.objects.count()}
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
