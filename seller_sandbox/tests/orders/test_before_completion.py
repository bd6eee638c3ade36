"""What comes before the completing midnight or the end of a window is decided before it (D14, D9)."""

from collections.abc import Callable
from datetime import date, datetime

import pytest
from django.conf import LazySettings

from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.models import DueAction
from seller_sandbox.network import business_days, services
from seller_sandbox.orders import limits, reasons, steps
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderState
from seller_sandbox.tests.orders import samples, visit_samples
from seller_sandbox.tests.orders.samples import uprn

pytestmark = pytest.mark.usefixtures("network")


@pytest.fixture(autouse=True)
def _slow_seller(settings: LazySettings) -> None:
    """It takes longer over everything than these tests."""
    settings.ORDER_STEP_SECONDS = 20


def just_before(moment: datetime) -> None:
    samples.clock.move(seconds=int((moment - samples.clock.now()).total_seconds()) - 5)


def last_seconds(order: Order) -> Order:
    """Of the day before the one on which it is completed."""
    just_before(limits.midnight(order.requested_date))
    return samples.fresh(order)


def business_day(number: int) -> date:
    return business_days.add_business_days(samples.clock.today(), number)


def activation() -> Order:
    return samples.placed(uprn=uprn(10), requested_date=business_day(3))


def regrade() -> Order:
    return samples.placed(
        uprn=uprn(20), product_name=samples.LOCAL_1000, requested_date=samples.days_ahead(5)
    )


def own_cease() -> Order:
    return samples.placed(
        kind="alaCease",
        uprn="",
        product_name="",
        service_identifier=services.find_live(samples.locations.find(uprn(20))).service_identifier,
        requested_date=samples.days_ahead(40),
    )


def wlto(**members: object) -> Order:
    """BUYERA takes the line of BUYERB."""
    return samples.placed(uprn=uprn(24), product_name=samples.NATIONAL_160, new_order_type="WLTO", **members)


def managed_wlto() -> Order:
    """With an engineer, and a job that the partner has accepted."""
    slot = samples.reserve(at=uprn(24), product=samples.NATIONAL_160, not_before=business_day(12))
    order = wlto(is_engineer_install=True, reservation_key=str(slot.key))
    samples.accepted(order)
    return samples.after(order, seconds=samples.A_MINUTE)


# --- the completing midnight ------------------------------------------------------------------------------------
@pytest.mark.parametrize("make_order", [activation, regrade, own_cease, wlto])
def test_order_is_cancelled_up_to_its_completing_midnight(make_order: Callable[[], Order]) -> None:
    """D14; States, cancelOrder."""
    order = last_seconds(samples.after(make_order(), seconds=samples.A_MINUTE))

    order = samples.cancel(order)

    assert order.state == OrderState.CANCELLED
    assert samples.kinds(order)[-2:] == ["cancellationPending", "cancellationAccepted"]
    for cease in order.linked_ceases.all():
        assert (cease.state, services.find_live(order.location)) == (OrderState.CANCELLED, cease.service)


@pytest.mark.parametrize("make_order", [activation, regrade])
def test_date_is_amended_up_to_the_completing_midnight(make_order: Callable[[], Order]) -> None:
    """Amendment rules 4; Regrade rules 6."""
    order, day = last_seconds(make_order()), business_day(20)

    order = samples.amend(order, requested_date=day.isoformat())

    assert (order.state, order.requested_date) == (OrderState.COMMITTED, day)
    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert samples.at_midnight(order, day).state == OrderState.COMPLETED


def test_amendment_that_moves_nothing_does_not_keep_the_order_from_its_day() -> None:
    order = last_seconds(activation())

    order = samples.amend(order, site={"hazards": "None"})

    assert samples.kinds(order)[-2:] == ["amendmentAccepted", "completed"]


def test_rejected_amendment_does_not_keep_the_order_from_its_day() -> None:
    order = last_seconds(activation())

    order = samples.amend(order, product_name=samples.LOCAL_1000)

    assert samples.kinds(order)[-2:] == ["amendmentRejected", "completed"]


def test_losing_provider_says_not_moving_up_to_midnight() -> None:
    """D15: 9190 on the cease of a WLTO."""
    order = last_seconds(samples.after(wlto(), seconds=samples.A_MINUTE))

    cease = samples.cancel(order.linked_ceases.get(), code="9190", message="Not moving")

    assert samples.kinds(cease)[-1] == "cancellationAccepted"
    assert (cease.state, samples.fresh(order).state) == (OrderState.CANCELLED, OrderState.CANCELLED)
    assert samples.fresh(order).end_code == reasons.NOT_MOVING.code


def test_losing_provider_moves_the_cease_of_a_managed_wlto_up_to_midnight() -> None:
    """Switch and WLTO rules 6: the WLTO gets Delay Reappoint."""
    order = managed_wlto()
    cease = last_seconds(order.linked_ceases.get())

    cease = samples.amend(cease, requested_date=business_day(20).isoformat())

    assert (cease.state, samples.kinds(cease)[-1]) == (OrderState.COMMITTED, "amendmentAccepted")
    assert "delayReappoint" in samples.kinds(samples.fresh(order))
    assert services.find_live(order.location) == cease.service


# --- a cancellation that the partner has not answered by then -----------------------------------------------------
def controlled_cease(order: Order) -> Order:
    """Of a managed WLTO: its losing provider has confirmed the date, and the cease ends at its midnight (rules 3)."""
    cease = order.linked_ceases.get()
    return last_seconds(samples.amend(cease, requested_date=cease.requested_date.isoformat()))


def not_moving_at_midnight() -> tuple[Order, Order]:
    """A managed WLTO and its cease, whose provider has sent 9190; midnight of its day has passed."""
    order = managed_wlto()
    cease = controlled_cease(order)
    cease = samples.cancel(cease, code="9190", message="Not moving")
    assert (cease.state, samples.kinds(cease)[-1]) == (OrderState.COMMITTED, "cancellationPending")
    return samples.fresh(order), cease


def test_cease_waits_for_the_visit_that_is_being_cancelled() -> None:
    """D15: both end when the partner has cancelled the visit."""
    order, cease = not_moving_at_midnight()

    visit_samples.tell(order, JobEvent.CANCELLED)

    assert samples.kinds(samples.fresh(cease))[-1] == "cancellationAccepted"
    assert samples.fresh(order).state == OrderState.CANCELLED
    assert services.find_live(order.location) == cease.service


def test_cease_goes_on_when_the_visit_is_not_cancelled() -> None:
    """409 installationStarted."""
    order, cease = not_moving_at_midnight()

    visit_samples.tell(order, JobEvent.CANCEL_REFUSED)
    cease = samples.after(cease, seconds=samples.A_MINUTE)

    assert samples.kinds(cease)[-2:] == ["cancellationRejected", "completed"]


def test_cease_waits_for_the_cancellation_of_its_gaining_order() -> None:
    """Switch and WLTO rules 2."""
    order = managed_wlto()
    cease = controlled_cease(order)
    order = samples.cancel(order)
    assert samples.fresh(cease).state == OrderState.COMMITTED

    visit_samples.tell(order, JobEvent.CANCELLED)

    assert (samples.fresh(order).state, samples.fresh(cease).state) == ("cancelled", "cancelled")


# --- the end of a window ----------------------------------------------------------------------------------------
def test_order_is_cancelled_by_its_buyer_up_to_the_end_of_a_window() -> None:
    """Limits, 30 days; D9: still open at 23:59:59."""
    order = samples.placed()
    just_before(end_of_window(order))

    order = samples.cancel(order)

    assert samples.kinds(order)[-2:] == ["cancellationPending", "cancellationAccepted"]
    assert order.end_code == "300"


def end_of_window(order: Order) -> datetime:
    return DueAction.objects.open().get(name=steps.TIME_OUT, subject=order.seller_order_reference).due_at


def missed_in_silence() -> Order:
    """Its slot has passed, and the partner answers neither createJob nor cancelJob."""
    order = samples.appointed()
    samples.accepted(order)
    return samples.until(order, order.appointment.ends_at)


def test_cancellation_that_waits_for_a_silent_partner_ends_the_order_at_the_end_of_its_window() -> None:
    """Limits, 30 days after a missed slot: the order ends in any case, and its buyer had asked for that."""
    order = samples.cancel(missed_in_silence())
    assert samples.kinds(order)[-1] == "cancellationPending"

    order = samples.until(order, end_of_window(order))

    assert samples.kinds(order)[-1] == "cancellationAccepted"
    assert (order.state, order.end_code) == (OrderState.CANCELLED, "300")


def amended_in_silence() -> Order:
    """The buyer has named a new appointment, and the window has ended without a word of the partner."""
    order = missed_in_silence()
    new = samples.reserve(at=order.uprn, not_before=samples.days_ahead(40))
    order = samples.amend(order, reservation_key=str(new.key))
    return samples.until(order, end_of_window(order))


def test_new_appointment_that_waits_for_a_silent_partner_keeps_the_window_open() -> None:
    """Limits, 30 days after a missed slot: the buyer has acted within them."""
    order = amended_in_silence()
    assert order.state == OrderState.COMMITTED
    assert not order.amendments.exclude(state="pending").exists()

    order = visit_samples.tell(order, JobEvent.CANCELLED)

    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert samples.after(order, seconds=2 * samples.A_DAY).state == OrderState.COMMITTED


def test_window_ends_when_the_new_appointment_was_rejected() -> None:
    """Limits: nothing was made of it."""
    order = visit_samples.tell(amended_in_silence(), JobEvent.CANCEL_FAILED)
    assert samples.kinds(order)[-1] == "amendmentRejected"

    order = samples.after(order, seconds=samples.A_DAY)

    assert (order.state, order.end_code) == (OrderState.CANCELLED, "572")


def test_slot_ends_after_a_cancellation_of_its_last_seconds() -> None:
    """Missed Appointment 5: cancelled by the buyer, and not missed by the seller."""
    order = samples.appointed()
    samples.accepted(order)
    just_before(order.appointment.ends_at)

    order = samples.cancel(order)

    assert samples.kinds(order)[-1] == "cancellationPending"
    assert not order.missed_appointments.exists()
    order = samples.after(visit_samples.partner_cancels(order), seconds=2 * samples.A_DAY)
    assert order.missed_appointments.get().cancelled_by == "buyer"
