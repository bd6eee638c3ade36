"""Sends a buyer's message from the console: as XML, to the same receiver as every message over the wire.

So nothing is possible by form that is not possible by message: the same schema, answer, message log and rules.
"""

from dataclasses import replace
from uuid import uuid4

from django.conf import settings

from seller_sandbox import clock
from seller_sandbox.endpoints.exchange import Request
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.network.models import Buyer
from seller_sandbox.orders import receiver
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.wire import callback, parsing, paths, seller_messages
from seller_sandbox.orders.wire.requests import Header, ParsedRequest, ReserveAppointmentRequest
from seller_sandbox.orders.wire.seller_messages import SellerMessage
from seller_sandbox.soap.media_type import MEDIA_TYPE

# what the message log shows as the endpoint
ENDPOINT = "console"


def new_header(buyer: Buyer, *, reference: str = "") -> Header:
    return Header(
        message_id=str(uuid4()),
        correlation_id=str(uuid4()),
        sent_at=clock.now(),
        buyer_identifier=buyer.identifier,
        seller_identifier=settings.SELLER_IDENTIFIER,
        buyer_order_reference=reference,
    )


def send(message: ParsedRequest, *, buyer: Buyer) -> SellerMessage:
    """The seller's answer to this message of the buyer. Raises ActionNotPossible with the text of a fault."""
    operation = paths.operation_of(message)
    answer = receiver.receive(
        Request(
            endpoint=ENDPOINT,
            operation=operation,
            method="POST",
            content_type=MEDIA_TYPE,
            body=parsing.build(message),
            subject=buyer.subject,
            address="127.0.0.1",
            path=f"/{operation}",
            role="buyer",
        )
    )
    if answer.status >= 400:
        raise ActionNotPossible(
            f"The seller refused the message: {callback.read(answer.content).fault_message}"
        )
    return seller_messages.read(answer.content)


def reserve(message: ReserveAppointmentRequest, *, buyer: Buyer) -> str:
    """The key of a reserved appointment. Raises ActionNotPossible when the seller rejects the slot."""
    values = send(message, buyer=buyer).values
    _refuse_rejected(values)
    return values["appointment"]["key"]


def send_about(order: Order, message: ParsedRequest) -> None:
    """An amendment or a cancellation by the order's buyer. Raises ActionNotPossible when it is rejected up front."""
    header = replace(new_header(order.buyer), correlation_id=order.correlation_id or str(uuid4()))
    values = send(replace(message, header=header), buyer=order.buyer).values
    _refuse_rejected(values)


def _refuse_rejected(values: dict[str, object]) -> None:
    reason = values.get("reason")
    if isinstance(reason, dict):
        raise ActionNotPossible(f"The seller rejected it: {reason['message']}.")
