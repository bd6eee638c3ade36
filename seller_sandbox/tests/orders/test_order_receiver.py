"""A buyer's messages as they come in: once, twice, wrong (docs/order-messages.md; order-decisions.md, D2 to D5)."""

from dataclasses import replace
from typing import Any

import pytest
from lxml import etree

from seller_sandbox.endpoints.exchange import Answer, Request
from seller_sandbox.messages.models import InboundMessage
from seller_sandbox.network.models import Appointment
from seller_sandbox.orders import receiver
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.wire import parsing
from seller_sandbox.orders.wire.requests import (
    AddressSearchQuery,
    AmendOrderRequest,
    AppointmentsQuery,
    CancelOrderRequest,
    InstallationDetailsQuery,
    ParsedRequest,
    ProductsQuery,
    ReserveAppointmentRequest,
)
from seller_sandbox.tests.orders import samples
from seller_sandbox.tests.orders.samples import uprn

pytestmark = pytest.mark.usefixtures("network")


def send(
    message: ParsedRequest | bytes, *, path: str = "", subject: str = "buyer-a", endpoint: str = "A"
) -> Answer:
    content = message if isinstance(message, bytes) else parsing.build(message)
    return receiver.receive(
        Request(
            endpoint=endpoint,
            operation=path,
            method="POST",
            content_type="text/xml",
            body=content,
            subject=subject,
            address="127.0.0.1",
            role="buyer",
        )
    )


def texts(answer: Answer) -> dict[str, list[str]]:
    """All element texts of an answer by local name."""
    found: dict[str, list[str]] = {}
    for element in etree.fromstring(answer.content).iter():
        found.setdefault(etree.QName(element).localname, []).append((element.text or "").strip())
    return found


@pytest.mark.parametrize("path", ["", "order"])
def test_order_is_taken_on_the_one_endpoint_and_on_its_own_path(path: str) -> None:
    answer = send(samples.request(), path=path)

    assert answer.status == 200
    assert set(texts(answer)) == {"Envelope", "Body", "orderResponse"}
    assert samples.kinds(Order.objects.get()) == ["pending"]


def test_message_on_the_path_of_another_operation_gets_a_fault() -> None:
    answer = send(samples.request(), path="ceaseOrder")

    assert answer.status == 400
    assert "Fault" in texts(answer)
    assert not Order.objects.exists()


def test_same_message_again_gets_the_stored_answer_and_has_no_second_effect() -> None:
    """D2."""
    content = parsing.build(samples.request())

    first, second = send(content), send(content)

    assert (first.status, first.content) == (second.status, second.content)
    assert Order.objects.count() == 1
    assert InboundMessage.objects.filter(holds_id=True).count() == 1


def test_message_id_with_another_body_gets_a_fault() -> None:
    """D2."""
    request = samples.request()
    send(request)

    answer = send(replace(request, uprn=uprn(2)))

    assert answer.status == 400
    assert "messageId" in answer.body
    assert Order.objects.count() == 1


def test_buyer_identifier_of_another_certificate_is_refused() -> None:
    """Authentication 1."""
    answer = send(samples.request(), subject="buyer-b")

    assert answer.status == 403
    assert not Order.objects.exists()


@pytest.mark.parametrize("content", [b"", b"<order/>", b"{}", b"\xff\xfe\x00", b"<a><b></a>"])
def test_broken_message_gets_a_fault_with_400_and_is_kept(content: bytes) -> None:
    answer = send(content)

    assert answer.status == 400
    assert InboundMessage.objects.get().answer_status == 400


def test_missing_reference_is_no_fault_but_a_rejection() -> None:
    """D2: a strict schema would make the error rows unreachable."""
    answer = send(samples.request(reference=""))
    samples.clock.move(seconds=samples.A_MINUTE)

    assert answer.status == 200
    assert samples.kinds(Order.objects.get()) == ["pending", "rejected"]


@pytest.mark.locks
@pytest.mark.parametrize("member", ["reference", "uprn", "project_reference"])
def test_longest_text_of_an_order_is_no_fault_but_a_rejection(member: str) -> None:
    """D2. PostgreSQL has no room for 3,000 bytes in an index, unless they can be compressed: these cannot."""
    text = "".join(chr(0x4E00 + number * 7919 % 20_000) for number in range(1000))

    answer = send(samples.request(**{member: text}))
    samples.clock.move(seconds=samples.A_MINUTE)

    assert answer.status == 200
    assert samples.kinds(Order.objects.get()) == ["pending", "rejected"]


def test_search_by_uprn_gives_one_and_by_postcode_several() -> None:
    single = send(AddressSearchQuery(samples.header(), uprn=uprn(1)))
    location = samples.locations.find(uprn(1))
    several = send(AddressSearchQuery(samples.header(), postcode=location.postcode))
    none = send(AddressSearchQuery(samples.header(), uprn="1"))

    assert texts(single)["addressKey"] == [uprn(1)]
    assert texts(several)["addressKey"] == [uprn(1), uprn(1, 2)]
    assert "addressKey" not in texts(none)


def test_products_of_premises_with_exactly_one_of_yes_no_and_maybe() -> None:
    answer = texts(send(ProductsQuery(samples.header(), uprn=uprn(11))))

    assert len(answer["appointmentRequired"]) == len(answer["availableProduct"])
    assert set(answer) >= {"yes", "maybe"}


def test_slots_are_queried_and_reserved_and_the_key_is_good_for_an_order() -> None:
    query = AppointmentsQuery(samples.header(), uprn=uprn(1), product_name=samples.LOCAL_160)
    slots = texts(send(query))
    assert slots["status"] == ["Accepted"]
    free = samples.appointments.list_slots(
        location=samples.locations.find(uprn(1)),
        product=samples.products.find(samples.LOCAL_160),
        buyer=samples.buyer(),
        appointments_from=None,
        appointment_type=samples.AppointmentType.INSTALL,
    )[0]
    start, end = (samples.limits.local(moment) for moment in (free.starts_at, free.ends_at))
    request = ReserveAppointmentRequest(
        samples.header(),
        slot_date=start.date(),
        slot_start=start.time(),
        slot_end=end.time(),
        uprn=uprn(1),
        product_name=samples.LOCAL_160,
    )

    reserved = texts(send(request))

    key = str(Appointment.objects.get().key)
    assert key in [text for values in reserved.values() for text in values]
    assert samples.placed(reservation_key=key).is_appointed


def test_query_that_is_not_possible_is_rejected_with_a_reason() -> None:
    answer = texts(send(AppointmentsQuery(samples.header(), uprn=uprn(60), product_name=samples.LOCAL_160)))

    assert answer["status"] == ["Rejected"]


@pytest.mark.parametrize("by", [{"uprn": uprn(20)}, {"service_identifier": "FBR001002001"}])
def test_installation_details_give_ont_and_port(by: dict[str, str]) -> None:
    """D4: by UPRN or service identifier."""
    answer = texts(send(InstallationDetailsQuery(samples.header(), **by)))

    assert answer["ontPort"] == ["1"]
    assert answer["productName"] == [samples.LOCAL_160]


def test_installation_details_keep_another_buyers_service_to_themselves() -> None:
    """Endpoints, queryInstallationDetails."""
    answer = texts(send(InstallationDetailsQuery(samples.header(), uprn=uprn(24))))

    assert "ontPort" in answer
    assert "serviceIdentifier" not in answer


@pytest.mark.parametrize("kind", [AmendOrderRequest, CancelOrderRequest])
def test_unknown_order_is_rejected_up_front(kind: Any) -> None:
    """D5: synchronous, no notification."""
    rest = ({"site": {"hazards": "None"}},) if kind is AmendOrderRequest else ("300", "No longer required")

    answer = texts(send(kind(samples.header(), "SO-NONE", *rest)))

    assert answer["status"] == ["Rejected"]


@pytest.mark.parametrize("kind", [AmendOrderRequest, CancelOrderRequest])
def test_references_of_two_orders_are_rejected_up_front(kind: type) -> None:
    """D5: there is no order with this pair; a mistaken one must not end another order."""
    order, other = samples.placed(), samples.placed(uprn=uprn(1, 2))
    rest = ({"site": {"hazards": "None"}},) if kind is AmendOrderRequest else ("300", "No longer required")
    wrong = samples.header(reference=other.buyer_order_reference)

    answer = texts(send(kind(wrong, order.seller_order_reference, *rest)))

    assert (answer["status"], answer["rejectionReasonCode"]) == (["Rejected"], ["546"])
    right = kind(samples.header_about(order), order.seller_order_reference, *rest)
    assert texts(send(right))["status"] == ["Pending"]


def test_cancellation_is_pending_in_the_answer() -> None:
    order = samples.appointed()

    answer = texts(
        send(
            CancelOrderRequest(
                samples.header(reference=""), order.seller_order_reference, "300", "No longer required"
            )
        )
    )

    assert answer["status"] == ["Pending"]
    assert samples.kinds(order)[-1] == "cancellationPending"


def test_status_of_an_unreadable_message_is_a_setting(settings) -> None:
    """D3."""
    settings.SOAP_FAULT_STATUS = 500

    assert send(b"").status == 500


def test_message_may_come_to_either_endpoint() -> None:
    """Transport and message rules 7: one seller behind both, so a repeat at the other one has no second effect."""
    first, other = parsing.build(samples.request()), parsing.build(samples.request())

    answers = [send(first, endpoint="A"), send(other, endpoint="B"), send(first, endpoint="B")]

    assert [answer.status for answer in answers] == [200, 200, 200]
    assert answers[2].content == answers[0].content
    assert Order.objects.count() == 2
    accepted = InboundMessage.objects.filter(holds_id=True).order_by("id")
    assert [message.endpoint for message in accepted] == ["A", "B"]


def test_message_for_another_seller_is_a_fault_that_names_us() -> None:
    """Header (field-names.md, 5): sellerIdentifier is the fixed name of the seller. D3."""
    content = parsing.build(samples.request()).replace(b">SANDBOX<", b">OTHER<")

    answer = send(content)

    assert answer.status == 400
    found = texts(answer)
    assert found["path"] == ["orderRequest/seller/sellerIdentifier"]
    assert found["remedy"][0].startswith("Send SANDBOX")
    assert not Order.objects.exists()
