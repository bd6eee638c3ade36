"""Answers, faults and the buyer's acknowledgement: what is sent keeps to our own schemas (docs/order-messages.md)."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from seller_sandbox import clock
from seller_sandbox.endpoints import operations
from seller_sandbox.orders.wire import answer_examples, callback, examples, responses, seller_messages
from seller_sandbox.orders.wire.namespaces import BASE, INTERFACE, base
from seller_sandbox.soap import envelope, schema_model, schemas, soap_faults, validation
from seller_sandbox.soap.namespaces import SOAP, soap
from seller_sandbox.soap.problems import FaultCode, InvalidMessage, MessageProblem, NotXml

FAULT = (
    f'<s:Envelope xmlns:s="{SOAP}"><s:Body><s:Fault><faultcode>s:Client</faultcode>'
    "<faultstring>No such order</faultstring></s:Fault></s:Body></s:Envelope>"
).encode()


@pytest.fixture(autouse=True)
def _sandbox_time():
    with clock.at(examples.MOMENT):
        yield


def element_of(content: bytes) -> etree._Element:
    """The only element of the Body, which keeps to our schema; of a fault its detail does."""
    element = envelope.open_envelope(content)
    detail = element.find("detail")
    if element.tag != soap("Fault"):
        validation.validate(element, INTERFACE)
    elif detail is not None:
        validation.validate(detail[0], INTERFACE)
    return element


@pytest.mark.parametrize(
    ("title", "make"), answer_examples.ANSWERS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_answer_keeps_to_the_schema(title: str, make: Callable[[], bytes]) -> None:
    element_of(make())


def test_every_answer_of_the_schema_has_an_example() -> None:
    made = {element_of(make()).tag for _, make in answer_examples.ANSWERS}
    declared = {tag for tag in schema_model.messages(INTERFACE) if tag.endswith("Response")}

    assert made == {*declared, soap("Fault")}


def test_answer_of_an_order_is_empty() -> None:
    element = element_of(responses.order_response())

    assert (element.tag, len(element), element.text) == (base("orderResponse"), 0, None)


def test_answer_has_a_header_of_its_own() -> None:
    header = seller_messages.read(responses.products_response(examples.HEADER, [])).values["header"]

    assert header.pop("message_id") != examples.MESSAGE_ID
    assert header == {
        "correlation_id": examples.CORRELATION_ID,
        "sent_at": examples.MOMENT,
        "buyer_identifier": "BUYERA",
        "seller_identifier": "SANDBOX",
    }


@pytest.mark.parametrize("answer", [responses.amend_response, responses.cancel_response])
def test_change_is_pending_or_rejected_up_front(answer: Callable[..., bytes]) -> None:
    reason = {"code": "547", "message": "The order has ended"}
    request = examples.AMENDMENT if answer is responses.amend_response else examples.CANCELLATION

    pending = seller_messages.read(answer(request)).values
    rejected = seller_messages.read(answer(request, reason=reason)).values

    assert (pending["status"], pending.get("reason")) == ("Pending", None)
    assert (rejected["status"], rejected["reason"]) == ("Rejected", reason)
    assert rejected["header"]["buyer_order_reference"] == examples.BUYER_REFERENCE
    assert rejected["target_seller_order_reference"] == examples.SELLER_REFERENCE


def test_change_of_an_order_that_was_named_by_nothing_is_answered() -> None:
    request = replace(examples.CANCELLATION, target_seller_order_reference="")

    element = element_of(
        responses.cancel_response(request, reason={"code": "546", "message": "No such order"})
    )

    assert element.find(base("targetSellerOrderReference")) is None


def test_details_of_queries_are_read_as_they_were_written() -> None:
    found = seller_messages.read(
        responses.address_search_response(examples.HEADER, [answer_examples.LOCATION])
    )
    offered = seller_messages.read(responses.products_response(examples.HEADER, [answer_examples.AVAILABLE]))
    installed = seller_messages.read(
        responses.installation_response(examples.HEADER, [answer_examples.INSTALLATION])
    )

    assert found.values["locations"][0] == {
        "uprn": "1000101",
        "address_lines": ["1 Harrowgate Lane"],
        "town": "Kirkwell",
        "postcode": "LS30 1AA",
        "rfs_status": "RFS_1",
        "cabinet_release_date": "2025-10-19",
        "loc_codes": ["MDU", "SUR"],
        "is_pre_order": False,
        "dr_status": "DR3",
        "property_type": "FTTH",
        "classification": "Residential",
    }
    assert offered.values["products"] == [
        {
            "product_name": examples.PRODUCT,
            "appointment_required": "yes",
            "nni_identifiers": ["ENNI-A1", "ENNI-A2"],
            "is_complex": True,
        }
    ]
    assert installed.values["installations"][0]["ont_identifier"] == "CXNK00A1B2C3"
    assert installed.values["installations"][0]["ont_port"] == "1"


def test_product_that_is_not_complex_says_nothing_of_it() -> None:
    product = replace(answer_examples.AVAILABLE, is_complex=False)

    assert b"isComplexOrder" not in responses.products_response(examples.HEADER, [product])


def test_slot_in_summer_keeps_its_local_time() -> None:
    slot = tuple(moment.replace(month=7) for moment in (answer_examples.APPOINTMENT.starts_at,) * 2)

    content = responses.appointments_response(examples.HEADER, slots=[slot])

    assert seller_messages.read(content).values["slots"] == [
        {"slot_date": "2026-07-02", "slot_start": "09:00:00+01:00", "slot_end": "09:00:00+01:00"}
    ]


@given(st.text(max_size=3000))
def test_any_text_can_be_written(text: str) -> None:
    reason = {"code": "547", "message": text or "x"}

    element_of(responses.cancel_response(examples.CANCELLATION, reason=reason))


# --- faults -------------------------------------------------------------------------------------------------
def test_fault_lists_all_problems() -> None:
    fault = soap_faults.of_message(answer_examples.INVALID, INTERFACE)
    element = element_of(fault.content)

    assert fault.status == 400
    assert element.findtext("faultcode") == "soapenv:Client"
    assert element.findtext("faultstring") == "The message has 2 problems"
    paths = [row.findtext(base("path")) for row in element.iter(base("problem"))]
    assert paths == ["orderRequest/message", "orderRequest/alaCease/requestedDate"]


def test_single_problem_is_the_text_of_the_fault() -> None:
    element = element_of(
        soap_faults.of_message(NotXml("The message is empty", "Send an envelope"), INTERFACE).content
    )

    assert element.findtext("faultstring") == "The message is empty. Send an envelope"


def test_fault_of_a_header_entry_has_no_detail() -> None:
    problem = InvalidMessage(MessageProblem("Envelope/Header/x", "?", "!"), code=FaultCode.MUST_UNDERSTAND)
    element = element_of(soap_faults.of_message(problem, INTERFACE).content)

    assert (element.findtext("faultcode"), element.find("detail")) == ("soapenv:MustUnderstand", None)


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        (soap_faults.of_status(403, "A partner may not order"), 403, "soapenv:Client"),
        (soap_faults.of_status(503, "Try again"), 503, "soapenv:Server"),
    ],
)
def test_refusals_of_the_transport_are_faults(fault: soap_faults.SoapFault, status: int, code: str) -> None:
    assert fault.status == status
    assert element_of(fault.content).findtext("faultcode") == code


@pytest.mark.parametrize(
    ("content_type", "is_right"),
    [
        ("text/xml", True),
        ("text/xml; charset=utf-8", True),
        ('TEXT/XML; charset="UTF-8"; action=x', True),
        ("text/xml;charset=utf-16", True),
        ("text/xml; charset=us-ascii", True),
        ("text/xml; charset=iso-8859-1", False),
        ("application/soap+xml", False),
        ("application/xml", False),
        ("application/json", False),
        ("", False),
        ("text/xml\r\nX: y", False),
        (";;", False),
    ],
)
def test_media_type(content_type: str, *, is_right: bool) -> None:
    assert operations.is_readable(content_type, operations.find("order")) == is_right


# --- the buyer's answer to a notification ---------------------------------------------------------------------
def test_acknowledgement_is_read() -> None:
    answer = callback.read(callback.acknowledge("m-1"))

    assert answer.acknowledges("m-1")
    assert not answer.acknowledges("m-2")


@pytest.mark.parametrize("inside", ["", "<!-- thanks -->"])
def test_acknowledgement_may_name_nothing(inside: str) -> None:
    content = (
        f'<s:Envelope xmlns:s="{SOAP}"><s:Body><notifyOfOrderStatusResponse xmlns="{BASE}">{inside}'
        "</notifyOfOrderStatusResponse></s:Body></s:Envelope>"
    )

    assert callback.read(content.encode()).acknowledges("m-1")


@pytest.mark.parametrize("content", [FAULT, FAULT.replace(b"faultstring", b"faultmessage")])
def test_fault_of_a_buyer_is_read(content: bytes) -> None:
    answer = callback.read(content)

    assert not answer.acknowledges("m-1")
    assert (answer.fault_code, answer.fault_message) == ("Client", "No such order")


@pytest.mark.parametrize(
    "content",
    [b"", b"OK", b"<ok/>", b"{}", responses.order_response(), callback.acknowledge("m")[:-40], b"\xff"],
)
def test_anything_else_is_no_acknowledgement(content: bytes) -> None:
    answer = callback.read(content)

    assert not answer.acknowledges("m")
    assert answer.problem


# --- schema files -------------------------------------------------------------------------------------------
def test_every_schema_file_is_served() -> None:
    assert {*INTERFACE.files} == {path.name for path in INTERFACE.folder.iterdir()}


@pytest.mark.parametrize("name", INTERFACE.files)
def test_schema_files_are_served_with_the_namespaces_filled_in(name: str) -> None:
    content = schemas.content(INTERFACE, name)

    assert b"{ext_namespace}" not in content
    assert etree.fromstring(content).get("version") == "2.31"


@pytest.mark.parametrize("name", ["", "none.xsd", "../schemas.py", "/etc/passwd"])
def test_other_files_are_not_served(name: str) -> None:
    with pytest.raises(KeyError):
        schemas.content(INTERFACE, name)
