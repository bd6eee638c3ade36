"""Desktop and physical survey of a complex order: what the seller finds out (order-provisioning.md, Limits).

A person records it by the functions here; otherwise the sandbox does it after SANDBOX_SURVEY_WORKING_DAYS.
"""

from datetime import date, datetime, timedelta

from django.conf import settings
from django.db import transaction

from seller_sandbox import clock, due_actions
from seller_sandbox.due_actions import due_action
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.network import appointments, business_days
from seller_sandbox.orders import cancellations, lifecycle, limits, reasons, steps, visits
from seller_sandbox.orders.complex import complex_members
from seller_sandbox.orders.models import ComplexOrder, ComplexStage, Order, VisitPurpose
from seller_sandbox.orders.notification_members import appointment_members
from seller_sandbox.orders.states import OrderEventKind, OrderState

USUAL_ESTIMATE_PENCE = 180_000
USUAL_SURVEY_COST_PENCE = 25_000
# from the desktop survey to the first physical one, and from the finalised cost to the first build
SURVEY_LEAD_WORKING_DAYS = 5
BUILD_LEAD_WORKING_DAYS = 10


def schedule_desktop_survey(order: Order) -> None:
    """At the latest on the tenth working day after the order (Limits)."""
    _schedule(steps.DESKTOP_SURVEY, order, since=order.placed_at)


def schedule_cost(order: Order) -> None:
    """The cost is finalised some working days after the visit."""
    _schedule(steps.FINALISE_COST, order, since=clock.now())


def _schedule(name: str, order: Order, *, since: datetime) -> None:
    days = min(settings.SURVEY_WORKING_DAYS, limits.REMOTE_SURVEY_WORKING_DAYS)
    day = business_days.add_business_days(limits.local_day(since), days)
    at = max(limits.midnight(day), steps.next_step())
    due_actions.schedule(name, at=at, subject=order.seller_order_reference)


@due_action(steps.DESKTOP_SURVEY)
def survey_desktop(subject: str) -> None:
    """Nobody has recorded a result: the usual estimate."""
    order = lifecycle.lock(subject)
    if _stage(order) == ComplexStage.DESKTOP_SURVEY:
        record_desktop_survey(order, estimate_pence=USUAL_ESTIMATE_PENCE)


@due_action(steps.FINALISE_COST)
def finalise_cost(subject: str) -> None:
    """Nobody has recorded a result: the estimate holds."""
    order = lifecycle.lock(subject)
    if _stage(order) == ComplexStage.PHYSICAL_SURVEY_COMPLETED:
        estimate = complex_members.load(order).estimate_pence
        record_physical_survey(order, cost_pence=USUAL_ESTIMATE_PENCE if estimate is None else estimate)


def _stage(order: Order) -> str | None:
    is_under_way = order.state == OrderState.ACKNOWLEDGED
    return complex_members.load(order).stage if is_under_way else None


@transaction.atomic
def record_desktop_survey(
    order: Order,
    *,
    estimate_pence: int | None = None,
    is_skipped: bool = False,
    is_possible: bool = True,
    earliest_survey_date: date | None = None,
) -> None:
    """End the desktop survey of a locked order: with an estimate, skipped, or because it cannot be done at all.

    The buyer has 45 days for its answer and the survey appointment; a skipped survey needs no answer, so with an
    appointment that came with the order its visit is planned. Raises ActionNotPossible.
    """
    progress = _progress_in(order, ComplexStage.DESKTOP_SURVEY)
    if not is_possible:
        _cancel(order)
        return
    if is_skipped == (estimate_pence is not None):
        raise ActionNotPossible("Give either estimate_pence or is_skipped.")
    due_actions.cancel(steps.DESKTOP_SURVEY, subject=order.seller_order_reference)
    progress.is_desktop_survey_skipped = is_skipped
    progress.estimate_pence = _pence("estimate_pence", estimate_pence)
    progress.earliest_survey_date = _first_day(
        "earliest_survey_date", earliest_survey_date, usual_working_days=SURVEY_LEAD_WORKING_DAYS
    )
    _keep_early_appointment(order, progress)
    if is_skipped and order.appointment:
        _begin_physical_survey(order, progress)
        return
    steps.open_window(order, days=limits.ESTIMATE_WINDOW_DAYS, reason=reasons.NO_ANSWER)
    notes = f"Estimate: {_pounds(estimate_pence)}" if estimate_pence is not None else None
    reach(order, progress, ComplexStage.DESKTOP_SURVEY_COMPLETED, notes=notes)


def _begin_physical_survey(order: Order, progress: ComplexOrder) -> None:
    """Nothing is awaited of the buyer: the milestone confirms the appointment that came with the order."""
    progress.confirmed_survey_date = limits.local_day(order.appointment.starts_at)
    reach(order, progress, ComplexStage.DESKTOP_SURVEY_COMPLETED)
    progress.stage = ComplexStage.PHYSICAL_SURVEY
    progress.save(update_fields=["stage"])
    visits.plan(order, purpose=VisitPurpose.SURVEY, appointment=order.appointment)


@transaction.atomic
def record_physical_survey(
    order: Order,
    *,
    cost_pence: int | None = None,
    needs_civils: bool = False,
    is_possible: bool = True,
    survey_cost_pence: int = USUAL_SURVEY_COST_PENCE,
    earliest_appointment_date: date | None = None,
) -> None:
    """Finalise the cost of a locked order whose physical survey is done, or cancel it (Complex-order rules 2).

    `survey_cost_pence` is what a buyer who cancels may owe. The buyer has 45 days for its answer and the appointment
    of the build to wall. Raises ActionNotPossible.
    """
    progress = _progress_in(order, ComplexStage.PHYSICAL_SURVEY_COMPLETED)
    if not is_possible:
        _cancel(order)
        return
    if cost_pence is None:
        raise ActionNotPossible("Give cost_pence, the finalised cost in pence, or is_possible=False.")
    due_actions.cancel(steps.FINALISE_COST, subject=order.seller_order_reference)
    progress.cost_pence = _pence("cost_pence", cost_pence)
    progress.survey_cost_pence = _pence("survey_cost_pence", survey_cost_pence)
    progress.needs_civils = needs_civils
    progress.earliest_appointment_date = _first_day(
        "earliest_appointment_date", earliest_appointment_date, usual_working_days=BUILD_LEAD_WORKING_DAYS
    )
    steps.open_window(order, days=limits.COST_WINDOW_DAYS, reason=reasons.NO_ANSWER)
    reach(order, progress, ComplexStage.COST_FINALISED, notes=f"Finalised cost: {_pounds(cost_pence)}")


def reach(order: Order, progress: ComplexOrder, stage: ComplexStage, *, notes: str | None = None) -> None:
    """Reach a milestone and notify the buyer (Complex-order rules 5: the table allows it while Acknowledged only)."""
    progress.stage = stage
    progress.milestones = [*progress.milestones, {"name": stage.value, "at": clock.now().isoformat()}]
    progress.save()
    lifecycle.record(
        order,
        OrderEventKind.MILESTONE,
        details={"milestone": stage.value},
        appointment=appointment_members(order.appointment),
        notes=notes,
    )


def _progress_in(order: Order, stage: ComplexStage) -> ComplexOrder:
    if _stage(order) != stage:
        raise ActionNotPossible(
            f"The order {order.seller_order_reference} is not at the stage {stage.value}. "
            "Look at its stage and record the survey that it waits for."
        )
    return complex_members.load(order)


def _cancel(order: Order) -> None:
    cancellations.end(order, OrderEventKind.SELLER_CANCELLED, reasons.SURVEY_FAILED.as_members())


def _keep_early_appointment(order: Order, progress: ComplexOrder) -> None:
    """A survey appointment that came with the order holds unless it is too early."""
    appointment = order.appointment
    if appointment is None:
        return
    if limits.local_day(appointment.starts_at) < progress.earliest_survey_date:
        appointments.release(appointment=appointment)
        order.appointment = None
    order.is_appointment_confirmed = order.appointment is not None


def _first_day(name: str, day: date | None, *, usual_working_days: int) -> date:
    """The day that was named, or the usual lead time from today."""
    if day is None:
        return business_days.add_business_days(clock.today(), usual_working_days)
    if day < clock.today() + timedelta(days=1):
        raise ActionNotPossible(f"{name} is {day}. Give a day after today, {clock.today()}.")
    return day


def _pence(name: str, amount: int | None) -> int | None:
    if amount is not None and amount < 0:
        raise ActionNotPossible(f"{name} is {amount}. Give an amount of 0 or more.")
    return amount


def _pounds(pence: int) -> str:
    return f"£{pence / 100:,.2f}"
