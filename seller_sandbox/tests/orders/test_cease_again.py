"""The losing provider's cease when the one in flight is gone (order-provisioning.md, Switch and WLTO rules 1 and 2)."""

import pytest

from seller_sandbox.network import services
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderState
from seller_sandbox.tests.orders import samples
from seller_sandbox.tests.orders.samples import uprn

pytestmark = pytest.mark.usefixtures("network")


def takeover(kind: str, **members: object) -> Order:
    """BUYERA takes the line of BUYERB."""
    usual = {"uprn": uprn(24), "product_name": samples.NATIONAL_160, "new_order_type": kind}
    return samples.placed(**{**usual, **members})


def own_cease() -> Order:
    live = services.find_live(samples.locations.find(uprn(24)))
    return samples.placed(
        who="BUYERB",
        kind="alaCease",
        uprn="",
        product_name="",
        service_identifier=live.service_identifier,
        requested_date=samples.days_ahead(10),
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
    own = own_cease()
    order = takeover("WLTO")

    samples.cancel(own)

    assert ceases(order) == [(OrderState.CANCELLED, False), (OrderState.COMMITTED, True)]


def test_wlto_of_an_end_user_who_is_not_moving_gets_no_second_cease() -> None:
    """9190 ends both (D15)."""
    order = takeover("WLTO")

    samples.cancel(order.linked_ceases.get(), code="9190", message="End user not moving")

    assert samples.fresh(order).state == OrderState.CANCELLED
    assert ceases(order) == [(OrderState.CANCELLED, True)]


def test_cease_that_nobody_waits_for_is_just_cancelled() -> None:
    own = samples.cancel(own_cease())

    assert own.state == OrderState.CANCELLED
    assert Order.objects.count() == 1
