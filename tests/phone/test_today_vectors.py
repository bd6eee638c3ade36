"""Which jobs are today's, by the vectors that run against the phone's day_plan.js too."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from dispatch.models import Job, Visit
from phone.assigned_jobs import is_today
from tests import make

FILE = Path(__file__).parents[1] / "data" / "today_vectors.json"
VECTORS = json.loads(FILE.read_text(encoding="utf-8"))["vectors"]


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["name"])
def test_server_says_what_the_phone_says(case: dict[str, Any]) -> None:
    today = make.DAY
    planned = make.at("10:00", day=today + timedelta(days=case["planned"]))
    visit = Visit(planned_start=planned, travel_started_at=planned if case["is_begun"] else None)

    visit.job = Job(state=case["state_fetched"])
    was_today = is_today(visit, today + timedelta(days=case["fetched"]))
    visit.job = Job(state=case["state"])

    assert (was_today, is_today(visit, today)) == (case["was_today"], case["is_today"])
