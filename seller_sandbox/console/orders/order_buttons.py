"""Which buttons the page of an order has: what is possible now, and the choices of each form."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from seller_sandbox import clock
from seller_sandbox.console import slot_choices, text_formats
from seller_sandbox.console.notification_history import notification_label
from seller_sandbox.console.orders import buyer_requests, order_form
from seller_sandbox.console.orders.order_wording import COMPLEX_ANSWERS
from seller_sandbox.messages.models import OutboundMessage, OutboundState
from seller_sandbox.network import services
from seller_sandbox.network.models import AppointmentType
from seller_sandbox.orders import amendment_rules, reasons, seller_actions, visits
from seller_sandbox.orders.appointments import missed_visits
from seller_sandbox.orders.late_orders import delays, open_delays
from seller_sandbox.orders.late_orders.exclusion_codes import ExclusionCode
from seller_sandbox.orders.models import Course, Order, OrderKind, OrderVisit
from seller_sandbox.orders.states import OrderState

Choices = list[tuple[str, str]]
SLIP_DAYS = 7
MISSED_TEXTS = {
    "FTA": "by the seller: the engineer failed to attend (FTA)",
    "RNA/NA": "by the end user: no access (RNA/NA)",
    "MBORC": "beyond reasonable control (MBORC)",
}
SLOTS_OFFERED = 60


@dataclass(frozen=True)
class SellerButtons:
    """A list is empty and a flag false where the action is not possible now."""

    is_in_flight: bool
    # the seller waits for the closeJob then
    is_engineer_on_site: bool
    uprn: str
    slip_to: str
    missed: Choices
    # when the slot of the planned visit begins, while that lies ahead: for the clock, and for people
    slot_starts: str
    slot_starts_text: str
    can_reappoint: bool
    can_complete: bool
    can_activate: bool
    can_repair: bool
    open_delays: Choices
    delays: Choices
    warnings: Choices
    can_open_case: bool
    cases: list[str]
    visits: Choices
    exclusions: Choices
    refused: int
    repeatable: Choices
    takers: Choices
    takeovers: tuple[str, ...]


@dataclass(frozen=True)
class BuyerButtons:
    """What the order's buyer can send about it; it may send all of it at any time, and is then refused."""

    can_send: bool
    has_slots: bool
    slots: Choices
    slot_note: str
    appointment_types: Choices
    has_date: bool
    cases: list[str]
    answers: Choices
    has_configuration: bool
    nnis: list[str]
    line_profiles: list[str]
    # auxiliary services to add and to cancel
    new_services: Choices
    own_services: Choices
    site_texts: Choices
    site_answers: Choices


def make_seller_buttons(order: Order, messages: list[OutboundMessage]) -> SellerButtons:
    visit = visits.planned(order)
    is_committed = order.state == OrderState.COMMITTED
    is_in_hand = order.state in {OrderState.ACKNOWLEDGED, OrderState.COMMITTED}
    made = list(order.visits.select_related("job"))
    is_install = order.kind == OrderKind.NEW_INSTALL
    is_slot_ahead = bool(visit and visit.appointment and visit.appointment.starts_at > clock.now())
    has_begun = visit is not None and visits.has_begun(visit)
    is_slot_open = bool(visit and order.appointment and not is_slot_ahead and not has_begun)
    can_miss = is_slot_open or missed_visits.counted_as_missed(order) is not None
    return SellerButtons(
        is_in_flight=order.is_in_flight,
        is_engineer_on_site=has_begun,
        uprn=order.location.uprn if order.location else "",
        slip_to=_slip_day(order) if is_committed and order.appointment and not has_begun else "",
        missed=_missed_choices() if can_miss else [],
        **_slot_start(visit if is_slot_ahead else None),
        can_reappoint=is_committed and order.is_appointed and not has_begun,
        can_complete=is_committed and visit is None,
        can_activate=is_committed and is_install and not order.is_appointed,
        can_repair=open_delays.is_open(order, reasons.DELAY_NETWORK),
        open_delays=_open_delays(order) if is_in_hand else [],
        delays=_reason_choices(seller_actions.DELAYS) if is_in_hand else [],
        warnings=_reason_choices(seller_actions.WARNINGS) if is_in_hand and is_install else [],
        can_open_case=is_in_hand,
        cases=_open_cases(order),
        visits=[(visit.job.seller_job_id, _visit_text(visit)) for visit in made],
        exclusions=_exclusions() if made else [],
        refused=_count_refused(messages, made),
        repeatable=_repeatable(messages),
        takers=_takers(order),
        takeovers=buyer_requests.TAKEOVERS,
    )


def make_buyer_buttons(order: Order) -> BuyerButtons:
    slots, note = _slots(order)
    is_complex = order.course == Course.COMPLEX
    return BuyerButtons(
        can_send=order.is_in_flight,
        has_slots=order.is_appointed and order.is_in_flight,
        slots=slots,
        slot_note=note,
        appointment_types=[kind for kind in AppointmentType.choices if kind[0] not in {"install", "repair"}]
        if is_complex
        else [],
        has_date=not order.is_appointed,
        cases=_open_cases(order),
        answers=[(value, f"The buyer {text}") for value, text in COMPLEX_ANSWERS.items()]
        if is_complex
        else [],
        **_configuration_fields(order),
        **_service_fields(order),
        **_site_fields(order),
    )


def _configuration_fields(order: Order) -> dict[str, Any]:
    return {
        "has_configuration": amendment_rules.allows(order, "configuration"),
        "nnis": [nni.identifier for nni in order.buyer.nnis.all()],
        "line_profiles": order_form.list_line_profiles(order.product),
    }


def _service_fields(order: Order) -> dict[str, Any]:
    """Every one of the account, also those that the product cannot have: the amendment is rejected then."""
    own = order.auxiliary_services
    found = order_form.list_auxiliary_services(order.buyer)
    titles = dict(found)
    new_services = [choice for choice in found if choice[0] not in own]
    own_services = [(code, titles.get(code, code)) for code in own]
    return {
        "new_services": new_services if amendment_rules.allows(order, "auxiliary_services") else [],
        "own_services": own_services if amendment_rules.allows(order, "cancelled_auxiliary_services") else [],
    }


def _site_fields(order: Order) -> dict[str, Any]:
    is_allowed = amendment_rules.allows(order, "site")
    return {
        "site_texts": order_form.named(order_form.SITE_TEXTS) if is_allowed else [],
        "site_answers": order_form.named(order_form.SITE_ANSWERS) if is_allowed else [],
    }


def _slip_day(order: Order) -> str:
    day = text_formats.local(order.appointment.starts_at).date() + timedelta(days=SLIP_DAYS)
    return day.isoformat()


def _slot_start(visit: OrderVisit | None) -> dict[str, str]:
    if visit is None or visit.appointment is None:
        return {"slot_starts": "", "slot_starts_text": ""}
    start = visit.appointment.starts_at
    return {
        "slot_starts": f"{text_formats.local(start):%Y-%m-%dT%H:%M}",
        "slot_starts_text": f"{text_formats.full_day(text_formats.local(start))} {text_formats.clock_time(start)}",
    }


def _missed_choices() -> Choices:
    return [(code, MISSED_TEXTS[code]) for code in missed_visits.MISSED]


def _reason_choices(found: dict[str, reasons.Reason]) -> Choices:
    return [(code, f"{code} {reason.message}") for code, reason in sorted(found.items())]


def _open_delays(order: Order) -> Choices:
    return [(reason.code, f"{reason.code} {reason.message}") for reason in delays.list_endable(order)]


def _open_cases(order: Order) -> list[str]:
    return list(order.cases.filter(closed_at=None).values_list("reference", flat=True))


def _visit_text(visit: OrderVisit) -> str:
    window = text_formats.full_window(visit.job.starts_at, visit.job.ends_at)
    return f"{visit.get_purpose_display()}, {window}"


def _exclusions() -> Choices:
    return [
        (code, f"{code} {text_formats.shortened(label, most=70)}") for code, label in ExclusionCode.choices
    ]


def _count_refused(messages: list[OutboundMessage], made: list[OrderVisit]) -> int:
    """Of the order, and of the jobs that it has now."""
    open_threads = [visit.job.thread_id for visit in made if visit.ended_at is None]
    by_partner = OutboundMessage.objects.filter(thread__in=open_threads, state=OutboundState.REFUSED)
    return by_partner.count() + sum(message.state == OutboundState.REFUSED for message in messages)


def _repeatable(messages: list[OutboundMessage]) -> Choices:
    """Delivered notifications, the newest first, each once."""
    from_newest = {
        str(message.message_id): notification_label(message)
        for message in reversed(messages)
        if message.state == OutboundState.DELIVERED
    }
    return list(from_newest.items())


def _takers(order: Order) -> Choices:
    service = services.find_live(order.location) if order.location else None
    if service is None:
        return []
    return [(buyer.identifier, buyer.name) for buyer in buyer_requests.list_takers(service)]


def _slots(order: Order) -> tuple[Choices, str]:
    """Free slots of a new appointment, soonest first; one list, because a slot is the area's for each type."""
    if not (order.is_in_flight and order.is_appointed and order.location and order.product):
        return [], ""
    kind = slot_choices.types_of(order.product, order.location)[0]
    found, note = slot_choices.list_free(
        location=order.location, product=order.product, buyer=order.buyer, appointment_type=kind
    )
    return slot_choices.choices_of(found[:SLOTS_OFFERED]), note
