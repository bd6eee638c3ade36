"""Switch and WLTO rules 1 to 6, and the lead times (order-provisioning.md, Switch and WLTO rules, Limits)."""

from collections.abc import Callable
from datetime import date

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


def takeover(kind: str = "WLTO", **members: object) -> Order:
    """BUYERA takes the line of BUYERB."""
    usual = {"uprn": uprn(24), "product_name": samples.NATIONAL_160, "new_order_type": kind}
    return samples.placed(**{**usual, **members})


def managed(kind: str = "WLTO") -> Order:
    """The same with an engineer."""
    day = business_day(12 if kind == "WLTO" else 3)
    key = samples.reserve(at=uprn(24), product=samples.NATIONAL_160, not_before=day).key
    return takeover(kind, is_engineer_install=True, reservation_key=str(key))


def cease_of(order: Order) -> Order:
    return Order.objects.get(linked_order=order, kind=OrderKind.CEASE)


@pytest.mark.parametrize("kind", ["Switch", "WLTO"])
def test_losing_provider_gets_an_unsolicited_cease_with_a_course_of_its_own(kind: str) -> None:
    """Rules 1; the cease's four states."""
    order = takeover(kind)
    cease = samples.after(cease_of(order), seconds=samples.A_MINUTE)

    assert order.state == OrderState.COMMITTED
    assert cease.buyer.identifier == "BUYERB"
    assert samples.kinds(cease) == ["unsolicitedCeaseRequest", "pending", "acknowledged", "committed"]
    request = samples.members_of(cease, "unsolicitedCeaseRequest")["unsolicited_cease"]
    assert request == {"new_order_type": kind, "requested_date": order.requested_date.isoformat()}


@pytest.mark.parametrize("kind", ["Switch", "WLTO"])
def test_line_changes_hands_at_midnight_of_the_date(kind: str) -> None:
    order = takeover(kind)

    order = samples.at_midnight(order, order.requested_date)

    cease = cease_of(order)
    assert (order.state, cease.state) == (OrderState.COMPLETED, OrderState.COMPLETED)
    live = services.find_live(order.location)
    assert (live.buyer.identifier, live.service_identifier) == ("BUYERA", order.service_identifier)


def test_own_cease_in_flight_is_linked_and_no_second_one_made() -> None:
    """Rules 1 and 2: it is not cancelled with the gaining provider's order."""
    own = own_cease(days=40)

    order = takeover()
    assert cease_of(order) == own

    samples.cancel(order)

    assert samples.fresh(own).state == OrderState.COMMITTED


def own_cease(*, days: int) -> Order:
    """BUYERB ceases its service itself."""
    live = services.find_live(samples.locations.find(uprn(24)))
    return samples.placed(
        who="BUYERB",
        kind="alaCease",
        uprn="",
        product_name="",
        service_identifier=live.service_identifier,
        requested_date=samples.days_ahead(days),
    )


def test_wlto_waits_for_the_later_date_of_an_own_cease() -> None:
    """Rules 3: the install date is on or after the cease date."""
    own = own_cease(days=60)

    order = takeover(requested_date=samples.days_ahead(30))

    assert order.requested_date == own.requested_date
    assert samples.kinds(order)[-1] == "linkedDateChanged"
    early = samples.at_midnight(order, samples.days_ahead(30))
    assert (early.state, samples.fresh(own).state) == (OrderState.COMMITTED, OrderState.COMMITTED)
    late = samples.at_midnight(order, own.requested_date)
    assert (late.state, samples.fresh(own).state) == (OrderState.COMPLETED, OrderState.COMPLETED)


def test_managed_wlto_before_the_date_of_an_own_cease_is_reappointed() -> None:
    """Rules 3 and 6."""
    own_cease(days=60)

    order = managed()

    assert (order.state, order.appointment) == (OrderState.COMMITTED, None)
    assert samples.kinds(order)[-1] == "delayReappoint"
    assert not order.visits.exists()


def test_wlto_follows_an_own_cease_that_is_moved_behind_it() -> None:
    """Rules 3: the install date is on or after the cease date, also when that changes afterwards."""
    own = own_cease(days=20)
    order = takeover(requested_date=samples.days_ahead(30))

    own = samples.amend(own, requested_date=samples.days_ahead(60).isoformat())

    order = samples.at_midnight(order, samples.days_ahead(30))
    assert (order.state, order.requested_date) == (OrderState.COMMITTED, own.requested_date)
    assert samples.kinds(order)[-1] == "linkedDateChanged"


def test_managed_wlto_before_an_own_cease_that_is_moved_is_reappointed() -> None:
    """Rules 3 and 6, as when it is committed."""
    own = own_cease(days=10)
    order = managed()

    samples.amend(own, requested_date=samples.days_ahead(60).isoformat())

    order = samples.fresh(order)
    assert (order.appointment, samples.kinds(order)[-1]) == (None, "delayReappoint")


def test_switch_does_not_wait_for_an_own_cease_that_is_moved() -> None:
    """Switch and WLTO rules 3."""
    own = own_cease(days=20)
    order = takeover("Switch")

    samples.amend(own, requested_date=samples.days_ahead(60).isoformat())

    assert samples.fresh(order).requested_date == order.requested_date


@pytest.mark.parametrize(("days", "kind"), [(39, "amendRequestedDateRejected"), (40, "amendmentAccepted")])
def test_wlto_is_amended_to_the_day_of_an_own_cease_or_later(days: int, kind: str) -> None:
    """Rules 3: on or after; only a date that the losing provider controls must have passed."""
    own_cease(days=40)
    order = takeover(requested_date=samples.days_ahead(50))

    order = samples.amend(order, requested_date=samples.days_ahead(days).isoformat())

    assert samples.kinds(order)[-1] == kind
    reason = samples.last_members(order).get("reason")
    assert reason is None or "or on that date when it ordered the cease itself" in reason["message"]


def test_cancel_of_the_gaining_provider_cancels_the_unsolicited_cease() -> None:
    """Rules 2."""
    order = takeover()

    order = samples.cancel(order)

    cease = cease_of(order)
    assert (order.state, cease.state) == (OrderState.CANCELLED, OrderState.CANCELLED)
    assert samples.kinds(cease)[-1] == "cancelled"


def test_9190_of_the_losing_provider_cancels_cease_and_wlto() -> None:
    """Other codes; D15."""
    order = takeover()

    cease = samples.cancel(cease_of(order), code="9190", message="End user not moving")

    order = samples.fresh(order)
    assert (cease.state, order.state) == (OrderState.CANCELLED, OrderState.CANCELLED)
    assert samples.last_members(order)["reason"]["code"] == "9190"


@pytest.mark.parametrize(("kind", "code"), [("Switch", "9190"), ("WLTO", "300")])
def test_unsolicited_cease_is_cancelled_with_9190_of_a_wlto_only(kind: str, code: str) -> None:
    """Other codes, 9190; D15."""
    cease = cease_of(takeover(kind))

    with pytest.raises(samples.RejectedUpFront):
        samples.cancel(cease, code=code)


@pytest.mark.parametrize(
    "make",
    [
        lambda: own_cease(days=40),
        lambda: takeover("Switch"),
        lambda: samples.placed(uprn=uprn(20), product_name=samples.LOCAL_1000),
        samples.placed,
    ],
    ids=["cease", "Switch", "regrade", "install"],
)
def test_what_is_of_no_wlto_is_not_cancelled_with_9190(make: Callable[[], Order]) -> None:
    """Other codes; D15: its end user moves nowhere."""
    order = make()

    with pytest.raises(samples.RejectedUpFront, match="9190 is for"):
        samples.cancel(order, code="9190")
    assert samples.cancel(order).state == OrderState.CANCELLED


def test_own_cease_that_a_wlto_waits_for_is_not_cancelled_with_9190() -> None:
    """D15: nor is the WLTO, by that."""
    own = own_cease(days=40)
    order = takeover()

    with pytest.raises(samples.RejectedUpFront, match="9190 is for"):
        samples.cancel(own, code="9190")
    assert samples.fresh(order).state == OrderState.COMMITTED


@pytest.mark.parametrize(
    ("kind", "who", "situation", "day", "is_rejected"),
    [
        ("Switch", "BUYERA", 24, 0, True),
        ("Switch", "BUYERA", 24, 1, False),
        ("WLTO", "BUYERA", 24, 9, True),
        ("WLTO", "BUYERA", 24, 10, False),
    ],
)
def test_lead_times(kind: str, who: str, situation: int, day: int, *, is_rejected: bool) -> None:
    """Limits: Switch next business day; WLTO ten business days."""
    order = samples.placed(
        uprn=uprn(situation),
        product_name=samples.NATIONAL_160,
        new_order_type=kind,
        who=who,
        requested_date=business_day(day),
    )

    assert (order.state == OrderState.REJECTED) == is_rejected


@pytest.mark.parametrize(("days", "is_rejected"), [(1, True), (2, False)])
def test_wlto_of_ones_own_service_needs_two_days(days: int, *, is_rejected: bool) -> None:
    """Limits: gaining provider is also the losing provider and owns the service; D11: calendar days."""
    order = samples.placed(
        uprn=uprn(20),
        product_name=samples.LOCAL_160,
        new_order_type="WLTO",
        requested_date=samples.days_ahead(days),
    )

    assert (order.state == OrderState.REJECTED) == is_rejected


def test_managed_switch_needs_two_business_days() -> None:
    key = samples.reserve(at=uprn(24), product=samples.NATIONAL_160, not_before=business_day(2)).key
    order = takeover("Switch", is_engineer_install=True, reservation_key=str(key))

    assert order.state == OrderState.COMMITTED


def test_switch_before_the_one_touch_change_has_ten_days(settings: object) -> None:
    """Limits, One Touch Switch change."""
    settings.ONE_TOUCH_SWITCH = False

    assert takeover("Switch", requested_date=business_day(9)).state == OrderState.REJECTED
    assert takeover("Switch", requested_date=business_day(10)).state == OrderState.COMMITTED


def test_gaining_providers_date_change_moves_the_cease_and_tells_its_owner() -> None:
    """Events: a date change also notifies the losing provider."""
    order = takeover()

    order = samples.amend(order, requested_date=business_day(15).isoformat())

    cease = cease_of(order)
    assert order.requested_date == cease.requested_date == business_day(15)
    assert samples.kinds(cease)[-1] == "linkedDateChanged"


def test_losing_provider_takes_control_of_the_date() -> None:
    """Rules 3; D13: an amended gaining date must be after the cease date."""
    order = takeover()
    cease = samples.amend(cease_of(order), requested_date=business_day(20).isoformat())
    assert cease.is_date_controlled
    order = samples.fresh(order)
    assert order.requested_date == business_day(20)

    order = samples.amend(order, requested_date=business_day(20).isoformat())
    assert samples.kinds(order)[-1] == "amendRequestedDateRejected"
    assert samples.last_members(order)["reason"]["code"] == reasons.AMEND_BEFORE_CEASE.code
    order = samples.amend(order, requested_date=business_day(21).isoformat())

    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert samples.fresh(cease).requested_date == business_day(20)


def test_losing_provider_of_a_switch_cannot_move_its_date() -> None:
    """Errors: a date that breaks the date rules, here rules 3, is Amend Requested Date Rejected."""
    cease = cease_of(takeover("Switch"))

    cease = samples.amend(cease, requested_date=business_day(20).isoformat())

    assert samples.kinds(cease)[-1] == "amendRequestedDateRejected"


def test_date_is_fixed_from_the_point_of_no_return() -> None:
    """Rules 4: 18:00 on the business day before."""
    order = takeover()
    moment = limits.no_return(order.requested_date)

    order = samples.until(order, moment)
    order = samples.amend(order, requested_date=business_day(30).isoformat())

    assert samples.kinds(order)[-1] == "amendRequestedDateRejected"
    assert samples.last_members(order)["reason"]["code"] == reasons.AMEND_AFTER_PONR.code


def test_configuration_is_fixed_from_the_point_of_no_return() -> None:
    order = takeover()
    order = samples.until(order, limits.no_return(order.requested_date))

    order = samples.amend(order, configuration={"nni_identifier": "ENNI-A8"})

    assert samples.last_members(order)["reason"]["code"] == reasons.AMEND_AFTER_PONR.code


def test_appointment_of_a_managed_install_is_fixed_from_the_point_of_no_return() -> None:
    """Rules 5: Amend Appointment Date Rejected."""
    order = managed()
    day = limits.local_day(order.appointment.starts_at)
    order = samples.until(order, limits.no_return(day))
    key = samples.reserve(at=uprn(24), product=samples.NATIONAL_160, not_before=business_day(20)).key

    order = samples.amend(order, reservation_key=str(key))

    assert samples.kinds(order)[-1] == "amendAppointmentDateRejected"


def test_late_date_of_the_losing_provider_delays_a_managed_install() -> None:
    """Rules 6: Delay Reappoint."""
    order = managed()
    day = limits.local_day(order.appointment.starts_at)
    order = samples.until(order, limits.no_return(day))

    cease = samples.amend(cease_of(order), requested_date=business_day(30).isoformat())

    assert samples.kinds(cease)[-1] == "amendmentAccepted"
    assert samples.kinds(samples.fresh(order))[-1] == "delayReappoint"


@pytest.mark.parametrize("first", ["Switch", "WLTO"])
@pytest.mark.parametrize(("kind", "who"), [("Switch", "BUYERC"), ("WLTO", "BUYERA"), ("Regrade", "BUYERB")])
def test_line_that_is_being_taken_over_is_not_taken_twice(first: str, kind: str, who: str) -> None:
    """Rules 1: one gaining provider for one cease, the one that was validated first; also before it is committed."""
    winner = takeover(first)

    product = samples.NATIONAL_1000 if kind == "Regrade" else samples.NATIONAL_160
    other = takeover(kind, who=who, product_name=product)

    assert (other.state, other.end_code) == (OrderState.REJECTED, reasons.LINE_TAKEN.code)
    winner = samples.at_midnight(winner, winner.requested_date)
    assert (winner.state, services.find_live(winner.location).buyer.identifier) == (
        OrderState.COMPLETED,
        "BUYERA",
    )


def test_line_is_free_for_the_next_takeover_when_it_has_changed_hands() -> None:
    """Rules 1."""
    first = takeover("Switch")
    samples.at_midnight(first, first.requested_date)

    second = takeover("Switch", who="BUYERC")

    assert second.state == OrderState.COMMITTED
    assert cease_of(second).buyer.identifier == "BUYERA"
