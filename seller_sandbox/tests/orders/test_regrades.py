"""Regrade product pairs and rules 1 to 7 (order-provisioning.md, Regrade)."""

from datetime import date

import pytest

from seller_sandbox.network import services
from seller_sandbox.network.models import AppointmentType
from seller_sandbox.orders import reasons, regrades
from seller_sandbox.orders.models import Course, Order, OrderKind
from seller_sandbox.orders.states import OrderState
from seller_sandbox.tests.orders import samples
from seller_sandbox.tests.orders.samples import uprn

pytestmark = pytest.mark.usefixtures("network")

LIVE = {("Local", 160): 20, ("Local", 1000): 21, ("National", 160): 22, ("National", 1000): 23}
PRODUCTS = {
    ("Local", 160): samples.LOCAL_160,
    ("Local", 1000): samples.LOCAL_1000,
    ("National", 160): samples.NATIONAL_160,
    ("National", 1000): samples.NATIONAL_1000,
}


def regrade(situation: int = 20, product: str = samples.LOCAL_1000, **members: object) -> Order:
    return samples.placed(uprn=uprn(situation), product_name=product, **members)


@pytest.mark.parametrize("pair", regrades.WITHOUT_ACCESS_CHANGE + regrades.WITH_ACCESS_CHANGE)
def test_each_of_the_twelve_pairs_completes(pair: tuple[tuple[str, int], tuple[str, int]]) -> None:
    """Regrade product pairs; the seller's own cease ends at midnight, then the new product is live (rules 2, 3)."""
    before, after = pair
    order = regrade(LIVE[before], PRODUCTS[after], requested_date=samples.days_ahead(3))
    assert (order.course, order.state) == (Course.REGRADE, OrderState.COMMITTED)

    order = samples.at_midnight(order, order.requested_date)

    cease = Order.objects.get(linked_order=order, kind=OrderKind.CEASE)
    assert (order.state, cease.state) == (OrderState.COMPLETED, OrderState.COMPLETED)
    assert samples.kinds(cease)[0] == "unsolicitedCeaseRequest"
    assert services.find_live(order.location).product.name == PRODUCTS[after]


def test_all_directed_pairs_of_the_four_products_are_offered() -> None:
    """D12: National 160 to National 160 is read as National 160 to Local 160."""
    assert len(regrades.PAIRS) == 12
    assert {(a, b) for a in LIVE for b in LIVE if a != b} == regrades.PAIRS


def test_product_of_the_same_access_and_speed_is_in_no_pair() -> None:
    """Regrade product pairs: a remote activation is none of the four products."""
    order = regrade(20, "Residential FTTH Remote Activation 160 Mbps", requested_date=samples.days_ahead(3))

    assert order.end_code == reasons.REGRADE_PAIR.code


def test_regrade_takes_no_appointment() -> None:
    """Order: it sends a requested date in place of an appointment date."""
    key = samples.reserve(at=uprn(20), product=samples.LOCAL_1000).key

    order = regrade(reservation_key=str(key))

    assert order.end_code == reasons.APPOINTMENT_NOT_NEEDED.code


@pytest.mark.parametrize("option", ["is_engineer_install", "is_cpe_install"])
def test_regrade_that_wants_an_engineer_is_rejected(option: str) -> None:
    """Order: a requested date in place of an appointment; nobody would come, and the buyer must know."""
    order = regrade(requested_date=samples.days_ahead(5), **{option: True})

    assert (order.state, order.end_code) == (OrderState.REJECTED, reasons.APPOINTMENT_NOT_NEEDED.code)


def key_for_swap(day: date) -> str:
    return str(samples.reserve(at=uprn(26), product=samples.LOCAL_1000, not_before=day).key)


def test_regrade_with_an_ont_swap_has_the_day_of_its_appointment() -> None:
    """Endpoints 5: the appointment dates it, and the seller's cease with it (rules 2)."""
    order = regrade(26, reservation_key=key_for_swap(samples.days_ahead(5)))
    assert (order.state, order.is_appointed) == (OrderState.COMMITTED, True)
    cease = Order.objects.get(linked_order=order, kind=OrderKind.CEASE)
    assert cease.requested_date == samples.limits.local_day(order.appointment.starts_at)
    job = samples.accepted(order)

    samples.amend(
        order, reservation_key=key_for_swap(samples.days_ahead(12)), appointment_type=AppointmentType.INSTALL
    )
    samples.tell(job, "cancelled")

    day = samples.limits.local_day(samples.fresh(order).appointment.starts_at)
    assert day >= samples.days_ahead(12)
    assert samples.fresh(cease).requested_date == day


def test_regrade_of_today_is_processed_at_midnight_of_the_following_day() -> None:
    """Rules 4."""
    order = regrade(requested_date=samples.clock.today())

    assert order.state == OrderState.COMMITTED
    assert order.requested_date == samples.days_ahead(1)


@pytest.mark.parametrize("first", [{}, {"requested_date": 5}])
def test_regrade_amended_to_today_is_processed_at_the_next_midnight(first: dict[str, int]) -> None:
    """Rules 4 and 6, D7: as when it was ordered for today; the notifications say the day that counts."""
    order = regrade(**{name: samples.days_ahead(days) for name, days in first.items()})
    tomorrow = samples.days_ahead(1)

    order = samples.amend(order, requested_date=samples.clock.today().isoformat())

    assert (order.state, order.requested_date) == (OrderState.COMMITTED, tomorrow)
    assert samples.members_of(order, "amendmentAccepted")["requested_date"] == tomorrow.isoformat()
    assert Order.objects.get(linked_order=order).requested_date == tomorrow
    assert samples.at_midnight(order, tomorrow).state == OrderState.COMPLETED


def test_regrade_amended_to_yesterday_is_rejected() -> None:
    """D7."""
    order = regrade(requested_date=samples.days_ahead(5))

    order = samples.amend(order, requested_date=samples.days_ahead(-1).isoformat())

    assert samples.last_members(order)["reason"]["code"] == reasons.DATE_IN_PAST.code


def test_regrade_without_a_date_is_delayed_and_expires_after_thirty_days() -> None:
    """Rules 5."""
    order = regrade()
    assert samples.last_members(order)["delay"]["code"] == reasons.DELAY_DATE.code

    order = samples.at_midnight(order, samples.days_ahead(30))
    assert order.state == OrderState.ACKNOWLEDGED
    order = samples.at_midnight(order, samples.days_ahead(1))

    assert order.state == OrderState.CANCELLED
    assert samples.last_members(order)["reason"]["code"] == reasons.NO_DATE.code


def test_date_added_by_amendment_commits_the_regrade() -> None:
    """Regrade rules 5, 6."""
    order = regrade()

    order = samples.amend(order, requested_date=samples.days_ahead(5).isoformat())

    assert order.state == OrderState.COMMITTED


def test_regrade_may_be_cancelled_and_its_profile_and_date_amended() -> None:
    """Rules 6."""
    order = regrade(requested_date=samples.days_ahead(5))
    profile = order.product.line_profiles[-1]

    order = samples.amend(
        order, requested_date=samples.days_ahead(7).isoformat(), configuration={"line_profile": profile}
    )
    assert order.requested_date == samples.days_ahead(7)
    assert samples.last_members(order)["configuration"]["line_profile"] == profile
    order = samples.cancel(order)

    assert order.state == OrderState.CANCELLED
    assert services.find_live(order.location).product.name == samples.LOCAL_160


def test_site_information_of_a_regrade_with_an_ont_swap_reaches_the_engineer() -> None:
    """Amendment rules 3 and 4: the pack says what is true no longer, so it is sent anew."""
    order = regrade(26, reservation_key=key_for_swap(samples.days_ahead(5)))
    job = samples.accepted(order)

    order = samples.amend(order, site={"access_restrictions": "Gate code 12"})
    samples.tell(job, "cancelled")

    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert order.visits.last().job.pack["site"]["accessRestrictions"] == "Gate code 12"


def test_auxiliary_services_of_a_regrade_are_cancelled_and_none_is_added() -> None:
    """Amendment rules 7; Regrade rules 6."""
    order = regrade(requested_date=samples.days_ahead(5), auxiliary_services=("BATTERY-BACKUP",))

    order = samples.amend(order, cancelled_auxiliary_services=["BATTERY-BACKUP"])
    assert (samples.kinds(order)[-1], order.auxiliary_services) == ("amendmentAccepted", [])
    order = samples.amend(order, auxiliary_services=["BATTERY-BACKUP"])

    assert samples.last_members(order)["reason"]["code"] == reasons.AMEND_NOT_FOR_COURSE.code


@pytest.mark.parametrize("change", [{"product_name": samples.NATIONAL_160}, {"uprn": uprn(21)}])
def test_product_and_uprn_cannot_be_amended(change: dict[str, str]) -> None:
    """Rules 7; Amendment rules 2."""
    order = regrade(requested_date=samples.days_ahead(5))

    order = samples.amend(order, **change)

    assert samples.last_members(order)["reason"]["code"] == reasons.AMEND_PRODUCT_OR_UPRN.code
