"""Which lone-worker timer runs, by the vectors that run against the phone's lone_worker.js too."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from dispatch.states import JobState
from engineers import lone_worker
from tests import make
from tests.phone.phone import Phone

FILE = Path(__file__).parents[1] / "data" / "timer_vectors.json"
VECTORS = json.loads(FILE.read_text(encoding="utf-8"))["vectors"]
CLOSING = {"code": "HAZ", "remarks": "Loose roof tiles"}


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["name"])
def test_server_runs_the_timer_that_the_phone_displays(phone: Phone, case: dict[str, Any]) -> None:
    now = make.now()
    closed = [tap["job"] for tap in case["taps"] if tap["kind"] == "close"]
    windows = {"A": ("08:00", "13:00"), "B": ("13:00", "18:00")}
    jobs = {
        name: make.job(
            at_state=JobState.ON_SITE if name in closed else JobState.ASSIGNED,
            to=phone.engineer,
            window=window,
        )
        for name, window in windows.items()
    }

    def moment(minutes: int) -> datetime:
        return now + timedelta(minutes=minutes)

    if other := case["other"]:
        lone_worker.start_check_in(
            engineer=phone.engineer,
            provider_job_id=jobs[other["job"]].provider_job_id,
            minutes=other["minutes"],
            started_at=moment(other["at"]),
        )
    for tap in case["taps"]:
        job, body = jobs[tap["job"]], {"minutes": tap["minutes"]} if "minutes" in tap else {}
        if tap["kind"] == "close":
            make.answer_all(job, code=CLOSING["code"])
            body = CLOSING
        tapped = phone.say(tap["kind"], job, body, occurred_at=moment(tap["at"]).isoformat())
        assert tapped["outcome"] == "applied"

    running, expected = lone_worker.running_check_in(phone.engineer), case["runs"]
    found = running and (running.provider_job_id, running.due_at)
    assert found == (expected and (jobs[expected["job"]].provider_job_id, moment(expected["due"])))
