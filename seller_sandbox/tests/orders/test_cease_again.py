"""The losing provider's cease when the one in flight is gone (order-provisioning.md, Switch and WLTO rules 1 and 2)."""

from datetime import date, timedelta

import pytest
from django.conf import LazySettings

from seller_sandbox.network import services
from seller_sandbox.orders import completion
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderState
from seller_sandbox.tests.orders import samples, visit_samples
from seller_sandbox.tests.orders.samples import uprn

pytestmark = pytest.mark.usefixtures("network")


def takeover(kind: str, **members: object) -> Order:
    """BUYERA takes the line of BUYERB."""
    usual = {"uprn": uprn(24), "product_name": samples.NATIONAL_160, "new_order_type": kind}
    return samples.placed(**{**usual, **members})


def key_from(day: date) -> str:
    return str(samples.reserve(at=uprn(24), product=samples.NATIONAL_160, not_before=day).key)


def managed_wlto(*, day: date) -> Order:
    return takeover("WLTO", is_engineer_install=True, reservation_key=key_from(day))


def own_cease(*, days: int = 10, who: str = "BUYERB", at: str = uprn(24)) -> Order:
    live = services.find_live(samples.locations.find(at))
    return samples.placed(
        who=who,
        kind="alaCease",
        uprn="",
        product_name="",
        service_identifier=live.service_identifier,
        requested_date=samples.days_ahead(days),
    )


def ceases(order: Order) -> list[tuple[OrderState, bool]]:
    """State of each cease that an order has had, and whether it is the seller's."""
    return list(order.linked_ceases.order_by("pk").values_list("state", "is_unsolicited"))


def test_next_takeover_gets_a_cease_of_its_own_when_the_first_is_cancelled() -> None:
    """Rules 1 and 2."""
    first = samples.cancel(takeover("Switch"))

    second = takeover("Switch", who="BUYERC")

    assert ceases(first) == [(OrderState.CANCELLED, True)]
    assert ceases(second) == [(OrderState.COMMITTED, True)]
    cease = second.linked_ceases.get()
    assert samples.kinds(cease)[0] == "unsolicitedCeaseRequest"
    second = samples.at_midnight(second, second.requested_date)
    assert second.state == OrderState.COMPLETED


def test_own_cease_is_linked_to_the_next_takeover_when_the_first_is_cancelled() -> None:
    """Rules 1 and 2: it was in flight before, so it stays, and the next one waits for it."""
    own = own_cease()
    samples.cancel(takeover("Switch"))

    second = takeover("Switch", who="BUYERC")

    assert ceases(second) == [(OrderState.COMMITTED, False)]
    second = samples.at_midnight(second, second.requested_date)
    assert (second.state, samples.fresh(own).state) == (OrderState.COMPLETED, OrderState.COMPLETED)


def test_takeover_gets_a_cease_when_the_losing_provider_cancels_its_own() -> None:
    """Switch and WLTO rules 1."""
    own = own_cease()
    order = takeover("WLTO")

    samples.cancel(own)

    assert ceases(order) == [(OrderState.CANCELLED, False), (OrderState.COMMITTED, True)]


def test_line_stays_live_until_the_engineer_has_a_day_again() -> None:
    """Rules 1, 3 and 6: the own cease had delayed a managed WLTO; the cease after it has the day of the next key."""
    own = own_cease(days=60)
    order = managed_wlto(day=samples.days_ahead(25))
    assert order.appointment is None

    samples.cancel(own)
    order = samples.after(order, seconds=samples.A_DAY)
    assert ceases(order) == [(OrderState.CANCELLED, False), (OrderState.COMMITTED, True)]
    assert services.find_live(order.location).buyer.identifier == "BUYERB"

    order = samples.amend(order, reservation_key=key_from(samples.days_ahead(27)))

    cease = order.linked_ceases.get(is_unsolicited=True)
    assert cease.requested_date == samples.limits.local_day(order.appointment.starts_at)


def test_wlto_of_an_end_user_who_is_not_moving_gets_no_second_cease() -> None:
    """9190 ends both (D15)."""
    order = takeover("WLTO")

    samples.cancel(order.linked_ceases.get(), code="9190", message="End user not moving")

    assert samples.fresh(order).state == OrderState.CANCELLED
    assert ceases(order) == [(OrderState.CANCELLED, True)]


def test_cease_that_nobody_waits_for_is_just_cancelled() -> None:
    """Switch and WLTO rules 1."""
    own = samples.cancel(own_cease())

    assert own.state == OrderState.CANCELLED
    assert Order.objects.count() == 1


# --- an order that had to wait -------------------------------------------------------------------------------------
def waiting_for_a_key() -> Order:
    """A managed Switch without an appointment, whose losing provider has ceased its service meanwhile."""
    order = takeover("Switch", is_engineer_install=True)
    assert own_cease(days=0).state == OrderState.COMPLETED
    return order


def activated(who: str, *, at: str = uprn(24), **members: object) -> Order:
    order = samples.placed(who=who, uprn=at, **members)
    return samples.at_midnight(order, order.requested_date)


def with_key(order: Order) -> Order:
    return samples.amend(order, reservation_key=key_from(samples.days_ahead(7)))


def visited(order: Order) -> Order:
    samples.accepted(order)
    order = samples.until(order, order.appointment.starts_at)
    visit_samples.provisioned(visit_samples.job_of(order))
    return visit_samples.close(order, "SP")


def test_service_that_has_ended_is_not_ceased_again() -> None:
    """Rules 1: its losing provider has lost the line already."""
    order = with_key(waiting_for_a_key())

    assert order.state == OrderState.COMMITTED
    assert ceases(order) == []


def test_service_that_has_begun_since_is_ceased() -> None:
    """Switch and WLTO rules 1."""
    order = waiting_for_a_key()
    new = activated("BUYERB", product_name=samples.NATIONAL_160)
    assert new.state == OrderState.COMPLETED

    order = with_key(order)

    assert ceases(order) == [(OrderState.COMMITTED, True)]
    assert order.linked_ceases.get().service_identifier == new.service_identifier
    assert visited(order).state == OrderState.COMPLETED


def test_service_that_begins_after_the_takeover_was_committed_is_ceased() -> None:
    """Rules 1: the seller creates the cease when none is in flight."""
    order = with_key(waiting_for_a_key())
    new = activated("BUYERB", product_name=samples.NATIONAL_160)

    order = samples.after(order, seconds=samples.A_MINUTE)

    assert ceases(order) == [(OrderState.COMMITTED, True)]
    cease = order.linked_ceases.get()
    assert cease.service_identifier == new.service_identifier
    assert cease.requested_date == samples.limits.local_day(order.appointment.starts_at)
    assert visited(order).state == OrderState.COMPLETED


@pytest.mark.parametrize("seconds", [0, 1, 7])
def test_engineer_is_done_before_the_cease_of_a_line_that_was_just_activated(
    seconds: int, settings: LazySettings
) -> None:
    """Switch and WLTO rules 1: no cease yet, or one that has not been validated or committed."""
    settings.ORDER_STEP_SECONDS = 5
    order = with_key(waiting_for_a_key())
    samples.accepted(order)
    order = samples.until(order, order.appointment.starts_at)
    visit_samples.provisioned(visit_samples.job_of(order))
    new = samples.placed(who="BUYERC", uprn=uprn(24), product_name=samples.NATIONAL_160)
    activate_now(new)
    order = samples.after(order, seconds=seconds) if seconds else order
    assert [cease.state for cease in order.linked_ceases.all()] == {
        0: [],
        1: [OrderState.PENDING],
        7: [OrderState.ACKNOWLEDGED],
    }[seconds]

    order = samples.after(visit_samples.close(order, "SP"), seconds=samples.A_MINUTE)

    assert (order.state, order.end_code) == (OrderState.COMPLETED, "")
    assert services.find_live(order.location).service_identifier == order.service_identifier
    (cease,) = order.linked_ceases.all()
    assert (cease.state, cease.service_identifier) == (OrderState.COMPLETED, new.service_identifier)
    assert samples.kinds(cease) == [
        "unsolicitedCeaseRequest",
        "pending",
        "acknowledged",
        "committed",
        "completed",
    ]


def activate_now(order: Order) -> None:
    """Its day has come; what follows from that has not been done."""
    with samples.clock.at(samples.clock.now()):
        completion.complete_without_visit(order.seller_order_reference)
    assert samples.fresh(order).state == OrderState.COMPLETED


@pytest.mark.parametrize("is_takeover_first", [True, False])
def test_takeover_has_the_line_that_is_activated_at_its_midnight(*, is_takeover_first: bool) -> None:
    """Switch and WLTO rules 1: it ends what is live on its day, in whichever order both fall due."""
    own_cease(days=3)
    day = samples.days_ahead(10)
    switch = takeover("Switch", requested_date=day)
    samples.after(switch, seconds=4 * samples.A_DAY)
    new = samples.placed(who="BUYERC", uprn=uprn(24), product_name=samples.NATIONAL_160, requested_date=day)
    if not is_takeover_first:
        # its completion is scheduled anew, after that of the other order
        samples.amend(switch, requested_date=(day + timedelta(days=1)).isoformat())
        samples.amend(switch, requested_date=day.isoformat())

    switch = samples.after(samples.at_midnight(switch, day), seconds=samples.A_MINUTE)

    assert (switch.state, switch.end_code) == (OrderState.COMPLETED, "")
    assert services.find_live(switch.location).buyer.identifier == "BUYERA"
    new = samples.fresh(new)
    if is_takeover_first:
        # the first one that is completed has the line (docs/order-messages.md, Lines and premises)
        assert (new.state, new.end_code) == (OrderState.CANCELLED, "573")
    else:
        assert new.state == OrderState.COMPLETED
        assert ceases(switch)[-1] == (OrderState.COMPLETED, True)
        assert switch.linked_ceases.last().service_identifier == new.service_identifier


def test_service_that_another_order_ends_already_is_left_to_that_one() -> None:
    """Switch and WLTO rules 1."""
    order = waiting_for_a_key()
    activated("BUYERB", product_name=samples.NATIONAL_160)
    other = takeover("Switch", who="BUYERC", requested_date=samples.days_ahead(20))

    order = with_key(order)

    assert (ceases(order), ceases(other)) == ([], [(OrderState.COMMITTED, True)])


@pytest.mark.parametrize("who", ["BUYERA", "BUYERB"])
def test_regrade_that_had_to_wait_ends_the_buyers_own_service_only(who: str) -> None:
    """Regrade rules 1."""
    regrade = samples.placed(uprn=uprn(20), product_name=samples.LOCAL_1000)
    own_cease(days=0, who="BUYERA", at=uprn(20))
    assert activated(who, at=uprn(20), product_name=samples.LOCAL_160).state == OrderState.COMPLETED

    regrade = samples.amend(regrade, requested_date=samples.days_ahead(5).isoformat())

    assert ceases(regrade) == ([(OrderState.COMMITTED, True)] if who == "BUYERA" else [])
    live = services.find_live(regrade.location)
    assert live.buyer.identifier == who
