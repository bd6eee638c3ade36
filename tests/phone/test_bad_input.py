"""What no phone of ours sends: refused with the field that is wrong, never a 500, and nothing has changed."""

import json
import tracemalloc
from typing import Any

import pytest

from dispatch.models import JobEvent
from dispatch.states import JobState
from engineers.models import Engineer
from tests import make
from tests.phone.phone import POSITION, Phone, entry

HUGE = "9" * 5000
DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize("body", [HUGE, DEEP, f'{{"messages": {DEEP}}}', "[1"])
def test_body_that_is_no_batch_is_refused(phone: Phone, body: str) -> None:
    answer = phone.client.post(
        "/phone/sync", body, "application/json", headers={"Accept": "application/json"}
    )

    assert (answer.status_code, answer.json()["where"]) == (400, "messages")


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ("body.position.accuracy_metres", HUGE),
        ("body.position.accuracy_metres", "9" * 400),
        ("body.position.latitude", str(2**64)),
        ("job", '"J-\\ud800"'),
        ("job", '"J-\\u0000"'),
        ("occurred_at", '"0001-01-01T00:00:00+14:00"'),
        ("occurred_at", '"9999-12-31T23:59:59-14:00"'),
        ("occurred_at", '"0001-01-01T00:00:00Z"'),
        ("message_id", HUGE),
        ("kind", '{"a": "\\ud800"}'),
    ],
)
def test_value_that_cannot_be_kept_names_its_field(
    engineer: Engineer, phone: Phone, where: str, text: str
) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    message = entry("en_route", job, {"position": {**POSITION}})
    *path, last = where.split(".")
    inner: Any = message
    for name in path:
        inner = inner[name]
    inner[last] = "PLACEHOLDER"
    body = json.dumps({"messages": [message]}).replace('"PLACEHOLDER"', text)

    answer = phone.post(body)

    result = answer.json()["results"][0]
    assert (answer.status_code, result["outcome"]) == (200, "refused")
    assert result["problems"][0]["where"].startswith(where.removeprefix("body."))
    assert JobEvent.objects.filter(job=job, kind="en_route").count() == 0


LONG_NAME = json.dumps({"messages": [{"body": {"A" * 500_000: [0] * 250_000}}]}, separators=(",", ":"))
MANY_VALUES = json.dumps({"messages": [{"body": {"A" * 200: [0] * 500_000}}]}, separators=(",", ":"))


@pytest.mark.parametrize("body", [LONG_NAME, MANY_VALUES], ids=["long name", "many values"])
def test_one_request_takes_little_memory(phone: Phone, body: str) -> None:
    assert len(body) <= 2**20
    tracemalloc.start()
    try:
        result = phone.post(body).json()["results"][0]
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert (result["outcome"], most < 50 * 2**20) == ("refused", True), most


def test_name_of_a_member_is_bounded(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)

    result = phone.say("en_route", job, {"position": {**POSITION, "A" * 201: 1}})

    assert (result["outcome"], result["problems"][0]["where"]) == ("refused", "position")


@pytest.mark.parametrize("number", [HUGE, DEEP, '"\\ud800"', "{}", '{"sent_at": 7}'])
@pytest.mark.parametrize("member", ["sent_at", "engineer"])
def test_odd_envelope_is_no_500(phone: Phone, member: str, number: str) -> None:
    assert phone.post(f'{{"messages": [], "{member}": {number}}}').status_code < 500


@pytest.mark.parametrize("path", ["/phone/push", "/phone/positions.json"])
@pytest.mark.parametrize("body", [DEEP, HUGE, '{"endpoint": "\\ud800"}', '{"agreed": 1e999}', b"\xff"])
def test_other_bodies_are_refused(phone: Phone, path: str, body: Any) -> None:
    assert phone.client.post(path, body, "application/json").status_code == 400
