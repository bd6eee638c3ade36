"""Colour and icon of a job's state, by the vectors that run against the phone's components.js too."""

import json
from pathlib import Path
from typing import Any

import pytest

from board import formatting
from dispatch import jobs
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Engineer
from tests import make
from tests.phone.phone import Phone

FILE = Path(__file__).parents[1] / "data" / "state_look_vectors.json"
VECTORS = json.loads(FILE.read_text(encoding="utf-8"))["vectors"]


def named(case: dict[str, Any]) -> str:
    return f"{case['state']} {case['succeeds'] or ''}".strip()


@pytest.mark.parametrize("case", VECTORS, ids=named)
def test_board_has_the_look_of_the_phone(case: dict[str, Any]) -> None:
    is_closed = case["succeeds"] is not None
    closed_as = formatting.ClosedAs("A", "Aerial", is_success=case["succeeds"]) if is_closed else None

    badge = formatting.state_badge(Job(state=case["state"]), closed_as)

    assert (badge.slug, badge.icon) == (case["slug"], case["icon"])


def close(job: Job, code: str) -> None:
    make.scan(job)
    make.result(job, 1)
    make.answer_all(job, code=code)
    make.close(job, code, remarks="Loose roof tiles")


@pytest.mark.parametrize(
    "case", [case for case in VECTORS if case["state"] in {"closed", "cancelled"}], ids=named
)
def test_outcome_has_the_look_of_the_state(engineer: Engineer, phone: Phone, case: dict[str, Any]) -> None:
    if case["state"] == "cancelled":
        jobs.cancel_job(
            job=make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today()), reason="Moved out"
        )
    else:
        close(
            make.job(at_state=JobState.ON_SITE, to=engineer, day=make.today()),
            "SP" if case["succeeds"] else "HAZ",
        )

    (carried,) = phone.json("/phone/day.json")["jobs"]

    assert (carried["page"]["ended"]["slug"], carried["page"]["ended"]["icon"]) == (
        case["slug"],
        case["icon"],
    )
