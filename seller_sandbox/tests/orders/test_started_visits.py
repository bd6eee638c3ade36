"""A partner that refuses a cancelJob since the engineer has started, and then says nothing (job-messages.md).

Missed Appointment rules 6: no report of an engineer within a day, and by the end of the slot, is the seller's miss.
"""

from datetime import timedelta

import pytest

from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.messages.models import OutboundState
from seller_sandbox.orders import limits, network_actions, visits
from seller_sandbox.orders.models import Order, VisitPurpose
from seller_sandbox.tests.orders import samples, visit_samples
from seller_sandbox.tests.orders.visit_samples import job_of
from seller_sandbox.tests.partner_messages import go_on_site

pytestmark = pytest.mark.usefixtures("network")
MINUTE = timedelta(minutes=1)


def started(*, at: str = "ends_at") -> Order:
    """The buyer has cancelled in the slot, and at its end or before the partner says that it is too late."""
    order = samples.appointed()
    samples.accepted(order)
    order = samples.cancel(samples.until(order, order.appointment.starts_at))
    order = refuse_cancel(samples.until(order, getattr(order.appointment, at)))
    assert samples.members_of(order, "cancellationRejected")["reason"]["code"] == "560"
    return order


def refuse_cancel(order: Order) -> Order:
    """The order after the partner's 409 installationStarted."""
    waiting = job_of(order).thread.outbound.filter(operation="cancelJob")
    waiting.update(state=OutboundState.REFUSED)
    return visit_samples.tell(order, JobEvent.CANCEL_REFUSED)


def a_day_later(order: Order) -> Order:
    return samples.after(order, seconds=int(visits.REPORT_WAIT.total_seconds()) + 1)


@pytest.mark.parametrize("at", ["starts_at", "ends_at"])
def test_slot_is_missed_when_no_report_follows(at: str) -> None:
    order = started(at=at)
    slot = order.appointment
    order = samples.until(order, slot.ends_at + MINUTE)
    assert order.appointment == slot

    order = a_day_later(order)

    assert (order.delay_code, order.appointment) == ("239", None)
    missed = order.missed_appointments.get()
    assert (missed.missed_by, missed.occurred_at) == ("seller", slot.ends_at)
    assert "orders.time_out" in visit_samples.due_names(order)


def test_order_ends_when_nobody_says_anything_more() -> None:
    """Limits: 30 days for a new appointment."""
    order = a_day_later(started())
    order = a_day_later(refuse_cancel(order))
    assert visits.planned(order) is None

    order = samples.after(order, seconds=31 * samples.A_DAY)

    assert (order.state, order.end_code) == ("cancelled", "572")


def test_report_that_follows_within_a_day_leaves_nothing_missed() -> None:
    order = started()
    go_on_site(job_of(order), at=order.appointment.ends_at - MINUTE)

    order = a_day_later(order)

    assert visits.planned(order).appointment == order.appointment
    assert not order.missed_appointments.exists()


def test_visit_of_a_slot_that_slipped_is_over_when_no_report_follows() -> None:
    """States, cabinet slip: the next appointment does not wait for it."""
    order = samples.appointed()
    samples.accepted(order)
    slot, day = order.appointment, samples.days_ahead(20)
    network_actions.move_release(uprn=order.uprn, day=day)
    order = refuse_cancel(samples.until(order, slot.ends_at))
    assert visits.planned(order)

    order = a_day_later(order)

    assert visits.planned(order) is None
    order = samples.at_midnight(order, day + timedelta(days=1))
    assert limits.local_day(order.appointment.starts_at) > day


def test_slot_of_a_build_is_missed_while_its_civils_go_on() -> None:
    """Civils have no slot of their own: whether they have started says nothing of the build's."""
    order = visit_samples.complex_visit(VisitPurpose.CIVILS)
    order.visits.update(appointment=None)
    visits.watch_build_slot(order, order.appointment)
    order = samples.amend(order, site={"hazards": "A trench"})
    order = samples.until(order, order.appointment.ends_at)

    order = samples.after(refuse_cancel(order), seconds=1)

    assert (order.delay_code, order.appointment) == ("239", None)
    assert visits.planned(order)
