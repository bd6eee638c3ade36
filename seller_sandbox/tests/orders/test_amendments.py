"""Amendment rules 1 to 8 and the answers of amendOrder and cancelOrder (order-provisioning.md; D5, D6, D14)."""

from typing import Any

import pytest

from seller_sandbox.network.models import AppointmentType
from seller_sandbox.orders import reasons
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderState
from seller_sandbox.tests.orders import samples, visit_samples
from seller_sandbox.tests.orders.samples import uprn

pytestmark = pytest.mark.usefixtures("network")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"product_name": samples.LOCAL_1000}, reasons.AMEND_PRODUCT_OR_UPRN),
        ({"uprn": uprn(1, 2)}, reasons.AMEND_PRODUCT_OR_UPRN),
        ({"auxiliary_services": ["TEA"]}, reasons.AUXILIARY_UNKNOWN),
        ({"auxiliary_services": ["BUSINESS-CARE"]}, reasons.AUXILIARY_NOT_FOR_PRODUCT),
        ({"configuration": {"s_vlan": "0"}}, reasons.CONFIGURATION_VLAN),
        ({"configuration": {"nni_identifier": "ENNI-B1"}}, reasons.CONFIGURATION_NNI),
        ({"reservation_key": "no key"}, reasons.KEY_UNKNOWN),
        ({"case_reference": "none", "case_comment": "Hello"}, reasons.AMEND_CASE_UNKNOWN),
        ({"complex_answer": "acceptEstimate"}, reasons.AMEND_NOT_ASKED),
    ],
)
def test_amendment_that_breaks_a_rule_is_rejected(changes: dict[str, Any], reason: reasons.Reason) -> None:
    order = samples.appointed()

    order = samples.amend(order, **changes)

    assert samples.kinds(order)[-2:] == ["amendmentPending", "amendmentRejected"]
    assert samples.last_members(order)["reason"]["code"] == reason.code


# --- for the right premises (rules 2 and 4) -----------------------------------------------------------------------
OWN = {"uprn": "000" + uprn(10), "product_name": samples.LOCAL_160}


@pytest.mark.parametrize("name", OWN)
def test_date_for_the_right_premises_and_product_is_accepted(name: str) -> None:
    order, day = samples.placed(uprn=uprn(10)), samples.days_ahead(20)

    order = samples.amend(order, requested_date=day.isoformat(), **{name: OWN[name]})

    assert (samples.kinds(order)[-1], order.requested_date) == ("amendmentAccepted", day)


@pytest.mark.parametrize("name", ["uprn", "product_name"])
def test_appointment_for_the_right_premises_and_product_is_accepted(name: str) -> None:
    order, own = samples.placed(), {"uprn": uprn(1), "product_name": samples.LOCAL_160}

    order = samples.amend(order, reservation_key=str(samples.reserve().key), **{name: own[name]})

    assert (samples.kinds(order)[-2], order.state) == ("committed", OrderState.COMMITTED)


@pytest.mark.parametrize(
    "wrong", [{"uprn": uprn(10, 2)}, {"uprn": "x"}, {"product_name": samples.LOCAL_1000}]
)
def test_date_for_other_premises_or_another_product_is_rejected(wrong: dict[str, str]) -> None:
    order = samples.placed(uprn=uprn(10))
    day = order.requested_date

    order = samples.amend(order, requested_date=samples.days_ahead(20).isoformat(), **wrong)

    assert (samples.kinds(order)[-1], order.requested_date) == ("amendmentRejected", day)
    assert samples.last_members(order)["reason"]["code"] == reasons.AMEND_PRODUCT_OR_UPRN.code


def test_appointment_for_other_premises_is_rejected() -> None:
    order = samples.placed()

    order = samples.amend(order, reservation_key=str(samples.reserve().key), uprn=uprn(1, 2))

    assert samples.last_members(order)["reason"]["code"] == reasons.AMEND_PRODUCT_OR_UPRN.code
    assert order.appointment is None


def test_amendment_is_rejected_in_full() -> None:
    """Rule 1: nothing of it is changed."""
    order = samples.appointed()

    order = samples.amend(order, site={"hazards": "None"}, uprn=uprn(2))

    assert order.site["hazards"] == "Dog in the yard"


def test_site_information_is_accepted() -> None:
    """Rule 3."""
    order = samples.placed()

    order = samples.amend(order, site={"access_restrictions": "Gate code 12"})

    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert order.site["access_restrictions"] == "Gate code 12"
    assert order.site["contact_name"] == "Sam Field"


def test_an_assumption_can_be_amended_to_no() -> None:
    """Rule 3; Business-site information, assumptions."""
    order = samples.amend(samples.appointed(), site={"wayleave_obtained": True})
    order = visit_samples.partner_cancels(order)

    order = visit_samples.partner_cancels(samples.amend(order, site={"wayleave_obtained": False}))

    assert order.site["wayleave_obtained"] is False


def test_auxiliary_services_are_added_and_cancelled() -> None:
    """Rules 6 and 7."""
    order = samples.appointed(auxiliary_services=("BATTERY-BACKUP",))

    order = samples.amend(
        order, auxiliary_services=["PRIORITY-REPAIR"], cancelled_auxiliary_services=["BATTERY-BACKUP"]
    )

    assert order.auxiliary_services == ["PRIORITY-REPAIR"]


def test_new_appointment_cancels_the_job_and_sends_a_new_pack() -> None:
    """Rule 4; issue section 4: amend sends cancelJob and a new pack."""
    order = samples.appointed()
    job = samples.accepted(order)
    old, new = order.appointment, samples.reserve(number=3)

    order = samples.amend(order, reservation_key=str(new.key))
    assert samples.kinds(order)[-1] == "amendmentPending"
    samples.tell(job, "cancelled")

    order = samples.fresh(order)
    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert order.appointment == new
    old.refresh_from_db()
    assert old.state == "released"
    assert [visit.ended_at is None for visit in order.visits.all()] == [False, True]


def test_new_appointment_is_rejected_when_the_engineer_is_on_site() -> None:
    """Amendment rules 4; D14."""
    order = samples.appointed()
    job = samples.accepted(order)
    order = samples.amend(order, reservation_key=str(samples.reserve(number=3).key))

    samples.tell(job, "cancelRefused")

    assert samples.last_members(order)["reason"]["code"] == reasons.AMEND_ENGINEER_STARTED.code


def test_expired_key_in_an_amendment_is_rejected() -> None:
    """D6."""
    order = samples.appointed()
    key = samples.reserve(number=3).key
    samples.clock.move(seconds=2 * samples.A_DAY)

    order = samples.amend(order, reservation_key=str(key))

    assert samples.last_members(order)["reason"]["code"] == reasons.KEY_EXPIRED.code


def test_key_of_a_repair_in_an_amendment_is_rejected() -> None:
    """complexOrder, appointment types: as on a new order, whatever type the message names or leaves out."""
    line = {"at": uprn(20), "product": samples.LOCAL_160}
    key = samples.reserve(not_before=samples.days_ahead(25), **line).key
    order = samples.placed(
        uprn=uprn(20), new_order_type="WLTO", is_engineer_install=True, reservation_key=str(key)
    )
    assert order.state == OrderState.COMMITTED
    repair = samples.reserve(
        appointment_type=AppointmentType.REPAIR, not_before=samples.days_ahead(30), **line
    )

    order = samples.amend(order, reservation_key=str(repair.key))

    assert samples.kinds(order)[-1] == "amendmentRejected"
    assert samples.last_members(order)["reason"]["code"] == reasons.KEY_WRONG_TYPE.code
    assert str(order.appointment.key) == str(key)


def test_amendment_of_a_pending_order_waits_for_validation() -> None:
    """States, amendRequest; D14."""
    order = samples.pending()

    order = samples.amend(order, site={"hazards": "None"})

    assert samples.kinds(order)[:2] == ["pending", "amendmentPending"]
    assert "amendmentAccepted" in samples.kinds(order)


def test_cancellation_of_a_pending_order_waits_for_validation() -> None:
    """D14."""
    order = samples.cancel(samples.pending())

    assert samples.kinds(order)[:3] == ["pending", "cancellationPending", "acknowledged"]
    assert order.state == OrderState.CANCELLED


def test_empty_amendment_is_rejected_up_front() -> None:
    """D5."""
    order = samples.appointed()

    with pytest.raises(samples.RejectedUpFront):
        samples.amend(order)


@pytest.mark.parametrize("act", [samples.cancel, lambda order: samples.amend(order, site={"hazards": "x"})])
def test_ended_order_is_rejected_up_front(act: Any) -> None:
    """D5: terminal state."""
    order = samples.cancel(samples.appointed(situation=1))
    if order.state != OrderState.CANCELLED:
        samples.tell(order.visits.get().job, "cancelled")
        order = samples.fresh(order)

    with pytest.raises(samples.RejectedUpFront):
        act(order)


def test_order_of_another_buyer_is_rejected_up_front() -> None:
    """D5."""
    order = samples.appointed()
    order.buyer = samples.buyer("BUYERB")

    with pytest.raises(samples.RejectedUpFront):
        samples.cancel(order)

    assert Order.objects.get(pk=order.pk).state == OrderState.COMMITTED


def test_own_key_in_an_amendment_is_not_that_of_another_order() -> None:
    """Errors, key."""
    order = samples.appointed()

    samples.amend(order, reservation_key=str(order.appointment.key))

    reason = samples.members_of(order, "amendmentRejected")["reason"]
    assert (reason["code"], "this one or another" in reason["message"]) == ("535", True)
