"""What a phone sends is kept in a bounded length, with the members that its kind has."""

import json
from typing import Any

import pytest

from dispatch import jobs
from dispatch.models import Job
from dispatch.states import EventKind, JobState
from engineers.models import PhoneMessage
from phone.stored_entries import MAX_CHARACTERS, MAX_ENTRY_BYTES
from tests import make
from tests.phone.phone import POSITION, Phone, entry

LONG = "x" * 12_000


@pytest.fixture
def job(phone: Phone) -> Job:
    return make.job(at_state=JobState.ASSIGNED, to=phone.engineer, day=make.today())


def late_facts(job: Job) -> dict[str, Any]:
    return job.events.get(kind=EventKind.REPORTED_LATE).facts


def test_entry_that_is_too_large_is_refused_and_not_kept(phone: Phone, job: Job) -> None:
    result = phone.say("en_route", job, {"position": POSITION, "extra": "x" * MAX_ENTRY_BYTES})

    assert (result["outcome"], result["problems"][0]["code"]) == ("refused", "too_large")
    assert not PhoneMessage.objects.exists()


def test_largest_closing_of_a_phone_is_kept(phone: Phone, job: Job) -> None:
    body = {"code": "OTHER", "remarks": "\N{HOUSE BUILDING}" * 2000, "checked": ["Q" * 40] * 200}

    result = phone.say("close", job, body)

    assert result["problems"][0]["code"] != "too_large"
    assert PhoneMessage.objects.get().body["body"]["remarks"] == body["remarks"]


@pytest.mark.parametrize(
    ("kind", "outcome"), [("en_route", "applied"), ("check_in", "refused"), ("a", "refused")]
)
def test_unknown_members_are_not_kept(phone: Phone, job: Job, kind: str, outcome: str) -> None:
    sent = entry(kind, job, {"position": {**POSITION, "extra": LONG}, "other": LONG}, more="x")

    assert phone.send(sent)[0]["outcome"] == outcome
    assert len(json.dumps(PhoneMessage.objects.get().body)) < MAX_CHARACTERS


def test_late_answer_is_kept_in_a_bounded_length(phone: Phone, job: Job) -> None:
    jobs.cancel_job(job=job, reason="Customer changed their mind")

    answers = [LONG, [LONG], {"a": LONG}]
    for value in answers:
        assert phone.say("answered", job, {"question": "NOQUESTION", "value": value})["outcome"] == "late"

    lengths = [len(json.dumps(event.facts)) for event in job.events.filter(kind=EventKind.REPORTED_LATE)]
    assert (len(lengths), max(lengths) < 3 * MAX_CHARACTERS) == (3, True)


def test_late_answer_keeps_what_was_typed(phone: Phone, job: Job) -> None:
    jobs.cancel_job(job=job, reason="Customer changed their mind")

    phone.say("answered", job, {"question": "ROU03", "value": "blue door"})

    assert late_facts(job)["body"] == {"question": "ROU03", "value": "blue door"}
