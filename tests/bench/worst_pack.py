"""The slowest page that any job pack makes: board day, job page, offers, search, a phone's day, on a full day."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.bench.rows import Row

ENGINEERS, JOBS, PACKS = 60, 300, 60
GOAL_MILLISECONDS = 1000


def measure(folder: Path, *, engineers: int = ENGINEERS, jobs: int = JOBS, packs: int = PACKS) -> list[Row]:
    environment = {
        **os.environ,
        "DEPLOYMENT": "demo",
        "DATABASE_URL": f"sqlite:///{folder / 'worst.sqlite3'}",
        "LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "RATE_LIMIT_SCALE": "1000",
    }
    command = [sys.executable, "-m", "tests.bench.worst_pack_page", *map(str, (engineers, jobs, packs))]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    slowest = json.loads(done.stdout)
    return [
        Row(
            name="worst_pack_page",
            value=slowest["milliseconds"],
            unit=f"ms for {slowest['page']} among {jobs} jobs, at most {slowest['queries']} queries",
            compared_with=f"{slowest['median']} ms for the middle one of {slowest['pages']} pages of {packs} packs",
            ratio=round(slowest["milliseconds"] / slowest["median"], 2),
            goal=f"at most {GOAL_MILLISECONDS} ms",
            is_within_limit=slowest["milliseconds"] <= GOAL_MILLISECONDS,
        )
    ]
