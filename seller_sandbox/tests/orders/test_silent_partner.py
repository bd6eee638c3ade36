"""A partner that says nothing of a visit by the end of its slot (order-provisioning.md, Missed Appointment, rule 6)."""

from datetime import timedelta

import pytest

from seller_sandbox.orders import seller_actions
from seller_sandbox.orders.models import Order, VisitPurpose
from seller_sandbox.orders.states import OrderCondition
from seller_sandbox.tests.orders import samples, visit_samples
from seller_sandbox.tests.orders.visit_samples import is_cancel_queued, job_of
from seller_sandbox.tests.partner_messages import go_on_site

pytestmark = pytest.mark.usefixtures("network")
MINUTE = timedelta(minutes=1)


def silent(*, is_accepted: bool = True) -> Order:
    """An order whose slot has passed, and nobody has reported anything."""
    order = samples.appointed()
    if is_accepted:
        samples.accepted(order)
    return samples.until(order, order.appointment.ends_at)


@pytest.mark.parametrize("is_accepted", [True, False])
def test_slot_that_passes_in_silence_is_missed_by_the_seller(is_accepted: bool) -> None:
    """Missed Appointment 6 and 7; States: Seller Missed Y, the order is delayed and its job cancelled."""
    order = silent(is_accepted=is_accepted)

    assert (order.delay_code, order.appointment) == ("239", None)
    assert OrderCondition.MISSED_APPOINTMENT in order.conditions
    assert is_cancel_queued(job_of(order))

    order = samples.after(order, seconds=2 * samples.A_DAY)

    flags_sent = samples.members_of(order, "missedAppointment")["missed_appointment"]
    assert {name for name, value in flags_sent.items() if value is True} == {"is_seller_missed"}
    assert order.missed_appointments.get().is_compensation_due


def test_pack_that_the_partner_refused_is_missed_at_the_end_of_its_slot() -> None:
    """Missed Appointment 6: whoever was to blame for it, nobody of the seller came."""
    order = visit_samples.refuse_pack(samples.appointed())
    assert order.delay_code == "236"

    order = samples.until(order, order.appointment.ends_at)

    assert order.delay_code == "239"
    assert order.missed_appointments.get().missed_by == "seller"
    assert not order.visits.filter(ended_at=None).exists()


def test_engineer_on_site_by_the_end_of_the_slot_has_missed_nothing() -> None:
    """Missed Appointment 6: the visit may take longer than its slot."""
    order = visit_samples.visited()

    order = samples.until(order, order.appointment.ends_at)

    assert not order.missed_appointments.exists()
    assert not is_cancel_queued(job_of(order))


def test_new_appointment_follows_a_slot_that_passed_in_silence() -> None:
    """Limits: a new key within 30 days; the partner has cancelled the first job by then."""
    order = visit_samples.partner_cancels(silent())

    order = samples.amend(order, reservation_key=str(samples.reserve().key))

    assert order.visits.count() == 2
    assert OrderCondition.DELAY not in order.conditions


def test_order_ends_when_no_new_appointment_follows() -> None:
    """Limits: 30 days."""
    order = samples.after(visit_samples.partner_cancels(silent()), seconds=31 * samples.A_DAY)

    assert (order.state, order.end_code) == ("cancelled", "572")


def test_late_report_of_an_engineer_inside_the_slot_takes_the_miss_back() -> None:
    """Missed Appointment 6; job-messages.md, occurredAt: a phone without signal reports later."""
    order = silent()
    slot = order.missed_appointments.get().appointment

    go_on_site(job_of(order), at=slot.starts_at + MINUTE)

    order = samples.fresh(order)
    assert (order.appointment, order.conditions) == (slot, ["nni_reserved"])
    assert samples.kinds(order)[-1] == "committed"
    assert samples.last_members(order)["appointment"]["key"] == str(slot.key)

    visit_samples.provisioned(job_of(order))
    order = visit_samples.close(order, "SP")
    order = samples.after(order, seconds=3 * samples.A_DAY)

    assert order.state == "completed"
    assert "missedAppointment" not in samples.kinds(order)


def test_late_report_of_an_engineer_after_the_slot_leaves_it_missed() -> None:
    """Missed Appointment 6: the visit goes on, the appointment was missed all the same."""
    order = silent()
    slot = order.missed_appointments.get().appointment

    go_on_site(job_of(order), at=slot.ends_at + timedelta(seconds=1))

    order = samples.fresh(order)
    assert order.missed_appointments.get().missed_by == "seller"

    visit_samples.provisioned(job_of(order))
    order = samples.after(visit_samples.close(order, "SP"), seconds=3 * samples.A_DAY)

    assert order.state == "completed"
    assert samples.members_of(order, "missedAppointment")["missed_appointment"]["is_seller_missed"] is True


def test_silence_while_a_cancellation_waits_for_the_partner_is_no_miss() -> None:
    """Missed Appointment 5: the buyer has cancelled in the slot, and the answer of the partner is still out."""
    order = samples.appointed()
    samples.accepted(order)
    order = samples.cancel(samples.until(order, order.appointment.starts_at))

    order = samples.until(order, order.appointment.ends_at)
    order = samples.after(visit_samples.partner_cancels(order), seconds=2 * samples.A_DAY)

    flags_sent = samples.members_of(order, "missedAppointment")["missed_appointment"]
    assert {name for name, value in flags_sent.items() if value is True} == {
        "is_cancelled",
        "is_end_user_pre_agreed",
    }


def test_silent_survey_of_a_complex_order_is_missed() -> None:
    """Events, Missed Appointment: per order; the buyer books again (complexOrder, awaitingBuyerAction)."""
    order = visit_samples.complex_visit(VisitPurpose.SURVEY)

    order = samples.until(order, order.appointment.ends_at)

    assert (order.state, order.delay_code) == ("acknowledged", "239")
    assert order.missed_appointments.get().missed_by == "seller"


def test_civils_have_no_slot_that_could_be_missed() -> None:
    """Events: only appointments that were communicated."""
    order = visit_samples.complex_visit(VisitPurpose.CIVILS)
    order.visits.update(appointment=None)

    order = samples.after(order, seconds=20 * samples.A_DAY)

    assert not order.missed_appointments.exists()


@pytest.mark.parametrize(
    ("code", "flags", "delay"),
    [
        ("RNA/NA", {"is_end_user_missed"}, "237"),
        ("MBORC", {"is_seller_missed", "is_mborc"}, "239"),
        ("FTA", {"is_seller_missed"}, "239"),
    ],
)
def test_person_says_who_missed_a_slot_that_passed_in_silence(code: str, flags: set[str], delay: str) -> None:
    """Missed Appointment 6: until the flags are settled, also when the partner has cancelled the job."""
    order = visit_samples.partner_cancels(silent())

    seller_actions.miss_appointment(code=code, **samples.ref(order))
    order = samples.after(order, seconds=2 * samples.A_DAY)

    flags_sent = samples.members_of(order, "missedAppointment")["missed_appointment"]
    assert {name for name, value in flags_sent.items() if value is True} == flags
    assert order.delay_code == delay


def test_mborc_can_be_declared_of_a_silent_slot() -> None:
    """MBORC rules: the missed appointment is not payable then."""
    order = silent()

    seller_actions.declare_mborc(**samples.ref(order))
    order = samples.after(order, seconds=2 * samples.A_DAY)

    assert not order.missed_appointments.get().is_compensation_due
