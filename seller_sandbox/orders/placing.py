"""Takes an order: a row, the notification Pending, and its validation falls due (order-provisioning.md, States)."""

from dataclasses import asdict
from secrets import token_hex
from typing import Any

from django.db import transaction

from seller_sandbox import clock, due_actions
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.messages.models import MessageThread, ThreadKind
from seller_sandbox.network import appointments, services
from seller_sandbox.network.models import Buyer
from seller_sandbox.orders import lifecycle, limits, steps
from seller_sandbox.orders.configurations import in_force
from seller_sandbox.orders.models import Order, OrderKind
from seller_sandbox.orders.states import OrderEventKind
from seller_sandbox.orders.wire.requests import OrderRequest

_LAST_NUMBER = CompiledQuery(lambda: Order.objects.order_by("-id").values_list("id")[:1])
_HELD = CompiledQuery(
    lambda: Order.objects.filter(
        buyer=Parameter("buyer"), buyer_order_reference=Parameter("reference"), holds_reference=True
    ).values_list("pk")
)


@transaction.atomic(savepoint=False)
def receive(request: OrderRequest, *, buyer: Buyer) -> Order:
    """Accept an order for processing; what is wrong with it is said by a notification (D2)."""
    reference = request.header.buyer_order_reference
    order = new_order(
        buyer=buyer,
        buyer_order_reference=reference,
        holds_reference=_may_hold(reference, buyer=buyer),
        correlation_id=request.header.message_id if not reference else request.header.correlation_id,
        kind=request.kind,
        request=_as_json(request),
        uprn=request.uprn,
        new_order_type=request.new_order_type,
        requested_date=request.requested_date,
        site=asdict(request.site),
        configuration=_configuration(request, buyer=buyer),
        auxiliary_services=list(request.auxiliary_services),
        project_reference=request.project_reference,
    )
    lifecycle.record(order, OrderEventKind.RECEIVED)
    # a key that came in time stays valid while the seller takes its time
    appointments.extend_reservation(key=request.reservation_key, buyer=buyer)
    due_actions.schedule(steps.VALIDATE, at=steps.next_step(), subject=order.seller_order_reference)
    return order


def new_order(*, buyer: Buyer, **values: Any) -> Order:
    """An order with its thread, not yet saved: its first event does that."""
    # the tag keeps a fresh sandbox database apart from references that a buyer still has of an older one
    last = _LAST_NUMBER.row()
    reference = f"SO-{clock.today():%y%m%d}-{(last[0] if last else 0) + 1:06d}-{token_hex(2).upper()}"
    thread = MessageThread.add(kind=ThreadKind.ORDER, reference=reference, recipient=buyer.identifier)
    return Order(
        thread=thread, seller_order_reference=reference, buyer=buyer, placed_at=clock.now(), **values
    )


def _may_hold(reference: str, *, buyer: Buyer) -> bool:
    """A reference is unique per buyer; a repeated one stays with the first order."""
    if not 1 <= len(reference) <= limits.REFERENCE_CHARACTERS:
        return False
    return not _HELD.is_found(buyer=buyer.pk, reference=reference)


def _configuration(request: OrderRequest, *, buyer: Buyer) -> dict[str, Any]:
    """What was asked for; a cease asks for nothing, and its notifications say what is in force."""
    wanted = asdict(request.configuration)
    ceased = request.kind == OrderKind.CEASE and services.find_own(request.service_identifier, buyer=buyer)
    return {**wanted, **in_force(ceased)} if ceased else wanted


def _as_json(request: OrderRequest) -> dict[str, Any]:
    stored = (
        "product_name",
        "reservation_key",
        "service_identifier",
        "is_engineer_install",
        "is_cpe_install",
    )
    return {name: getattr(request, name) for name in stored}
