"""docs/phone.openapi.json is generated, and what the views answer keeps to it."""

import json
import uuid
from typing import Any

import pytest
import time_machine
from jsonschema import Draft202012Validator
from pytest_django import Settings

from dispatch.states import JobState
from engineers.models import Engineer
from tests import make
from tests.phone.phone import POSITION, Phone, entry
from tools import phone_schema

DOCUMENT = json.loads(phone_schema.PAGE.read_text())


def problems(answer: Any, component: str) -> list[str]:
    schema = {"$ref": f"#/components/schemas/{component}", "components": DOCUMENT["components"]}
    return [
        f"{problem.json_path}: {problem.message}"
        for problem in Draft202012Validator(schema).iter_errors(answer)
    ]


def test_document_is_what_the_views_give() -> None:
    assert json.loads(json.dumps(phone_schema.document())) == DOCUMENT, "run python -m tools.phone_schema"


def test_each_message_is_accepted_as_described(phone: Phone, engineer: Engineer) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today())
    message = entry("en_route", job, {"position": POSITION})

    assert problems({"messages": [message]}, "Batch") == []
    assert problems({"messages": [{**message, "kind": "on_the_moon"}]}, "Batch") != []
    assert problems(phone.post({"messages": [message]}).json(), "SyncAnswer") == []


def test_day_and_version_are_as_described(phone: Phone, engineer: Engineer) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer, day=make.today())
    make.scan(job)
    make.result(job, 1)
    make.answer_all(job)

    assert problems(phone.json("/phone/day.json"), "Day") == []
    assert problems(phone.json(f"/phone/jobs/{job}/version.json"), "JobVersion") == []
    assert problems(phone.json("/phone/positions.json"), "Positions") == []


@pytest.mark.parametrize(
    ("path", "verb", "status"),
    [
        ("/phone/day.json", "POST", 405),
        (f"/phone/photos/{uuid.UUID(int=7)}", "PUT", 404),
        ("/phone/sync", "POST", 400),
    ],
)
def test_each_refusal_has_one_shape(phone: Phone, path: str, verb: str, status: int) -> None:
    answer = phone.client.generic(verb, path, "[", "application/json", headers={"Accept": "application/json"})

    assert (answer.status_code, problems(answer.json(), "Refusal")) == (status, [])


def test_too_many_requests_say_when_to_come_back(phone: Phone, settings: Settings) -> None:
    settings.RATE_LIMIT_SCALE = 1 / 240
    with time_machine.travel(make.now().replace(second=1), tick=False):
        phone.json("/phone/day.json")
        answer = phone.client.get("/phone/day.json", headers={"Accept": "application/json"})

    assert (answer.status_code, answer.json()["error"]) == (429, "rate_limited")
    assert 0 < int(answer.headers["Retry-After"]) <= 60
