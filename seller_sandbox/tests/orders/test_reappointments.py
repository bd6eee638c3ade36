"""New appointments of the seller's choice: after a cabinet slip, after a repair, and at a person's wish."""

from datetime import timedelta

import pytest

from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.jobs.models import Job
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.network import business_days
from seller_sandbox.network.models import AppointmentState, Cabinet
from seller_sandbox.orders import limits, network_actions, reasons, seller_actions, visit_results, visits
from seller_sandbox.orders.appointments import reappointments
from seller_sandbox.orders.late_orders import open_delays
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderCondition, OrderState
from seller_sandbox.orders.steps import TIME_OUT
from seller_sandbox.tests.orders import samples, visit_samples
from seller_sandbox.tests.orders.visit_samples import is_cancel_queued, tell, used_slots

pytestmark = pytest.mark.usefixtures("network")


# --- cabinet slip and repair -----------------------------------------------------------------------------------
def slipped(order: Order, *, days: int) -> Order:
    """The cabinet goes live this many days after the appointment."""
    day = limits.local_day(order.appointment.starts_at) + timedelta(days)
    reappointments.move_release(order.location.cabinet, day=day)
    return samples.fresh(order)


def test_slip_cancels_appointment_and_job_and_appoints_again_after_the_live_date() -> None:
    """States, cabinet release date later than appointment date."""
    order = samples.appointed()
    first = samples.accepted(order)
    order = slipped(order, days=5)
    assert samples.kinds(order)[-1] == "cabinetSlip"
    assert OrderCondition.CABINET_SLIP in order.conditions
    release_on = order.location.cabinet.release_on.isoformat()
    assert release_on in samples.last_members(order)["notes"]
    assert (order.state, order.appointment, is_cancel_queued(first)) == (OrderState.COMMITTED, None, True)
    assert used_slots(order) == 0

    order = tell(order, JobEvent.CANCELLED)
    live = order.location.cabinet.release_on
    order = samples.at_midnight(order, live)
    assert order.visits.count() == 1
    order = samples.at_midnight(order, live + timedelta(days=1))

    assert samples.kinds(order)[-1] == "committed"
    assert limits.local_day(order.appointment.starts_at) > live
    assert order.visits.count() == 2
    assert OrderCondition.CABINET_SLIP not in order.conditions


def test_cabinet_that_goes_live_on_the_day_of_the_appointment_is_no_slip() -> None:
    """States, cabinet slip."""
    order = slipped(samples.appointed(), days=0)

    assert samples.kinds(order)[-1] == "enniReserved"


@pytest.mark.parametrize("days", [-3, 4])
def test_slipped_order_follows_a_release_date_that_moves_again(days: int) -> None:
    """States, cabinet slip."""
    order = slipped(samples.appointed(), days=10)
    samples.accepted(order)
    order = tell(order, JobEvent.CANCELLED)
    day = order.location.cabinet.release_on + timedelta(days)

    reappointments.move_release(order.location.cabinet, day=day)
    order = samples.at_midnight(order, day)
    assert order.appointment is None
    order = samples.at_midnight(order, day + timedelta(days=1))

    assert limits.local_day(order.appointment.starts_at) > day


def test_appointment_of_a_cabinet_that_moves_before_kci2_slips_behind_it() -> None:
    """States, cabinet slip: the slot was reserved on the day after the live date of that time."""
    appointment = samples.reserve(at=samples.uprn(30))
    live = samples.days_ahead(60)
    network_actions.move_release(uprn=samples.uprn(30), day=live)

    order = samples.placed(uprn=samples.uprn(30), reservation_key=str(appointment.key))

    assert samples.kinds(order)[2:] == ["committed", "enniReserved", "cabinetSlip"]
    assert (order.appointment, order.visits.count()) == (None, 0)
    order = samples.at_midnight(order, live + timedelta(days=1))
    assert limits.local_day(order.appointment.starts_at) > live
    assert order.visits.count() == 1


@pytest.mark.parametrize("is_committed", [False, True])
def test_key_from_before_the_cabinet_moved_slips_behind_its_amendment(is_committed: bool) -> None:
    """The order waits for an appointment, before or after its KCI2. States, cabinet slip; Amendment rules 4."""
    order = visit_samples.close_unseen(samples.appointed(), "RNA/NA") if is_committed else samples.placed()
    key = samples.reserve(not_before=samples.days_ahead(7)).key
    live = samples.days_ahead(30)
    network_actions.move_release(uprn=order.uprn, day=live)
    planned = order.visits.count()

    order = samples.amend(order, reservation_key=str(key))

    assert samples.kinds(order)[-1] == "cabinetSlip"
    assert (order.appointment, order.visits.count()) == (None, planned)
    order = samples.at_midnight(order, live + timedelta(days=1))
    assert limits.local_day(order.appointment.starts_at) > live


def test_slip_waits_for_the_partner_before_it_appoints_again() -> None:
    """States, cabinet slip."""
    order = samples.appointed()
    samples.accepted(order)
    order = slipped(order, days=2)
    order = samples.at_midnight(order, order.location.cabinet.release_on + timedelta(days=1))
    assert order.visits.count() == 1

    order = tell(order, JobEvent.CANCELLED)

    assert order.visits.count() == 2


def test_repair_is_left_out_when_the_buyer_has_a_new_appointment_already() -> None:
    """Events, Delay."""
    order = visit_samples.close(visit_samples.visited(result=None), "CON")
    order = samples.amend(order, reservation_key=str(samples.reserve().key))
    assert OrderCondition.DELAY not in order.conditions

    order = samples.after(order, seconds=10 * samples.A_DAY)

    assert order.visits.count() == 2


def test_repair_of_the_first_fault_does_not_end_the_second() -> None:
    """Events, Delay."""
    order = visit_samples.close(visit_samples.visited(result=None), "CON")
    order = samples.amend(order, reservation_key=str(samples.reserve().key))
    samples.accepted(order)
    order = samples.until(order, order.appointment.starts_at)
    order = visit_samples.close(order, "POP")

    open_repairs = visit_samples.due_names(order) & {visit_results.REPAIRED}
    assert len(open_repairs) == 1
    assert visit_samples.count_due(order, visit_results.REPAIRED) == 1


def test_without_a_free_slot_the_buyer_is_asked_for_an_appointment() -> None:
    """States, cabinet slip; Limits, Wait for appointment."""
    order = visit_samples.visited(result=None)
    visit_samples.take_all_slots(order)

    order = visit_samples.close(order, "CPR")

    assert samples.members_of(order, "delay")["delay"]["code"] == reasons.DELAY_REAPPOINT.code
    assert TIME_OUT in visit_samples.due_names(order)


# --- a person at the seller -----------------------------------------------------------------------------------
def test_a_slip_cancels_the_appointment_and_appoints_again_after_the_release() -> None:
    """States, cabinet slip."""
    order = samples.appointed()
    job = samples.accepted(order)
    release = samples.days_ahead(20)

    slipped = network_actions.move_release(uprn=order.uprn, day=release)

    assert [found.pk for found in slipped] == [order.pk]
    visit_samples.change(job, JobEvent.CANCELLED)
    order = samples.at_midnight(order, release + timedelta(days=1))
    assert order.appointment.starts_at > limits.midnight(release)
    assert OrderCondition.CABINET_SLIP not in order.conditions


def test_a_slipped_order_follows_a_release_date_that_moves_again() -> None:
    """States, cabinet slip: the order waits for the last date that was set."""
    order = samples.appointed()
    job = samples.accepted(order)
    network_actions.move_release(uprn=order.uprn, day=samples.days_ahead(20))
    visit_samples.change(job, JobEvent.CANCELLED)

    later = samples.days_ahead(30)
    network_actions.move_release(uprn=order.uprn, day=later)

    order = samples.at_midnight(order, later)
    assert order.appointment is None
    order = samples.at_midnight(order, later + timedelta(days=1))
    assert order.appointment.starts_at > limits.midnight(later)
    assert Cabinet.objects.get(locations=order.location).release_on == later


def test_unknown_premises_are_named() -> None:
    """Issue 13, 5a."""
    with pytest.raises(ActionNotPossible, match="no premises with the UPRN 77"):
        network_actions.move_release(uprn="77", day=samples.days_ahead(1))


def test_seller_appoints_again_and_the_new_pack_follows_the_cancellation() -> None:
    """States, cabinet slip."""
    order = samples.appointed()
    job, old = samples.accepted(order), order.appointment
    wanted = samples.days_ahead(30)

    seller_actions.reappoint(**samples.ref(order), not_before=wanted)

    order = samples.fresh(order)
    assert order.appointment.starts_at >= limits.midnight(wanted)
    assert samples.kinds(order)[-1] == "committed"
    assert samples.last_members(order)["appointment"]["key"] == str(order.appointment.key)
    assert Job.objects.count() == 1
    old.refresh_from_db()
    assert old.state == "released"

    visit_samples.change(job, JobEvent.CANCELLED)

    visit = visits.planned(samples.fresh(order))
    assert visit.appointment == order.appointment
    assert Job.objects.count() == 2


def test_day_from_which_no_slot_is_free_leaves_the_appointment_as_it_is() -> None:
    """Issue 13, 5a: a typing mistake."""
    order = samples.appointed()

    with pytest.raises(ActionNotPossible, match=r"No appointment is free from .* stays as it is"):
        seller_actions.reappoint(**samples.ref(order), not_before=samples.days_ahead(500))

    unchanged = samples.fresh(order)
    assert (unchanged.appointment, unchanged.delay_code) == (order.appointment, "")
    assert unchanged.appointment.state == AppointmentState.BOOKED
    assert not visit_samples.is_cancel_queued(visit_samples.job_of(order))


def test_seller_does_not_appoint_before_the_order_is_committed() -> None:
    """States, seller commits."""
    order = samples.placed()

    with pytest.raises(ActionNotPossible, match="only an order with an engineer that is Committed"):
        seller_actions.reappoint(**samples.ref(order))


def managed(kind: str) -> Order:
    """BUYERA takes the line of BUYERB, with an engineer."""
    line, product = samples.uprn(24), samples.NATIONAL_160
    key = samples.reserve(at=line, product=product, not_before=samples.days_ahead(20)).key
    return samples.placed(
        uprn=line,
        product_name=product,
        new_order_type=kind,
        is_engineer_install=True,
        reservation_key=str(key),
    )


@pytest.mark.parametrize("kind", ["Switch", "WLTO"])
def test_losing_providers_cease_follows_the_new_appointment(kind: str) -> None:
    """Events: a date change also notifies the losing provider."""
    order = managed(kind)

    seller_actions.reappoint(**samples.ref(order), not_before=samples.days_ahead(30))

    order = samples.fresh(order)
    cease = order.linked_ceases.get()
    assert cease.requested_date == limits.local_day(order.appointment.starts_at)
    assert samples.kinds(cease)[-1] == "linkedDateChanged"


def test_wlto_is_appointed_again_after_the_cease_that_the_losing_provider_controls() -> None:
    """Switch and WLTO rules 3."""
    order = managed("WLTO")
    day = samples.days_ahead(40)
    cease = samples.amend(order.linked_ceases.get(), requested_date=day.isoformat())

    seller_actions.reappoint(**samples.ref(order), not_before=samples.days_ahead(5))

    order = samples.fresh(order)
    assert limits.local_day(order.appointment.starts_at) > day
    assert samples.fresh(cease).requested_date == day


def test_a_repair_ends_the_wait_at_once() -> None:
    """Events, Delay."""
    order = visit_samples.close_unseen(samples.appointed(), "POP")
    assert order.delay_code == "233"

    seller_actions.record_repair(**samples.ref(order))

    order = samples.fresh(order)
    assert visits.planned(order).appointment == order.appointment
    with pytest.raises(ActionNotPossible, match="does not wait for a repair"):
        seller_actions.record_repair(**samples.ref(order))


@pytest.mark.parametrize("is_at_once", [False, True])
def test_a_repair_ends_behind_another_delay(is_at_once: bool) -> None:
    """A second delay (220) leaves the first one (233) open. Events, Delay; D16."""
    order = visit_samples.close_unseen(samples.appointed(), "POP")
    seller_actions.delay(**samples.ref(order), code="220")

    if is_at_once:
        seller_actions.record_repair(**samples.ref(order))
    else:
        day = business_days.add_business_days(samples.clock.today(), visit_results.REPAIR_WORKING_DAYS)
        samples.at_midnight(order, day)

    order = samples.fresh(order)
    assert visits.planned(order).appointment == order.appointment
    assert open_delays.list_open(order) == []


def test_a_repair_waits_for_a_person_that_looks_into_the_order() -> None:
    """235 over 233: no appointment is made by the clock, and none is forgotten. Events, Delay; D16."""
    order = visit_samples.close_unseen(samples.appointed(), "POP")
    seller_actions.delay(**samples.ref(order), code=reasons.DELAY_REVIEW.code)

    order = samples.after(order, seconds=30 * samples.A_DAY)

    assert (order.appointment, order.delay_code) == (None, "235")
    seller_actions.end_delay(**samples.ref(order))
    order = samples.at_midnight(order, samples.days_ahead(1))
    assert visits.planned(order).appointment == order.appointment
    assert open_delays.list_open(order) == []


def test_a_person_ends_a_repair_and_its_own_look_at_the_order_at_once() -> None:
    """Events, Delay: recording the repair is the person's decision."""
    order = visit_samples.close_unseen(samples.appointed(), "POP")
    seller_actions.delay(**samples.ref(order), code=reasons.DELAY_REVIEW.code)

    seller_actions.record_repair(**samples.ref(order))

    order = samples.fresh(order)
    assert visits.planned(order).appointment == order.appointment


def test_a_repair_ends_its_delay_also_when_no_slot_is_free() -> None:
    """The buyer waits for a slot then, and for the network no more. Events, Delay; D16."""
    order = visit_samples.close_unseen(samples.appointed(), "POP")
    visit_samples.take_all_slots(order)

    seller_actions.record_repair(**samples.ref(order))

    order = samples.fresh(order)
    assert open_delays.list_open(order) == [reasons.DELAY_REAPPOINT]
    with pytest.raises(ActionNotPossible, match="does not wait for a repair"):
        seller_actions.record_repair(**samples.ref(order))


def test_a_repair_keeps_an_appointment_that_stands() -> None:
    """A person may delay an order (233) that has an appointment: no second one is booked beside it. Events, Delay."""
    order = samples.appointed()
    appointment = order.appointment
    seller_actions.delay(**samples.ref(order), code=reasons.DELAY_NETWORK.code)

    seller_actions.record_repair(**samples.ref(order))

    order = samples.fresh(order)
    assert (order.appointment, used_slots(order)) == (appointment, 1)
    assert OrderCondition.DELAY not in order.conditions
