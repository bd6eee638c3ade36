"""A correction is held against the contract before it is sent, and nothing that was typed is lost."""

import json
from typing import Any

import pytest
from django.test import Client

from dispatch.states import JobState
from seller_link.models import OutboundMessage, OutboundState
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db
REASON = "The plan was wrong"


def held(*, at_state: JobState = JobState.ASSIGNED) -> OutboundMessage:
    message = make.job(at_state=at_state).outbound_messages.last()
    OutboundMessage.objects.filter(pk=message.pk).update(state=OutboundState.HELD, held_reason="422")
    message.refresh_from_db()
    return message


def send(message: OutboundMessage, body: Any, *, reason: str = REASON, client: Client | None = None) -> Any:
    text = body if isinstance(body, str) else json.dumps(body)
    fields = {"body": text, "reason": reason, "pk": message.pk}
    return (client or signed_in()).post(f"/board/messages/{message.message_id}/replay/", fields)


def refusal(message: OutboundMessage, body: Any, *, reason: str = REASON) -> list[str]:
    """What the page says; everything typed stays on it, and the message is untouched."""
    before = OutboundMessage.objects.values().get(pk=message.pk)

    answer = send(message, body, reason=reason)

    page = answer.context["page"]
    text = body if isinstance(body, str) else json.dumps(body)
    assert (answer.status_code, page.draft, page.reason) == (400, text, reason)
    assert f'value="{reason}"' in answer.content.decode()
    assert OutboundMessage.objects.values().get(pk=message.pk) == before
    problems: list[str] = page.problems
    return problems


def without(body: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key != name}


def test_renamed_member_is_named_and_nothing_is_sent() -> None:
    message = held()
    body = without(message.body, "plannedEnd") | {"plannedFinish": message.body["plannedEnd"]}

    assert refusal(message, body) == ["/plannedEnd: This member is required."]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"event": "teaBreak"}, "/event: Use one of: engineerAssigned, enRoute, onSite, ontScanned."),
        ({"occurredAt": "yesterday"}, "/occurredAt: Write an instant with an offset"),
        ({"plannedStart": "9999-12-31T00:00:00Z"}, "/plannedStart: This must lie within five years of now."),
        ({"plannedEnd": "2026-11-23T08:00:00Z"}, "/plannedEnd: The end must lie after the start."),
        ({"engineer": None}, "/engineer: This member is required."),
        ({"engineer": {"id": "LS001", "phone": "07700 900123"}}, "/engineer/name: This member is required."),
        ({"engineer": {"id": "LS001", "name": "Erin"}}, "/engineer/phone: This member is required."),
        ({"engineer": {"id": "LS001", "name": "Erin", "phone": ""}}, "/engineer/phone: This must not be"),
        ({"providerJobId": "J-0000-0000"}, "/providerJobId: this must not change. Original value: J-"),
        ({"event": "onSite"}, "/event: this must not change. Original value: engineerAssigned."),
    ],
)
def test_each_broken_member_is_named(changes: dict[str, Any], problem: str) -> None:
    message = held()

    assert any(sentence.startswith(problem) for sentence in refusal(message, {**message.body, **changes}))


def test_scan_of_a_message_stays() -> None:
    make.scan(make.job(at_state=JobState.ON_SITE))
    message = OutboundMessage.objects.get(body__event="ontScanned")
    OutboundMessage.objects.filter(pk=message.pk).update(state=OutboundState.HELD, held_reason="422")
    another = {**message.body, "scanId": "6f0d5b1e-6f5e-4a57-9a55-5b1f5f0d0099"}

    (problem,) = refusal(message, another)

    assert problem == f"/scanId: this must not change. Original value: {message.body['scanId']}."


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"closureCode": "sp"}, "/closureCode: This is no closure code of the tables."),
        ({"closureCode": "OTHER", "remarks": " "}, "/remarks: Other reason needs remarks."),
        (
            {"secondaryClosureCode": "POP01", "secondaryClosureCodeDescription": "No Light (SN/PN)"},
            "/secondaryClosureCode: This does not belong to NTR.",
        ),
        ({"closureCode": "CON"}, "/secondaryClosureCode: CON needs a secondary code."),
        (
            {
                "closureCode": "POP",
                "secondaryClosureCode": "POP01",
                "secondaryClosureCodeDescription": "No Light (ASN)",
            },
            "/secondaryClosureCodeDescription: The description of POP01 is: No Light (SN/PN)",
        ),
        (
            {"secondaryClosureCodeDescription": "No Light (SN/PN)"},
            "/secondaryClosureCode: A description needs its secondary code.",
        ),
        ({"engineer": {"id": "LS001"}}, "/engineer/name: This member is required."),
    ],
)
def test_closing_keeps_to_the_tables(changes: dict[str, Any], problem: str) -> None:
    message = held(at_state=JobState.CLOSED)

    assert refusal(message, {**message.body, **changes}) == [problem]


def test_reason_stays_when_the_text_is_no_json() -> None:
    (problem,) = refusal(held(), '{"a": 1')

    assert problem.startswith("The message is not valid JSON")


def test_text_stays_when_the_reason_is_missing() -> None:
    message = held()
    body = {**message.body, "engineer": {**message.body["engineer"], "name": "Erin"}}

    assert refusal(message, body, reason="") == ["Enter a reason for the correction."]


@pytest.mark.parametrize("escape", ["\\u0000", "\\ud800"])
def test_text_that_no_database_keeps_is_refused(escape: str) -> None:
    (problem,) = refusal(held(), f'{{"a": "{escape}"}}')

    assert problem.startswith("The message contains a NUL character")


def test_correction_of_a_message_sent_since_stays_on_the_page() -> None:
    message = held()
    OutboundMessage.objects.filter(pk=message.pk).update(state=OutboundState.SENT)

    assert refusal(message, {**message.body, "remark": "x"}) == [
        "The seller has already received this message."
    ]


def test_second_correction_does_not_overtake_a_colleague() -> None:
    message = held()
    first = {**message.body, "engineer": {**message.body["engineer"], "name": "Erin"}}
    assert send(message, first).status_code == 302
    second = {**message.body, "engineer": {**message.body["engineer"], "name": "Ada"}}

    answer = send(message, second)

    assert (answer.status_code, answer.context["page"].draft) == (400, json.dumps(second))
    assert answer.context["page"].problems == [
        "Someone else has already corrected this message. Compare both versions and decide which to send."
    ]
    assert OutboundMessage.objects.get(pk=message.pk).body["engineer"]["name"] == "Erin"


def test_correction_that_keeps_the_contract_is_sent() -> None:
    message = held()
    body = {**message.body, "correlationId": None, "engineer": {**message.body["engineer"], "name": "Erin"}}

    assert send(message, body).status_code == 302

    row = OutboundMessage.objects.get(pk=message.pk)
    assert (row.state, row.body["engineer"]["name"]) == (OutboundState.READY, "Erin")
    assert row.message_id != message.message_id
