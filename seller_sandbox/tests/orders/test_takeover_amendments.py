"""Amended dates of a Switch or WLTO (order-provisioning.md, Switch and WLTO rules 4 to 6; Limits; Errors)."""

from datetime import date, timedelta

import pytest

from seller_sandbox.network import business_days, services
from seller_sandbox.orders import limits, reasons
from seller_sandbox.orders.models import Order, OrderKind
from seller_sandbox.orders.states import OrderState
from seller_sandbox.tests.orders import samples
from seller_sandbox.tests.orders.samples import uprn

pytestmark = pytest.mark.usefixtures("network")


def business_day(number: int) -> date:
    return business_days.add_business_days(samples.clock.today(), number)


def takeover(kind: str, **members: object) -> Order:
    """BUYERA takes the line of BUYERB."""
    usual = {"uprn": uprn(24), "product_name": samples.NATIONAL_160, "new_order_type": kind}
    return samples.placed(**{**usual, **members})


def key_from(day: date) -> str:
    return str(samples.reserve(at=uprn(24), product=samples.NATIONAL_160, not_before=day).key)


def managed(kind: str, *, day: date) -> Order:
    return takeover(kind, is_engineer_install=True, reservation_key=key_from(day))


def an_hour_before_no_return(order: Order) -> Order:
    day = order.requested_date or limits.local_day(order.appointment.starts_at)
    return samples.until(order, limits.no_return(day) - timedelta(hours=1))


@pytest.mark.parametrize("kind", ["Switch", "WLTO"])
def test_date_is_amended_up_to_the_point_of_no_return(kind: str) -> None:
    """Rules 4: the lead time is that of the order, not of each amendment."""
    order = an_hour_before_no_return(takeover(kind, requested_date=business_day(12)))

    order = samples.amend(order, requested_date=business_day(2).isoformat())

    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert order.requested_date == business_day(2)


def test_date_inside_the_lead_time_of_the_order_is_rejected() -> None:
    """Limits: ten business days from the order on."""
    too_early = business_day(9)
    order = samples.after(takeover("WLTO", requested_date=business_day(15)), seconds=samples.A_DAY)

    order = samples.amend(order, requested_date=too_early.isoformat())

    assert samples.kinds(order)[-1] == "amendRequestedDateRejected"
    assert samples.last_members(order)["reason"]["code"] == reasons.LEAD_TIME.code


def test_date_whose_point_of_no_return_has_passed_is_rejected() -> None:
    """Switch and WLTO rules 4; D11."""
    day, late = business_day(12), limits.no_return(business_day(12)) + timedelta(minutes=1)
    order = samples.until(takeover("WLTO", requested_date=business_day(15)), late)

    order = samples.amend(order, requested_date=day.isoformat())

    assert samples.last_members(order)["reason"]["code"] == reasons.LEAD_TIME.code


def test_new_appointment_after_delay_reappoint_needs_no_second_lead_time() -> None:
    """Rules 6: the order waits for the cease only."""
    order = an_hour_before_no_return(managed("WLTO", day=business_day(12)))
    order = samples.after(order, seconds=2 * samples.A_MINUTE * samples.A_MINUTE)
    job = samples.accepted(order)
    cease = Order.objects.get(linked_order=order, kind=OrderKind.CEASE)
    samples.amend(cease, requested_date=business_day(3).isoformat())
    samples.tell(job, "cancelled")

    order = samples.amend(samples.fresh(order), reservation_key=key_from(business_day(4)))

    assert samples.kinds(order)[-1] == "amendmentAccepted"


def test_amendment_counts_from_when_it_came() -> None:
    """Rules 4, 5: the partner may answer cancelJob after the point of no return."""
    order = managed("Switch", day=business_day(3))
    job = samples.accepted(order)
    order = an_hour_before_no_return(order)
    key = key_from(business_day(20))
    order = samples.amend(order, reservation_key=key)
    order = samples.after(order, seconds=2 * samples.A_MINUTE * samples.A_MINUTE)

    samples.tell(job, "cancelled")

    order = samples.fresh(order)
    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert (order.state, str(order.appointment.key)) == (OrderState.COMMITTED, key)


def test_order_counts_from_the_day_on_which_it_came() -> None:
    """Limits: a Switch for tomorrow that is validated after midnight."""
    tonight = limits.midnight(business_day(1)) - timedelta(seconds=1)
    samples.clock.move(seconds=int((tonight - samples.clock.now()).total_seconds()))

    order = takeover("Switch", requested_date=business_day(1))

    cease = Order.objects.get(linked_order=order, kind=OrderKind.CEASE)
    assert (order.state, cease.state) == (OrderState.COMPLETED, OrderState.COMPLETED)


@pytest.mark.parametrize("kind", ["Switch", "WLTO"])
def test_managed_order_with_a_requested_date_takes_an_appointment_at_any_time(kind: str) -> None:
    """Rules 4: its point of no return is that of the appointment, and nothing else."""
    order = takeover(kind, is_engineer_install=True, requested_date=business_day(11))
    assert samples.kinds(order)[-1] == "delay"
    order = samples.at_midnight(order, business_day(11))

    order = samples.amend(order, reservation_key=key_from(business_day(3)))

    assert order.state == OrderState.COMMITTED
    cease = Order.objects.get(linked_order=order, kind=OrderKind.CEASE)
    assert cease.requested_date == limits.local_day(order.appointment.starts_at)


def test_losing_provider_sets_no_date_on_a_managed_order_without_an_appointment() -> None:
    """Rules 3: it waits for another key, not for the date."""
    order = managed("WLTO", day=business_day(12))
    job = samples.accepted(order)
    cease = Order.objects.get(linked_order=order, kind=OrderKind.CEASE)
    cease = samples.amend(cease, requested_date=business_day(20).isoformat())
    samples.tell(job, "cancelled")
    order = samples.fresh(order)
    assert order.appointment is None

    samples.amend(cease, requested_date=business_day(22).isoformat())

    order = samples.fresh(order)
    assert order.requested_date is None
    assert samples.kinds(order)[-1] == "delayReappoint"


@pytest.mark.parametrize("is_own", [False, True])
def test_losing_provider_with_a_date_of_its_own_is_notified_and_keeps_it(is_own: bool) -> None:
    """Events: a date change also notifies the losing provider; rules 3: it has ordered the cease, or controls it."""
    day, wanted = business_day(12), business_day(20)
    if is_own:
        own_cease(day=day)
    order = takeover("WLTO", requested_date=business_day(15))
    if not is_own:
        samples.amend(order.linked_ceases.get(), requested_date=day.isoformat())

    samples.amend(samples.fresh(order), requested_date=wanted.isoformat())

    cease = order.linked_ceases.get()
    assert (cease.is_unsolicited, cease.requested_date) == (not is_own, day)
    notified = samples.members_of(cease, "linkedDateChanged")
    assert notified["requested_date"] == wanted.isoformat()
    assert "stays as it is" in notified["notes"]
    assert samples.at_midnight(cease, day).state == OrderState.COMPLETED


def own_cease(*, day: date) -> Order:
    live = services.find_live(samples.locations.find(uprn(24)))
    return samples.placed(
        who="BUYERB",
        kind="alaCease",
        uprn="",
        product_name="",
        service_identifier=live.service_identifier,
        requested_date=day,
    )
