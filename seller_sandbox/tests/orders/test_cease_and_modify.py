"""Cease and modify of a live service (order-provisioning.md, States, Order, Limits; order-decisions.md, D7)."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from seller_sandbox.network import services
from seller_sandbox.network.models import Service
from seller_sandbox.orders import amendments, cases, reasons, seller_actions
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderState
from seller_sandbox.orders.wire.requests import AmendOrderRequest, ServiceConfiguration
from seller_sandbox.tests.orders import samples
from seller_sandbox.tests.orders.samples import uprn

pytestmark = pytest.mark.usefixtures("network")


def live(situation: int = 20) -> Service:
    return services.find_live(samples.locations.find(uprn(situation)))


def cease(**members: object) -> Order:
    usual = {"uprn": "", "product_name": "", "service_identifier": live().service_identifier}
    return samples.placed(kind="alaCease", **{**usual, **members})


def modify(service: Service | None = None, **configuration: str) -> Order:
    return samples.after(pending_modify(service, **configuration), seconds=samples.A_MINUTE)


def pending_modify(service: Service | None = None, **configuration: str) -> Order:
    return samples.pending(
        kind="alaModify",
        uprn="",
        product_name="",
        service_identifier=(service or live()).service_identifier,
        configuration=ServiceConfiguration(**configuration),
    )


def test_cease_without_a_date_takes_effect_immediately() -> None:
    service = live()

    order = cease()

    assert order.state == OrderState.COMPLETED
    assert samples.kinds(order) == ["pending", "acknowledged", "committed", "completed"]
    service.refresh_from_db()
    assert service.ended_at is not None
    assert samples.locations.find(uprn(20)).rfs_status == "RFS_3"


def test_cease_with_a_date_takes_effect_at_its_midnight() -> None:
    order = cease(requested_date=samples.days_ahead(40))
    assert order.state == OrderState.COMMITTED

    order = samples.at_midnight(order, samples.days_ahead(39))
    assert order.state == OrderState.COMMITTED
    order = samples.at_midnight(order, order.requested_date)

    assert order.state == OrderState.COMPLETED


def test_cease_of_a_past_date_takes_effect_at_once() -> None:
    """D7."""
    assert cease(requested_date=samples.days_ahead(-3)).state == OrderState.COMPLETED


@pytest.mark.parametrize(("days", "charged"), [(29, 30), (30, 0), (None, 30)])
def test_whole_notice_period_is_charged_when_the_date_is_closer(days: int | None, charged: int) -> None:
    """Limits, Cease notice: BUYERA has 30 days."""
    order = cease(requested_date=None if days is None else samples.days_ahead(days))

    assert order.notice_charge_days == charged


@pytest.mark.parametrize(("first", "then", "charged"), [(40, 29, 30), (40, 35, 0), (5, 40, 0)])
def test_notice_is_charged_by_the_date_that_the_cease_has_now(first: int, then: int, charged: int) -> None:
    """Limits, Cease notice: from the day of the amendment on."""
    order = cease(requested_date=samples.days_ahead(first))

    order = samples.amend(order, requested_date=samples.days_ahead(then).isoformat())

    assert (samples.kinds(order)[-1], order.notice_charge_days) == ("amendmentAccepted", charged)


@pytest.mark.parametrize("end", [samples.cancel, lambda order: seller_actions.cancel(**samples.ref(order))])
def test_cancelled_cease_costs_no_notice(end: Callable[[Order], Order]) -> None:
    """D20; Limits, Cease notice: the service goes on."""
    order = cease(requested_date=samples.days_ahead(5))
    assert order.notice_charge_days == 30

    end(order)

    order = samples.fresh(order)
    assert (order.state, order.notice_charge_days) == (OrderState.CANCELLED, 0)


def test_second_cease_of_a_service_is_rejected() -> None:
    """Switch and WLTO rules 1."""
    cease(requested_date=samples.days_ahead(40))

    second = cease()

    assert samples.last_members(second)["reason"]["code"] == reasons.CEASE_IN_FLIGHT.code


@pytest.mark.parametrize("identifier", ["", "FBR000000000"])
def test_cease_of_no_live_service_of_the_buyer_is_rejected(identifier: str) -> None:
    """Order, alaCease."""
    order = cease(service_identifier=identifier)

    assert samples.last_members(order)["reason"]["code"] == reasons.SERVICE_UNKNOWN.code


def test_cease_of_another_buyers_service_is_rejected() -> None:
    """Order, alaCease."""
    order = cease(service_identifier=live(24).service_identifier)

    assert samples.last_members(order)["reason"]["code"] == reasons.SERVICE_UNKNOWN.code


def test_modify_jumps_from_pending_to_completed() -> None:
    """States: a modify order may jump straight from Pending to Completed; D16: no KCI1 and KCI2."""
    profile = live().product.line_profiles[-1]

    order = modify(line_profile=profile, nni_identifier="ENNI-A2", s_vlan="12", c_vlan="34")

    assert samples.kinds(order) == ["pending", "completed"]
    service = live()
    assert (service.line_profile, service.nni_identifier) == (profile, "ENNI-A2")
    assert (service.s_vlan, service.c_vlan) == (12, 34)


def test_later_notifications_carry_the_new_nni_and_line_profile() -> None:
    """Events: after a modify of ENNI or line profile, every later notification carries the new one."""
    profile = live().product.line_profiles[-1]
    modify(line_profile=profile, nni_identifier="ENNI-A2")

    order = cease()

    assert samples.kinds(order)[0] == "pending"
    assert carried(order) == [("ENNI-A2", profile)] * 4


def carried(order: Order) -> list[tuple[str, str]]:
    """ENNI and line profile of each notification."""
    found = [message.members["configuration"] for message in order.thread.outbound.order_by("seq")]
    return [(members["nni_identifier"], members["line_profile"]) for members in found]


def test_later_notifications_of_the_order_that_began_the_service_carry_them() -> None:
    """Events: also a case that is closed, or a compensation notice, after KCI3."""
    install = samples.placed(uprn=uprn(10))
    case = cases.open_case(install, text="Which gate?")
    install = samples.at_midnight(install, install.requested_date)
    profile = install.product.line_profiles[-1]
    modify(live(10), line_profile=profile, nni_identifier="ENNI-A2")

    cases.close_case(samples.fresh(install), case)

    assert carried(install)[-1] == ("ENNI-A2", profile)


def test_unsolicited_cease_carries_what_is_in_force_from_its_first_notification_on() -> None:
    """Events, Unsolicited Cease Request."""
    service = live(24)
    order = samples.placed(uprn=uprn(24), product_name=samples.NATIONAL_160, new_order_type="Switch")

    cease = order.linked_ceases.get()

    assert set(carried(cease)) == {(service.nni_identifier, service.line_profile)}


def test_order_that_takes_the_line_keeps_its_own_configuration() -> None:
    """A regrade that waits for its date asks for the next service, and not for the one that was modified.

    Events (later notifications); Regrade rules 5.
    """
    regrade = samples.placed(uprn=uprn(20), product_name=samples.LOCAL_1000)
    modify(line_profile=live().product.line_profiles[-1], nni_identifier="ENNI-A2")

    assert "ENNI-A2" not in samples.fresh(regrade).configuration.values()


def test_modify_that_is_cancelled_before_its_validation_changes_nothing() -> None:
    """States, buyer cancelOrder; D14: while Pending it waits for the validation; D16: no KCI1."""
    was = live().line_profile

    order = samples.cancel(pending_modify(line_profile=live().product.line_profiles[-1], s_vlan="12"))

    assert samples.kinds(order) == ["pending", "cancellationPending", "cancellationAccepted"]
    assert (order.state, samples.last_members(order)["reason"]["code"]) == (OrderState.CANCELLED, "300")
    assert (live().line_profile, live().s_vlan == 12) == (was, False)


def test_modify_is_not_cancelled_with_9190() -> None:
    """Other codes: that is of a WLTO; D15: rejected up front, and the modify goes on."""
    order = pending_modify(s_vlan="12")

    with pytest.raises(samples.RejectedUpFront, match="9190 is for"):
        samples.cancel(order, code="9190")

    order = samples.after(order, seconds=samples.A_MINUTE)
    assert samples.kinds(order) == ["pending", "completed"]


def test_amendment_of_a_modify_is_decided_before_the_cancellation_behind_it() -> None:
    """Events; D14."""
    order = pending_modify(s_vlan="12")
    amendments.receive(
        AmendOrderRequest(
            samples.header_about(order), order.seller_order_reference, {"site": {"hazards": "A dog"}}
        ),
        buyer=order.buyer,
    )

    order = samples.cancel(order)

    assert samples.kinds(order)[-2:] == ["amendmentAccepted", "cancellationAccepted"]


def test_modify_that_is_rejected_cannot_be_cancelled() -> None:
    """Errors; D14: validated first."""
    order = samples.cancel(pending_modify(s_vlan="4095"))

    assert samples.kinds(order) == ["pending", "cancellationPending", "rejected", "cancellationRejected"]


@pytest.mark.parametrize(
    ("configuration", "reason"),
    [
        ({}, reasons.NOTHING_TO_MODIFY),
        ({"nni_identifier": "ENNI-B1"}, reasons.CONFIGURATION_NNI),
        ({"line_profile": "none"}, reasons.CONFIGURATION_PROFILE),
        ({"s_vlan": "4095"}, reasons.CONFIGURATION_VLAN),
    ],
)
def test_modify_with_a_gross_error_is_rejected(configuration: dict[str, str], reason: reasons.Reason) -> None:
    order = modify(**configuration)

    assert samples.last_members(order)["reason"]["code"] == reason.code


def test_cancelled_cease_leaves_the_service_live() -> None:
    """States, buyer cancelOrder."""
    order = cease(requested_date=samples.days_ahead(40))

    order = samples.cancel(order)
    samples.clock.move(seconds=int(timedelta(days=50).total_seconds()))

    assert order.state == OrderState.CANCELLED
    assert live().ended_at is None
