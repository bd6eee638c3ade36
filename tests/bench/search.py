"""The search over 200,000 jobs: how long the answer to what somebody types takes, the slowest kind of text."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.bench.rows import Row

JOBS = 200_000
GOAL_MILLISECONDS = 100


def measure(name: str, *, url: str, folder: Path, jobs: int = JOBS) -> list[Row]:
    environment = {
        **os.environ,
        "DEPLOYMENT": "demo",
        "DATABASE_URL": url,
        "LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    command = [sys.executable, "-m", "tests.bench.search_page", str(jobs)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    (folder / "search.json").write_text(json.dumps(found["all"], indent=2))
    quickest = min(found["all"].values())
    return [
        Row(
            name=name,
            value=found["milliseconds"],
            unit=f"ms for “{found['slowest']}” in {jobs} jobs; longest of all {found['longest']} ms",
            compared_with=f"{quickest} ms for the quickest of {len(found['all'])} texts",
            ratio=round(found["milliseconds"] / quickest, 2),
            goal=f"at most {GOAL_MILLISECONDS} ms",
            is_within_limit=found["milliseconds"] <= GOAL_MILLISECONDS,
        )
    ]
