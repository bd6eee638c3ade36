"""The reports over 200,000 jobs: how long the page takes for a month, a quarter and a year."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.bench.rows import Row

JOBS = 200_000
GOAL_SECONDS = 2.0


def measure(name: str, *, url: str, folder: Path, jobs: int = JOBS) -> list[Row]:
    environment = {
        **os.environ,
        "DEPLOYMENT": "demo",
        "DATABASE_URL": url,
        "LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    command = [sys.executable, "-m", "tests.bench.reports_page", str(jobs)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    (folder / "reports.json").write_text(json.dumps(found, indent=2))
    pages = found["pages"]
    return [
        Row(
            name=name,
            value=pages["quarter"],
            unit=f"s for a quarter in {jobs} jobs; a year {pages['year']} s",
            compared_with=f"{pages['month']} s for a month",
            ratio=round(pages["quarter"] / pages["month"], 2),
            goal=f"at most {GOAL_SECONDS:g} s",
            is_within_limit=pages["quarter"] <= GOAL_SECONDS,
        )
    ]
