"""amendOrder with elements that name nothing (order-messages.md, amendOrderRequest; D5)."""

import pytest
from lxml import etree

from seller_sandbox.endpoints.exchange import Answer, Request
from seller_sandbox.orders import reasons, receiver
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.wire import parsing
from seller_sandbox.orders.wire.requests import AmendOrderRequest
from seller_sandbox.tests.orders import samples

pytestmark = pytest.mark.usefixtures("network")


def amend_with(order: Order, inside: str) -> Answer:
    """amendOrder with this inside its `amendment`."""
    wanted = AmendOrderRequest(samples.header(reference=""), order.seller_order_reference)
    content = parsing.build(wanted).decode().replace("<amendment/>", f"<amendment>{inside}</amendment>")
    return receiver.receive(
        Request(
            endpoint="A",
            operation="amendOrder",
            method="POST",
            content_type="text/xml",
            body=content.encode(),
            subject="buyer-a",
            address="127.0.0.1",
            role="buyer",
        )
    )


@pytest.mark.parametrize(
    "inside",
    [
        "",
        "<siteInformation/>",
        "<appointmentType><install/></appointmentType>",
        "<serviceConfiguration/>",
        "<auxiliaryServices/>",
        "<siteInformation/><cancelledAuxiliaryServices/>",
        "<addressKey/><productName/><appointmentReservationKey/>",
        "<caseReply><caseReference>CASE-1</caseReference><comment/></caseReply>",
    ],
)
def test_amendment_that_names_nothing_is_rejected_up_front(inside: str) -> None:
    """D5."""
    order = samples.placed()

    answer = amend_with(order, inside)

    assert answer.status == 200
    code = etree.fromstring(answer.content).findtext(".//{*}rejectionReasonCode")
    assert code == reasons.AMEND_EMPTY.code


@pytest.mark.parametrize("empty", ["addressKey", "productName", "appointmentReservationKey"])
def test_element_without_content_counts_as_absent(empty: str) -> None:
    """As in an order: it is neither another UPRN or product nor an unknown key."""
    order = samples.appointed()
    hazards = "<siteInformation><hazards>A loose step</hazards></siteInformation>"

    amend_with(order, f"<{empty}/>{hazards}")
    order = samples.after(order, seconds=samples.A_MINUTE)

    (amendment,) = order.amendments.all()
    assert (amendment.changes, amendment.reason) == ({"site": {"hazards": "A loose step"}}, "")
