"""docs/fault-messages.md says what the code does: its generated parts are made anew, its examples are sent."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.core.management import call_command

from seller_sandbox.console.tickets.ticket_control_requests import TICKET_ACTIONS
from seller_sandbox.endpoints.exchange import Answer
from seller_sandbox.faults import validation
from seller_sandbox.faults.management.commands.fault_messages import PAGE
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.faults.wire import examples, parsing, reference, seller_messages
from seller_sandbox.faults.wire.namespaces import INTERFACE
from seller_sandbox.faults.wire.request_layouts import PATHS
from seller_sandbox.faults.wire.requests import FaultReportUpdateRequest, ResolveResponseRequest
from seller_sandbox.faults.wire.responses import FaultResponseCode
from seller_sandbox.soap import callback, envelope, schema_tables
from seller_sandbox.tests.faults import samples

TEXT = PAGE.read_text()
EXAMPLES = re.findall(r"^#### ([^\n]+)\n\n```xml\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def test_generated_parts_are_those_of_the_code() -> None:
    assert reference.render(TEXT) == TEXT, "python -m seller_sandbox.manage fault_messages writes them anew"


def test_every_generated_part_is_in_the_page() -> None:
    assert {found["name"] for found in schema_tables.REGION.finditer(TEXT)} == {*reference.PARTS}


def test_command_writes_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("fault_messages")

    assert PAGE.read_text() == TEXT
    assert str(PAGE) in capsys.readouterr().out


@pytest.mark.parametrize(("title", "example"), EXAMPLES, ids=[title for title, _ in EXAMPLES])
def test_every_example_can_be_sent(title: str, example: str) -> None:
    content = example.encode()
    name = envelope.open_envelope(content).tag.rpartition("}")[2]
    if name in PATHS:
        assert parsing.parse(content, path=name).header.buyer_identifier == "BUYERA"
    elif "acknowledgement" in title or name == "Fault":
        answer = callback.read(content, interface=INTERFACE, name=name)
        assert answer.is_acknowledgement or answer.fault_code == "Client"
    else:
        assert seller_messages.read(content)[0] == name


def test_every_request_example_is_read_as_it_was_written() -> None:
    for _, request in reference.examples.REQUESTS:
        assert parsing.parse(parsing.build(request), path=parsing.path_of(request)) == request


REFERENCE = examples.BUYER_REFERENCE


def _two_services() -> Answer:
    content = parsing.build(samples.request())
    element = b"<serviceAffected>FBR100000001</serviceAffected>"
    found = re.search(rb"<serviceAffected>.*?</serviceAffected>", content)
    assert found
    return samples.send(content.replace(found[0], found[0] + element), path="addFaultReport")


def _message_id_again() -> Answer:
    header = replace(samples.header(), message_id=examples.MESSAGE_ID)
    samples.send(samples.request(header=header))
    return samples.send(samples.request(header=header))


def _reference_again() -> Answer:
    samples.send(samples.request(buyer_fault_reference=REFERENCE))
    return samples.send(samples.request(buyer_fault_reference=REFERENCE))


def _unknown() -> Answer:
    return samples.send(FaultReportUpdateRequest(samples.header(), REFERENCE, examples.OUR_REFERENCE))


def _not_resolved() -> Answer:
    samples.in_progress(samples.request(buyer_fault_reference=REFERENCE))
    return samples.send(ResolveResponseRequest(samples.header(), REFERENCE, True))


def _another_service() -> Answer:
    report = samples.in_progress(samples.request(buyer_fault_reference=REFERENCE))
    return samples.amend(report, service_affected="FBR100000099")


def _unknown_key() -> Answer:
    report = samples.in_progress(samples.outage(buyer_fault_reference=REFERENCE))
    return samples.amend(report, appointment_reservation_key=examples.KEY)


REFUSED: dict[FaultResponseCode, Callable[[], Answer]] = {
    FaultResponseCode.INVALID: _two_services,
    FaultResponseCode.MESSAGE_ID_REUSED: _message_id_again,
    FaultResponseCode.REFERENCE_USED: _reference_again,
    FaultResponseCode.UNKNOWN_FAULT_REPORT: _unknown,
    FaultResponseCode.WRONG_STATE: _not_resolved,
    FaultResponseCode.NOT_AMENDABLE: _another_service,
    FaultResponseCode.KEY_REFUSED: _unknown_key,
}


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize("code", [code for code in FaultResponseCode if code])
def test_endpoint_refuses_in_the_words_of_the_examples(code: FaultResponseCode) -> None:
    answer = REFUSED[code]()
    values = samples.values(answer)
    text = values["error_message"].replace(samples.service().service_identifier, examples.SERVICE)

    path, example = examples.REFUSALS[code]
    assert (answer.status, values["response_code"]) == (400, str(int(code)))
    assert text == example
    assert f"<{path}Response" in answer.content.decode()


@pytest.mark.usefixtures("network")
def test_reports_are_rejected_in_the_words_of_the_page() -> None:
    wrong = [
        samples.request(description="", service_affected="FBR199999999"),
        replace(samples.outage(), appointment_reservation_key=""),
        samples.request(
            fault_type="Performance Issue", appointment_reservation_key=str(samples.reserve().key)
        ),
    ]
    reports = [samples.pending(message) for message in wrong]
    found = [row for report in reports for row in validation.check(report).reasons]

    texts = {row["code"]: row["message"].replace("FBR199999999", examples.SERVICE) for row in found}
    assert texts == {code: text for code, (_, text) in reference.REASON_TEXTS.items()}
    assert FaultReport.objects.count() == len(wrong)


def test_every_path_has_an_example() -> None:
    assert [path for path in PATHS if f"`POST /{path}`)" not in TEXT] == []


def test_every_action_of_a_tester_is_named() -> None:
    assert [name for name in TICKET_ACTIONS if f"`{name}`" not in TEXT] == []
