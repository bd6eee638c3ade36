"""Which delays of an order are open: several may be at once, and its events say which (order-decisions.md, D16)."""

from typing import Any

from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.orders import reasons
from seller_sandbox.orders.models import Order, OrderEvent
from seller_sandbox.orders.reasons import Reason
from seller_sandbox.orders.states import OrderCondition, OrderEventKind

# no appointment ends these: the survey and the cabinet are awaited whatever the day
LASTING = (reasons.DELAY_SURVEY.code, reasons.DELAY_CABINET.code)
_BEGINNING = {OrderEventKind.DELAYED, OrderEventKind.DELAY_REAPPOINT}
# in the details of an appointment that the buyer has chosen: what only a person of the seller's ends goes on then
BY_BUYER = "by_buyer"
_APPOINTED = {OrderEventKind.REAPPOINTED, OrderEventKind.APPOINTMENT_KEPT}
# a pack that the partner has refused is awaited no more
_VISIT_CHANGED = {OrderEventKind.VISIT_PLANNED, OrderEventKind.VISIT_ENDED, OrderEventKind.VISIT_CANCELLED}
_KINDS = {OrderEventKind.COMMITTED, OrderEventKind.DELAY_ENDED, *_BEGINNING, *_APPOINTED, *_VISIT_CHANGED}
_HISTORY = CompiledQuery(
    lambda: (
        OrderEvent.objects.filter(order=Parameter("order"), kind__in=sorted(_KINDS))
        .order_by("id")
        .values_list("kind", "details")
    )
)


def list_open(order: Order) -> list[Reason]:
    """The delays that have not ended, the newest last."""
    if OrderCondition.DELAY not in order.conditions:
        return []
    codes: list[str] = []
    for kind, details in _HISTORY.rows(order=order.pk):
        codes = _codes_after(codes, kind, details)
    known = reasons.by_code()
    return [known[code] for code in codes]


def _codes_after(codes: list[str], kind: str, details: dict[str, Any]) -> list[str]:
    begun = details.get("delay", {}).get("code", "")
    if kind in _BEGINNING:
        return [*(code for code in codes if code != begun), begun]
    if kind == OrderEventKind.COMMITTED:
        return [begun] if begun else []
    if kind == OrderEventKind.DELAY_ENDED:
        # without a code: all of them
        ended = details.get("code", "")
        return [code for code in codes if ended and code != ended]
    if kind in _APPOINTED:
        return [code for code in codes if outlasts_appointment(code, by_buyer=BY_BUYER in details)]
    return [code for code in codes if code != reasons.DELAY_PARTNER.code]


def outlasts_appointment(code: str, *, by_buyer: bool) -> bool:
    """Whether a delay goes on when the order is appointed: 235 does, whatever the buyer chooses."""
    return code in LASTING or (by_buyer and code == reasons.DELAY_REVIEW.code)


def is_open(order: Order, reason: Reason) -> bool:
    """Whether an order is delayed by this, perhaps among other reasons."""
    return reason in list_open(order)


def is_reviewed(order: Order) -> bool:
    """Whether the seller looks into the order (235): no clock and no closure code makes an appointment then (D16)."""
    return is_open(order, reasons.DELAY_REVIEW)
