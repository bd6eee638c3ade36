"""The seller's refusals as people read them: sentences with the field, the JSON behind a fold, and links everywhere."""

import json

import pytest

from board.alarms.alarm_presenter import build_attention_list, read_open_alarms
from board.messages.job_messages import fault_view
from dispatch.states import JobState
from monitoring import alarms
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind
from seller_link import message_states
from seller_link.models import OutboundMessage, OutboundState
from seller_link.wire import refusals
from tests import make
from tests.board.office import signed_in

BODY = {
    "fault": {
        "faultcode": "invalidMessage",
        "faultmessage": "The message breaks the contract in 1 place.",
        "detail": [{"field": "/plannedEnd", "code": "missingMember", "message": "This member is required."}],
    }
}
REASON = f"422 {json.dumps(BODY)}"


def held() -> OutboundMessage:
    message = make.job(at_state=JobState.ASSIGNED).outbound_messages.get()
    OutboundMessage.objects.filter(pk=message.pk).update(state=OutboundState.HELD, held_reason=REASON)
    message.refresh_from_db()
    return message


def test_fault_is_a_sentence_with_its_field_and_the_json_apart() -> None:
    view = fault_view(REASON)

    assert view is not None
    assert view.sentence == "Rejected by the seller: The message breaks the contract in 1 place."
    assert view.details == [("/plannedEnd", "This member is required.")]
    assert json.loads(view.raw) == BODY
    assert refusals.describe_fault(REASON) == "422 /plannedEnd: This member is required."


def test_fault_of_the_whole_message_names_no_field() -> None:
    whole = {"fault": {"detail": [{"field": "/", "message": "photoFileTypes does not match photoFiles."}]}}

    assert (
        refusals.describe_fault(f"422 {json.dumps(whole)}") == "422 photoFileTypes does not match photoFiles."
    )
    view = fault_view(f"422 {json.dumps(whole)}")
    assert view is not None
    assert view.details == [("", "photoFileTypes does not match photoFiles.")]


def test_fault_says_nothing_twice() -> None:
    again = "The message was not stored; send it again"
    body = {"fault": {"faultmessage": again, "detail": [{"field": "/", "message": again}]}}

    view = fault_view(f"503 {json.dumps(body)}")

    assert view is not None
    assert (view.sentence, view.details) == (f"Rejected by the seller: {again}", [])


@pytest.mark.parametrize(
    "reason",
    [
        "500 <html>",
        "422",
        "422 {}",
        '422 {"fault": []}',
        '422 {"fault": {}}',
        '422 {"fault": {"faultmessage": null}}',
        '422 {"fault": {"detail": [1, {}]}}',
        "422 " + "[" * 9999,
    ],
)
def test_what_is_no_fault_stays_as_it_came(reason: str) -> None:
    view = fault_view(reason)

    assert view is not None
    assert (view.sentence, view.details) == (f"Rejected by the seller: {reason}", [])
    assert refusals.describe_fault(reason) == reason


def test_missing_text_is_empty_and_a_detail_that_cannot_be_read_spoils_no_other() -> None:
    details = [
        1,
        None,
        {},
        {"field": "/plannedEnd", "code": "missingProperty", "message": None},
        {"field": None, "message": "Sent too early."},
        {"field": "/engineer/name"},
    ]
    reason = f"422 {json.dumps({'fault': {'faultcode': None, 'faultmessage': None, 'detail': details}})}"

    view = fault_view(reason)

    assert view is not None
    assert view.sentence == "Rejected by the seller: 422"
    assert view.details == [
        ("/plannedEnd", "missingProperty"),
        ("", "Sent too early."),
        ("/engineer/name", ""),
    ]
    assert refusals.describe_fault(reason) == (
        "422 /plannedEnd: missingProperty Sent too early. /engineer/name"
    )


@pytest.mark.django_db
@pytest.mark.parametrize("length", [20, 4000], ids=["many details", "long details"])
def test_long_fault_is_kept_as_json_with_its_first_details(length: int) -> None:
    message = make.job(at_state=JobState.ASSIGNED).outbound_messages.get()
    details = [
        {"field": f"/answers/{number}", "code": "invalidValue", "message": f"{number} " + "x" * length}
        for number in range(500)
    ]
    fault = {"faultcode": "invalidMessage", "faultmessage": "Wrong in 500 places.", "detail": details}

    message_states.hold(message.pk, reason=f"422 {json.dumps({'fault': fault})}")

    message.refresh_from_db()
    read = refusals.read_fault(message.held_reason)
    assert read is not None
    assert len(message.held_reason) <= message_states.LONGEST_REASON
    assert (read.status, read.code, read.message) == ("422", "invalidMessage", "Wrong in 500 places.")
    *first, note = read.details
    assert [detail.field for detail in first] == [f"/answers/{number}" for number in range(len(first))]
    assert len(first) > 10
    assert (note.field, note.message) == ("/", f"Further details left out: {500 - len(first)}.")
    view = fault_view(message.held_reason)
    assert view is not None
    assert view.sentence == "Rejected by the seller: Wrong in 500 places."


@pytest.mark.django_db
def test_long_reason_that_is_no_fault_is_cut() -> None:
    message = make.job(at_state=JobState.ASSIGNED).outbound_messages.get()

    message_states.hold(message.pk, reason="422 <html>" + "x" * 20_000)

    message.refresh_from_db()
    assert message.held_reason == ("422 <html>" + "x" * 20_000)[: message_states.LONGEST_REASON]


@pytest.mark.django_db
def test_every_page_of_a_held_message_says_so() -> None:
    message = held()
    client = signed_in()

    for path in (
        "/board/messages/stuck/",
        f"/board/messages/{message.message_id}/",
        f"/board/jobs/{message.job}/",
    ):
        text = client.get(path).content.decode()
        assert "This member is required." in text, path
        assert "Show as JSON" in text, path
        assert "422 {" not in text, path


@pytest.mark.django_db
def test_refused_correction_names_its_member_and_keeps_the_reason() -> None:
    message = held()
    body = {name: value for name, value in message.body.items() if name != "plannedEnd"}
    fields = {"body": json.dumps(body), "reason": "Wrong plan", "pk": message.pk}

    answer = signed_in().post(f"/board/messages/{message.message_id}/replay/", fields)

    page = answer.context["page"]
    assert (answer.status_code, page.wrong_field, page.reason) == (400, "/plannedEnd", "Wrong plan")
    assert 'data-wrong-field="/plannedEnd"' in answer.content.decode()


@pytest.mark.django_db
def test_alarm_leads_to_what_it_is_about() -> None:
    message = held()
    number = message.job.provider_job_id
    erin = message.job.visits.get().engineer
    text = coded_text(
        "message_held", address="1 Mill Lane, LS30 1AA", job=number, reason=refusals.describe_fault(REASON)
    )
    alarms.raise_alarm(AlarmKind.MESSAGE_HELD, number, text)
    alarms.raise_alarm(
        AlarmKind.ENGINEER_ABSENT,
        erin.staff_number,
        coded_text("engineer_absent", engineer=erin.name, jobs=1),
    )
    client = signed_in()

    links = [link.url for line in build_attention_list(read_open_alarms()) for link in line.links]

    answers = {url: client.get(url) for url in links}
    assert {answer.status_code for answer in answers.values()} <= {200, 302}
    assert f"/board/messages/?job={number}&status=held" in links
    assert [answer.url for answer in answers.values() if answer.status_code == 302] == [
        f"/board/people/{erin.pk}/"
    ]
