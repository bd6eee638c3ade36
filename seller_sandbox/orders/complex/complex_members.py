"""What the buyer of a complex order must do next, and what its notifications say of its course (complexOrder)."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from seller_sandbox import clock
from seller_sandbox.network import business_days, locations, products
from seller_sandbox.network.models import AppointmentType
from seller_sandbox.orders import limits, reasons
from seller_sandbox.orders.late_orders import open_delays
from seller_sandbox.orders.models import ComplexOrder, ComplexStage, Course, Order, OrderKind, VisitPurpose
from seller_sandbox.orders.notification_kinds import BuyerAction
from seller_sandbox.orders.notification_members import date_text
from seller_sandbox.orders.states import OrderCondition

# civils are dug on the next working day at the soonest, and the build to wall comes on a later one
CIVILS_WORKING_DAYS = 1


@dataclass(frozen=True)
class Booking:
    """The appointment that a stage needs, and the flag that asks for it."""

    appointment_type: AppointmentType
    action: BuyerAction


_SURVEY = Booking(AppointmentType.SURVEY, BuyerAction.BOOK_SURVEY)
_EXTERNAL = Booking(AppointmentType.EXTERNAL, BuyerAction.BOOK_EXTERNAL)
_INTERNAL = Booking(AppointmentType.INTERNAL, BuyerAction.BOOK_INTERNAL)
# a stage that is not here waits for the seller
BOOKINGS: dict[ComplexStage, Booking] = {
    ComplexStage.DESKTOP_SURVEY_COMPLETED: _SURVEY,
    ComplexStage.PHYSICAL_SURVEY: _SURVEY,
    ComplexStage.COST_FINALISED: _EXTERNAL,
    ComplexStage.CIVILS: _EXTERNAL,
    ComplexStage.CIVILS_COMPLETED: _EXTERNAL,
    ComplexStage.BUILD_TO_WALL: _EXTERNAL,
    ComplexStage.BUILD_TO_WALL_COMPLETED: _INTERNAL,
    ComplexStage.STANDARD_INSTALL: _INTERNAL,
}
# delays that say whose turn it is; with any other one that stays as it was
SELLER_ACTS = frozenset({reasons.DELAY_REVIEW, reasons.DELAY_NETWORK})
BUYER_BOOKS = frozenset(
    {
        reasons.DELAY_PET,
        reasons.DELAY_APPOINTMENT,
        reasons.DELAY_REAPPOINT,
        reasons.DELAY_ACCESS,
        reasons.DELAY_SAFETY,
        reasons.DELAY_SELLER,
    }
)
BEFORE_CIVILS = {ComplexStage.COST_FINALISED, ComplexStage.CIVILS}


def load(order: Order) -> ComplexOrder:
    """The course of a complex order; one that has not begun is not saved yet."""
    return ComplexOrder.objects.filter(order=order).first() or ComplexOrder(order=order)


def awaited_actions(order: Order, progress: ComplexOrder) -> list[BuyerAction]:
    """What the buyer must do before the order goes on; empty when it is the seller's turn."""
    stage = ComplexStage(progress.stage)
    booking = BOOKINGS.get(stage)
    actions = [_ANSWERS[stage]] if stage in _ANSWERS and not _has_answered(progress) else []
    if booking and order.appointment is None and not _does_seller_act(order):
        actions.append(booking.action)
    return actions


def _does_seller_act(order: Order) -> bool:
    """A visit was in vain, and the seller decides, repairs or appoints anew; the buyer may send a key all the same."""
    if OrderCondition.CABINET_SLIP in order.conditions:
        return True
    turns = [reason for reason in open_delays.list_open(order) if reason in SELLER_ACTS | BUYER_BOOKS]
    return bool(turns) and turns[-1] in SELLER_ACTS


_ANSWERS = {
    ComplexStage.DESKTOP_SURVEY_COMPLETED: BuyerAction.ANSWER_ESTIMATE,
    ComplexStage.COST_FINALISED: BuyerAction.ANSWER_COST,
}


def _has_answered(progress: ComplexOrder) -> bool:
    """Whether the price of this stage is accepted; a skipped desktop survey has none (Complex-order rules 4)."""
    if progress.stage == ComplexStage.DESKTOP_SURVEY_COMPLETED:
        return progress.is_desktop_survey_skipped or progress.estimate_accepted_at is not None
    return progress.cost_accepted_at is not None


def earliest_day(order: Order, progress: ComplexOrder) -> date | None:
    """The lower bound of the appointment that the stage needs (complexOrder, earliest dates)."""
    booking = BOOKINGS.get(ComplexStage(progress.stage))
    if booking == _SURVEY:
        return progress.earliest_survey_date
    return earliest_appointment_date(order, progress)


def earliest_appointment_date(order: Order, progress: ComplexOrder) -> date | None:
    """For Build to Wall and Standard Install; civils that are still to come move it."""
    earliest = progress.earliest_appointment_date
    if earliest is None or not progress.needs_civils or progress.stage not in BEFORE_CIVILS:
        return earliest
    return max(earliest, _day_after_civils(order))


def _day_after_civils(order: Order) -> date:
    civils = order.visits.filter(purpose=VisitPurpose.CIVILS, ended_at=None).select_related("job").last()
    if civils:
        return limits.local_day(civils.job.starts_at) + timedelta(days=1)
    return business_days.add_business_days(clock.today(), CIVILS_WORKING_DAYS + 1)


def members_of(order: Order) -> dict[str, Any] | None:
    """The `complex_order` member of a notification; None for any other order, and for one that has ended."""
    if not order.is_in_flight or not _is_complex(order):
        return None
    progress = load(order)
    stage = ComplexStage(progress.stage)
    is_survey_open = BOOKINGS.get(stage) == _SURVEY and order.appointment is None
    return {
        "stage": stage.value,
        "awaiting_buyer_action": [action.value for action in awaited_actions(order, progress)],
        "earliest_survey_date": date_text(progress.earliest_survey_date),
        "confirmed_survey_date": None if is_survey_open else date_text(progress.confirmed_survey_date),
        "earliest_appointment_date": date_text(earliest_appointment_date(order, progress)),
        "milestones": [milestone["name"] for milestone in progress.milestones],
    }


def _is_complex(order: Order) -> bool:
    """A course is chosen when the order is validated; before that it is what was asked for, and where."""
    if order.course or order.kind != OrderKind.NEW_INSTALL:
        return order.course == Course.COMPLEX
    product = products.find(order.request.get("product_name", ""))
    if product is None or not product.is_complex:
        return False
    location = locations.find(order.uprn)
    return location is not None and products.is_complex_at(product=product, location=location)
