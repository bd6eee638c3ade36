"""A complex order for the tests, led to each of its stages by the functions that lead it there in life."""

from datetime import date, timedelta
from typing import Any

from django.db import transaction

from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.network.models import AppointmentType
from seller_sandbox.orders import lifecycle, limits
from seller_sandbox.orders.complex import complex_surveys
from seller_sandbox.orders.models import ComplexOrder, Order, VisitPurpose
from seller_sandbox.orders.states import OrderEventKind, OrderState
from seller_sandbox.tests.orders import samples

UPRN = samples.uprn(6)
ESTIMATE = 180_000


def acknowledged(**members: Any) -> Order:
    """The desktop survey is not done yet."""
    return samples.placed(uprn=UPRN, product_name=samples.COMPLEX, **members)


def key(kind: AppointmentType, *, first: date | None = None) -> str:
    """Of the first free slot from a day on."""
    return str(samples.reserve(at=UPRN, product=samples.COMPLEX, appointment_type=kind, not_before=first).key)


def key_for(order: Order, kind: AppointmentType) -> str:
    """Of the first free slot that the order's lower bounds allow."""
    is_survey = kind == AppointmentType.SURVEY
    bound = "earliest_survey_date" if is_survey else "earliest_appointment_date"
    return key(kind, first=date.fromisoformat(course(order)[bound]))


@transaction.atomic
def record_desktop(order: Order, **result: Any) -> None:
    complex_surveys.record_desktop_survey(lifecycle.lock(order.seller_order_reference), **result)


@transaction.atomic
def record_physical(order: Order, **result: Any) -> None:
    complex_surveys.record_physical_survey(lifecycle.lock(order.seller_order_reference), **result)


# --- stages -------------------------------------------------------------------------------------------------
def estimated(**result: Any) -> Order:
    """The desktop survey is completed: with an estimate unless the result says something else."""
    order = acknowledged()
    record_desktop(order, **(result or {"estimate_pence": ESTIMATE}))
    return samples.fresh(order)


def survey_planned(**result: Any) -> Order:
    order = estimated(**result)
    answer = {} if result.get("is_skipped") else {"complex_answer": "acceptEstimate"}
    return samples.amend(order, reservation_key=key_for(order, AppointmentType.SURVEY), **answer)


def surveyed(**result: Any) -> Order:
    return finish(survey_planned(**result), "EXTCOMP")


def priced(*, cost_pence: int = ESTIMATE, is_skipped: bool = False, **result: Any) -> Order:
    """The cost is finalised; `is_skipped` is the desktop survey."""
    order = surveyed(**({"is_skipped": True} if is_skipped else {}))
    record_physical(order, cost_pence=cost_pence, **result)
    return samples.fresh(order)


def build_planned(**result: Any) -> Order:
    order = priced(**result)
    return samples.amend(
        order, complex_answer="acceptCost", reservation_key=key_for(order, AppointmentType.EXTERNAL)
    )


def built() -> Order:
    return finish(build_planned(), "EXTCOMP")


def committed() -> Order:
    order = built()
    return samples.amend(order, reservation_key=key_for(order, AppointmentType.INTERNAL))


# --- the partner --------------------------------------------------------------------------------------------
def job_of(order: Order, purpose: VisitPurpose) -> Job:
    """The job of the newest visit for a purpose."""
    return order.visits.filter(purpose=purpose).select_related("job").last().job


def finish(order: Order, code: str, *, secondary: str = "") -> Order:
    """The partner closes the planned visit in its slot, or later when the slot has passed."""
    job = samples.accepted(order)
    samples.until(order, job.starts_at)
    close(job, code, secondary=secondary)
    return samples.fresh(order)


def close(job: Job, code: str, *, secondary: str = "") -> None:
    job.state, job.closure_code, job.secondary_code = JobState.CLOSED, code, secondary
    job.save()
    samples.tell(job, "closed")


def cancel_visit(job: Job) -> None:
    """The partner has taken a cancellation."""
    job.state = JobState.CANCELLED
    job.save()
    samples.tell(job, "cancelled")


# --- what became of it --------------------------------------------------------------------------------------
def progress(order: Order) -> ComplexOrder:
    return ComplexOrder.objects.get(order=order)


def course(order: Order) -> dict[str, Any]:
    """The `complex_order` member of the newest notification."""
    return samples.last_members(order)["complex_order"]


def to_window_end(order: Order, *, days: int) -> Order:
    """The order in the last seconds of the window that its newest milestone opened (D9)."""
    opened = order.events.filter(kind=OrderEventKind.MILESTONE).last().at
    end = limits.midnight(limits.local_day(opened) + timedelta(days=days + 1))
    return samples.until(order, end - timedelta(seconds=3))


def assert_cancelled(order: Order, code: str) -> None:
    """By the seller, with this reason, and the buyer knows."""
    order = samples.fresh(order)
    assert (order.state, order.end_code) == (OrderState.CANCELLED, code)
    newest = samples.last_members(order)
    assert (newest["kind"], newest["reason"]["code"]) == ("cancelled", code)
