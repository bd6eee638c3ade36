"""Several delays at once: one that ends leaves the others (order-provisioning.md, Other codes; D16)."""

from datetime import timedelta

import pytest

from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.jobs.models import Job
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.orders import network_actions, reasons, seller_actions
from seller_sandbox.orders.late_orders import open_delays
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderCondition, OrderState
from seller_sandbox.tests.orders import samples, visit_samples
from seller_sandbox.tests.orders.samples import ref, uprn

pytestmark = pytest.mark.usefixtures("network")
# premises whose orders are delayed from KCI2 on
LASTING = [(30, "210"), (50, "203")]


def amend_slot(order: Order) -> Order:
    """The buyer takes another slot, and the partner cancels the visit of the first one."""
    key = samples.reserve(at=order.uprn, not_before=samples.days_ahead(40)).key
    return visit_samples.partner_cancels(samples.amend(order, reservation_key=str(key)))


@pytest.mark.parametrize(("situation", "code"), LASTING)
def test_another_slot_ends_neither_survey_nor_wait_for_the_cabinet(situation: int, code: str) -> None:
    order = samples.appointed(situation=situation)
    samples.accepted(order)

    order = amend_slot(order)

    assert order.visits.count() == 2
    assert (order.delay_code, order.conditions.count(OrderCondition.DELAY)) == (code, 1)


@pytest.mark.parametrize(("situation", "code"), LASTING)
def test_appointment_of_the_seller_carries_the_delay_that_goes_on(situation: int, code: str) -> None:
    """States: KCI2 carries the code, and so does the notification of the next appointment."""
    order = samples.appointed(situation=situation)

    seller_actions.reappoint(**ref(order))

    assert samples.members_of(order, "committed")["delay"]["code"] == code
    assert samples.fresh(order).delay_code == code


@pytest.mark.parametrize(("situation", "code"), LASTING)
def test_pack_that_is_accepted_after_all_ends_its_own_delay_only(situation: int, code: str) -> None:
    order = visit_samples.refuse_pack(samples.appointed(situation=situation))
    assert order.delay_code == "236"

    order = visit_samples.tell(order, JobEvent.ACCEPTED)

    assert order.delay_code == code


@pytest.mark.parametrize(("situation", "code"), LASTING)
def test_delay_of_a_person_that_ends_leaves_the_one_before_it(situation: int, code: str) -> None:
    order = samples.appointed(situation=situation)

    seller_actions.delay(**ref(order), code="235")
    seller_actions.end_delay(**ref(order))
    assert samples.fresh(order).delay_code == code
    seller_actions.end_delay(**ref(order))

    assert OrderCondition.DELAY not in samples.fresh(order).conditions


def test_person_ends_an_older_delay_by_its_code() -> None:
    """203, while the order is delayed by 210 too."""
    order = samples.appointed(situation=50)
    seller_actions.delay(**ref(order), code="210")

    seller_actions.end_delay(**ref(order), code="203")

    order = samples.fresh(order)
    assert ([reason.code for reason in open_delays.list_open(order)], order.delay_code) == (["210"], "210")
    with pytest.raises(ActionNotPossible, match="not delayed with the code 203"):
        seller_actions.end_delay(**ref(order), code="203")


def test_delay_that_was_ended_does_not_come_back() -> None:
    """203: a person has said that the survey is done."""
    order = samples.appointed(situation=50)
    samples.accepted(order)
    seller_actions.end_delay(**ref(order))

    order = amend_slot(order)

    assert OrderCondition.DELAY not in order.conditions


def test_cabinet_goes_live_while_the_order_is_delayed_for_something_else() -> None:
    """210 does not come back when that ends."""
    order = samples.appointed(situation=30)
    seller_actions.delay(**ref(order), code="235")

    order = samples.at_midnight(order, order.location.cabinet.release_on)
    assert order.delay_code == "235"
    seller_actions.end_delay(**ref(order))

    assert OrderCondition.DELAY not in samples.fresh(order).conditions


def test_cabinet_that_moves_is_awaited_behind_another_delay() -> None:
    order = samples.appointed(situation=30)
    seller_actions.delay(**ref(order), code="235")
    day = order.location.cabinet.release_on - timedelta(days=5)
    network_actions.move_release(uprn=uprn(30), day=day)

    order = samples.at_midnight(order, day)
    seller_actions.end_delay(**ref(order))

    assert OrderCondition.DELAY not in samples.fresh(order).conditions


def test_missed_slot_leaves_the_survey() -> None:
    """The new appointment ends the delay of the missed one."""
    order = samples.appointed(situation=50)
    samples.accepted(order)
    order = visit_samples.partner_cancels(samples.until(order, order.appointment.ends_at))
    assert order.delay_code == "239"

    order = samples.amend(order, reservation_key=str(samples.reserve(at=order.uprn).key))

    assert order.delay_code == "203"


def test_engineer_who_was_there_after_all_leaves_the_survey() -> None:
    order = samples.appointed(situation=50)
    job = samples.accepted(order)
    order = samples.until(order, order.appointment.ends_at)

    seller_actions.record_agreed_visit(**ref(order), job=job.seller_job_id)

    order = samples.fresh(order)
    assert (order.appointment is not None, order.delay_code) == (True, "203")


def test_refused_pack_is_forgotten_with_its_slot() -> None:
    order = visit_samples.refuse_pack(samples.appointed())
    order = samples.until(order, order.appointment.ends_at)

    seller_actions.end_delay(**ref(order))

    assert OrderCondition.DELAY not in samples.fresh(order).conditions


def test_person_who_says_who_missed_the_slot_replaces_the_delay() -> None:
    order = samples.appointed()
    samples.accepted(order)
    order = samples.until(order, order.appointment.ends_at)

    seller_actions.miss_appointment(**ref(order), code="RNA/NA")
    assert samples.fresh(order).delay_code == reasons.DELAY_ACCESS.code
    seller_actions.end_delay(**ref(order))

    assert OrderCondition.DELAY not in samples.fresh(order).conditions


# --- an activation that failed --------------------------------------------------------------------------------
def failed_activation() -> Order:
    order = samples.placed(uprn=uprn(10))
    seller_actions.record_activation(**ref(order), succeeded=False)
    return samples.fresh(order)


def test_no_other_delay_and_no_date_completes_an_order_whose_activation_failed() -> None:
    """States, completion: service provisioned."""
    order, day = failed_activation(), samples.days_ahead(20)

    seller_actions.delay(**ref(order), code="235")
    order = samples.at_midnight(samples.amend(order, requested_date=day.isoformat()), day)
    assert order.state == OrderState.COMMITTED
    seller_actions.end_delay(**ref(order))
    assert samples.fresh(order).delay_code == "234"

    seller_actions.record_activation(**ref(order), succeeded=True)

    assert samples.after(order, seconds=samples.A_MINUTE).state == OrderState.COMPLETED
    assert not Job.objects.exists()


@pytest.mark.parametrize("code", [{}, {"code": "234"}])
def test_failed_activation_is_ended_by_one_that_succeeds_only(code: dict[str, str]) -> None:
    order = failed_activation()

    with pytest.raises(ActionNotPossible, match="Record that one has succeeded"):
        seller_actions.end_delay(**ref(order), **code)

    assert samples.fresh(order).delay_code == "234"


def test_failed_activation_is_not_ended_behind_a_newer_delay() -> None:
    order = failed_activation()
    seller_actions.delay(**ref(order), code="235")

    with pytest.raises(ActionNotPossible, match="Record that one has succeeded"):
        seller_actions.end_delay(**ref(order), code="234")
