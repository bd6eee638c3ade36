"""Visits that move, are missed or fall away (D4, D6, D15; Endpoints, Rules 1)."""

from datetime import timedelta

import pytest
from django.conf import LazySettings

from seller_sandbox.faults import holds, operator_actions, repairs, resolutions
from seller_sandbox.faults.models import ClosureCode, FaultReport
from seller_sandbox.faults.revisits import follow_up_slots, missed_visits
from seller_sandbox.faults.states import FaultEventKind
from seller_sandbox.faults.ticket_closure_codes import ReachedBy, closure_codes, codes_reached_by
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.jobs.models import JobState
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.network.models import Appointment, AppointmentState, SlotCapacity
from seller_sandbox.tests.faults import samples, visit_samples

pytestmark = [pytest.mark.usefixtures("network"), pytest.mark.triage]


def after_the_slot(report: FaultReport) -> FaultReport:
    return samples.until(report, visit_samples.visit(report).appointment.ends_at)


def compensation(report: FaultReport) -> tuple[bool, bool]:
    """Late repair, missed appointment."""
    details = report.events.filter(kind=FaultEventKind.NOTED).last().details
    return details["is_late_repair_payable"], details["is_missed_appointment_payable"]


# --- missed ---------------------------------------------------------------------------------------------------
def test_nobody_on_site_by_the_end_of_the_slot_is_missed_by_the_supplier() -> None:
    report = visit_samples.with_visit()
    before, old = len(samples.sent(report)), visit_samples.visit(report)

    report = after_the_slot(report)

    missed = samples.notification(report, "MissedAppointment")["missed_appointment"]
    assert visit_samples.says(report, since=before) == ["MissedAppointment", "AppointmentConfirmation"]
    assert (missed["missed_by"], missed["code"]) == ("Supplier", "FTA")
    assert compensation(report) == (True, True)
    assert report.get_state_display() == "In Progress"
    assert report.appointment.starts_at > old.appointment.ends_at
    # the new pack waits for the old job's end
    assert visit_samples.is_cancelling(old.job)
    assert report.visits.count() == 1

    visit_samples.cancelled(old.job)

    assert visit_samples.visit(report).appointment == report.appointment


@pytest.mark.parametrize("code", codes_reached_by(ReachedBy.MISSED_VISIT))
def test_a_missed_visit_goes_on_as_the_row_of_its_code_says(code: str) -> None:
    report, row = visit_samples.with_visit(), closure_codes()[code]
    before, old = len(samples.sent(report)), visit_samples.visit(report)
    if code == ClosureCode.MBORC:
        samples.act(report, missed_visits.declare_mborc)

    report = after_the_slot(report)
    visit_samples.cancelled(old.job)

    sent = [f"notify{name}" for name in visit_samples.says(report, since=before)]
    assert (sent, report.get_state_display()) == ([*row.messages], row.state)
    assert compensation(report) == (row.is_late_repair_payable, row.is_missed_appointment_payable)
    assert visit_samples.visit(report).job.job_type == row.next_job


def test_a_visit_missed_beyond_control_is_mborc_when_set_at_the_console() -> None:
    report = visit_samples.with_visit()
    samples.act(report, missed_visits.declare_mborc)

    report = after_the_slot(report)

    assert samples.notification(report, "MissedAppointment")["missed_appointment"]["code"] == "MBORC"
    assert compensation(report) == (True, False)


def test_a_visit_that_counts_as_missed_becomes_mborc_after_its_slot() -> None:
    report = after_the_slot(visit_samples.with_visit())
    before, missed = len(samples.sent(report)), report.visits.get()
    assert (missed.missed_code, compensation(report)) == ("FTA", (True, True))

    report = samples.act(report, missed_visits.declare_mborc)

    assert (report.visits.get().missed_code, compensation(report)) == ("MBORC", (True, False))
    assert visit_samples.says(report, since=before) == ["FaultReportUpdate"]
    assert "MBORC" in samples.notification(report, "FaultReportUpdate")["update_reason"]


def test_mborc_names_the_visit_by_its_job() -> None:
    report = after_the_slot(visit_samples.with_visit())
    first = report.visits.get()
    visit_samples.cancelled(first.job)
    planned = visit_samples.visit(report)

    samples.act(report, missed_visits.declare_mborc, job=planned.job.seller_job_id)
    report = after_the_slot(report)

    assert [visit.missed_code for visit in report.visits.order_by("pk")][:2] == ["FTA", "MBORC"]
    with pytest.raises(ActionNotPossible):
        samples.act(report, missed_visits.declare_mborc, job="SJ-unknown")


def test_mborc_is_refused_where_nothing_can_be_missed() -> None:
    report = visit_samples.on_site()

    with pytest.raises(ActionNotPossible, match="no visit that was missed"):
        samples.act(report, missed_visits.declare_mborc)


def test_an_engineer_on_site_in_time_is_not_missed_however_late_we_hear_of_it() -> None:
    report = visit_samples.on_site()

    report = after_the_slot(report)

    assert "MissedAppointment" not in samples.sent(report)


@pytest.mark.parametrize("is_full", [False, True], ids=["another slot", "no free slot"])
def test_a_late_report_of_an_engineer_inside_the_slot_takes_the_miss_back(is_full: bool) -> None:
    """D15; job-messages.md, occurredAt: a phone without signal reports later, the cancelJob being on its way still."""
    report = visit_samples.with_visit()
    slot = report.appointment
    if is_full:
        SlotCapacity.objects.update(capacity=0)
    report = after_the_slot(report)
    assert samples.sent(report).count("MissedAppointment") == 1

    visit_samples.say(report, JobEvent.ON_SITE, occurredAt=slot.ends_at.isoformat())

    report = samples.fresh(report)
    assert (report.appointment, report.get_state_display()) == (slot, "In Progress")
    assert [*Appointment.objects.filter(state=AppointmentState.BOOKED)] == [slot]
    assert missed_visits.compensation_of(visit_samples.visit(report)) == {}
    reason = report.events.filter(kind=FaultEventKind.UPDATED).last().details["update_reason"]
    assert reason == "The engineer was on site in the slot: the appointment was not missed."
    assert "AppointmentCompleted" in samples.sent(visit_samples.close(report, "REVCON"))


def test_a_report_of_an_engineer_after_the_slot_leaves_it_missed() -> None:
    """D15: on site a second too late."""
    report = visit_samples.with_visit()
    slot = report.appointment
    report = after_the_slot(report)

    late = slot.ends_at + timedelta(seconds=1)
    visit_samples.say(report, JobEvent.ON_SITE, occurredAt=late.isoformat())

    assert visit_samples.visit(report).missed_code == "FTA"
    assert samples.fresh(report).appointment != slot


def test_a_closure_after_the_slot_keeps_the_slot_that_was_booked_since() -> None:
    """Found by a random life: the second follow-up slot stayed booked without a ticket."""
    report = after_the_slot(visit_samples.with_visit())
    booked = report.appointment

    report = visit_samples.close(report, "REVONT")

    assert report.appointment == booked
    assert [*Appointment.objects.filter(state=AppointmentState.BOOKED)] == [booked]
    assert visit_samples.visit(report).appointment == booked


def test_a_slot_that_has_begun_before_its_pack_could_go_out_gives_way_to_a_later_one() -> None:
    """The partner answers the cancelJob only after the next slot has passed, as when the clock moves by a year."""
    report = visit_samples.with_visit()
    old = visit_samples.visit(report)
    report = after_the_slot(report)
    late = report.appointment
    report, before = samples.until(report, late.ends_at), len(samples.sent(report))

    visit_samples.cancelled(old.job)

    report = samples.fresh(report)
    assert visit_samples.says(report, since=before) == ["AppointmentCancelled", "AppointmentConfirmation"]
    assert report.appointment.starts_at > late.ends_at
    assert visit_samples.visit(report).appointment == report.appointment
    assert samples.after(report, seconds=1).events.filter(kind=FaultEventKind.APPOINTMENT_MISSED).count() == 1
    late.refresh_from_db()
    assert late.state == AppointmentState.RELEASED


def test_without_lead_days_a_slot_that_has_begun_is_not_booked_again(settings: LazySettings) -> None:
    """D15, a new slot: it was given back for itself without end."""
    report = visit_samples.with_visit()
    old = visit_samples.visit(report)
    settings.REPAIR_LEAD_DAYS = 0

    report = after_the_slot(report)
    visit_samples.cancelled(old.job)

    assert visit_samples.visit(report).appointment == report.appointment
    assert report.appointment.starts_at > old.appointment.starts_at


def test_without_a_free_slot_the_next_visit_is_agreed_with_the_end_user() -> None:
    report = visit_samples.with_visit()
    SlotCapacity.objects.update(capacity=0)

    report = after_the_slot(report)

    assert report.get_state_display() == "On Hold"
    assert report.hold_reason == follow_up_slots.NO_SLOT


@pytest.mark.parametrize(
    ("is_full", "state", "reason"), [(False, "In Progress", ""), (True, "On Hold", follow_up_slots.NO_SLOT)]
)
def test_a_slot_is_missed_though_the_ticket_is_on_hold(is_full: bool, state: str, reason: str) -> None:
    """D7: an appointment that we book ends the hold; without one it has another reason."""
    report = visit_samples.with_visit()
    samples.act(report, holds.begin, reason="Where is the ONT?")
    if is_full:
        SlotCapacity.objects.update(capacity=0)

    report = after_the_slot(report)

    assert "MissedAppointment" in samples.sent(report)
    assert (report.get_state_display(), report.hold_reason) == (state, reason)


# --- moved ----------------------------------------------------------------------------------------------------
def test_another_key_cancels_the_old_job_and_sends_a_new_one() -> None:
    report = visit_samples.with_visit()
    before, old = len(samples.sent(report)), visit_samples.visit(report)
    new = samples.reserve(number=3)

    assert samples.amend(report, appointment_reservation_key=str(new.key)).status == 200
    assert visit_samples.says(report, since=before) == [
        "AppointmentCancelled",
        "Amended",
        "AppointmentConfirmation",
    ]
    visit_samples.cancelled(old.job)

    report = samples.fresh(report)
    old.appointment.refresh_from_db()
    assert old.appointment.state == AppointmentState.RELEASED
    assert visit_samples.visit(report).appointment == new
    assert visit_samples.states_of_jobs(report) == [JobState.CANCELLED, JobState.QUEUED]


def test_another_key_is_refused_once_the_engineer_is_on_site() -> None:
    report = visit_samples.on_site()
    new = samples.reserve(number=3)

    answer = samples.amend(report, appointment_reservation_key=str(new.key))

    assert answer.status == 400
    assert "on site" in answer.content.decode()
    assert samples.fresh(report).appointment == report.appointment


def test_an_engineer_who_has_scanned_is_on_site_without_a_report_of_it() -> None:
    """As for orders (D14 there): a lenient seller takes the scan without onSite."""
    report = visit_samples.with_visit()
    new = samples.reserve(number=3)
    report = samples.until(report, report.appointment.starts_at)
    visit_samples.change(visit_samples.visit(report).job, JobEvent.ONT_SCANNED)

    answer = samples.amend(report, appointment_reservation_key=str(new.key))
    assert (answer.status, "on site" in answer.content.decode()) == (400, True)
    with pytest.raises(ActionNotPossible, match="no visit that was missed"):
        samples.act(report, missed_visits.declare_mborc)
    assert "MissedAppointment" not in samples.sent(after_the_slot(report))


def test_a_cancellation_that_comes_too_late_gives_the_new_slot_back() -> None:
    report = visit_samples.with_visit()
    old, new = visit_samples.visit(report), samples.reserve(number=3)
    samples.amend(report, appointment_reservation_key=str(new.key))

    visit_samples.arrive(report)
    visit_samples.change(old.job, JobEvent.CANCEL_REFUSED)

    new.refresh_from_db()
    assert new.state == AppointmentState.RELEASED
    assert samples.fresh(report).appointment is None
    samples.act(report, repairs.repair)
    assert visit_samples.close(report, "REVCOMP").closure_code == "FR"


def test_the_slot_of_a_visit_that_was_moved_is_not_missed() -> None:
    report = visit_samples.with_visit()
    old = visit_samples.visit(report)
    new = samples.reserve(number=3)
    samples.amend(report, appointment_reservation_key=str(new.key))
    visit_samples.cancelled(old.job)

    report = samples.until(report, old.appointment.ends_at)

    assert "MissedAppointment" not in samples.sent(report)


# --- fallen away ----------------------------------------------------------------------------------------------
def test_a_cancelled_ticket_takes_appointment_and_job_with_it() -> None:
    report = visit_samples.with_visit()
    visit = visit_samples.visit(report)

    samples.act(report, operator_actions.cancel, reason="Raised twice")

    assert samples.sent(report)[-2:] == ["AppointmentCancelled", "Cancelled"]
    visit.appointment.refresh_from_db()
    assert visit.appointment.state == AppointmentState.RELEASED
    visit_samples.cancelled(visit.job)
    assert report.visits.planned().count() == 0


def test_a_ticket_resolved_by_telephone_needs_no_visit_any_more() -> None:
    report = visit_samples.with_visit()
    job = visit_samples.visit(report).job

    samples.act(report, resolutions.resolve, code=ClosureCode.FR, text="Solved by telephone")

    assert samples.sent(report)[-2:] == ["AppointmentCancelled", "Resolved"]
    assert visit_samples.is_cancelling(job)


def test_a_job_that_ends_after_its_ticket_changes_nothing_of_it() -> None:
    report = visit_samples.on_site()
    samples.act(report, resolutions.resolve, code=ClosureCode.FNR, text="Given up")

    report = visit_samples.close(report, "REVCOMP")

    assert (report.get_state_display(), report.closure_code) == ("Resolved", "FNR")


def test_a_pack_that_the_partner_refuses_ends_as_a_missed_visit() -> None:
    report = visit_samples.with_visit()
    visit = visit_samples.visit(report)
    type(visit.job).objects.filter(pk=visit.job.pk).update(state=JobState.QUEUED)
    visit_samples.change(visit.job, JobEvent.REFUSED)

    report = after_the_slot(report)

    assert "MissedAppointment" in samples.sent(report)
    assert report.visits.count() == 2


def test_a_visit_agreed_by_the_operations_team_leaves_the_hold() -> None:
    report = visit_samples.close(visit_samples.on_site(), "REVNA")
    slot = samples.reserve(number=5)

    samples.act(report, operator_actions.book_visit, starts_at=slot.starts_at, ends_at=slot.ends_at)

    report = samples.fresh(report)
    assert report.get_state_display() == "In Progress"
    assert visit_samples.visit(report).job.starts_at == slot.starts_at
