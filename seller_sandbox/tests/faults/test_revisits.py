"""A ticket becomes a visit, and a visit moves the ticket: every closure code played to its end (D15, D16)."""

import pytest

from seller_sandbox import clock
from seller_sandbox.diagnostics import line_states
from seller_sandbox.diagnostics.line_tests import run_line_test
from seller_sandbox.faults import holds, repairs
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.faults.revisits import follow_up_slots
from seller_sandbox.faults.revisits.revisit_outcomes import RevisitStep, outcomes
from seller_sandbox.faults.states import FaultEventKind
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.network.models import SlotCapacity
from seller_sandbox.tests.faults import samples, visit_samples

pytestmark = [pytest.mark.usefixtures("network"), pytest.mark.triage]


def test_an_outage_by_a_cut_fibre_becomes_a_revisit_with_its_story() -> None:
    report = visit_samples.with_visit(samples.outage(description="No light", triage_findings="LOS is red"))

    pack = visit_samples.visit(report).job.pack
    fault = pack["fault"]
    assert pack["jobType"] == "revisit"
    assert pack["appointment"]["reservationKey"] == str(report.appointment.key)
    assert pack["serviceIdentifier"] == report.service.service_identifier
    assert pack["orderReferences"] == {"sellerOrderReference": report.maintainer_fault_reference}
    assert pack["siteContact"] == {"name": "Jo Marsh", "phone": "07700 900123"}
    assert fault["maintainerFaultReference"] == report.maintainer_fault_reference
    assert (fault["faultType"], fault["description"]) == ("Service Outage", "No light")
    assert fault["triageFindings"][0] == "Buyer: LOS is red"
    assert fault["triageFindings"][1].startswith("Triage: The line is down on our side")
    assert fault["lastDiagnostics"]["code"] == "CFH001"
    # Service diagnostics result: the nodes of the Local configuration, which has no Handoff
    assert [*fault["lastDiagnostics"]["nodes"]] == ["ENNI", "Interconnect", "PON"]
    assert samples.sent(report) == ["Accepted", "AppointmentConfirmation", "InProgress", "FaultReportUpdate"]


def test_the_engineers_steps_are_updates() -> None:
    report = visit_samples.with_visit()
    before = len(samples.sent(report))
    report = samples.until(report, report.appointment.starts_at)

    visit_samples.arrive(report)

    assert visit_samples.says(report, since=before) == ["FaultReportUpdate"] * 3
    updates = report.thread.outbound.filter(operation="notifyFaultReportUpdate").order_by("-seq")[:3]
    assert [update.members["update_reason"] for update in updates] == [
        "The engineer is on site: Sam Field.",
        "The engineer is on the way: Sam Field.",
        "An engineer is assigned: Sam Field.",
    ]


@pytest.mark.parametrize("code", outcomes())
def test_each_closure_does_what_its_row_says(code: str) -> None:
    report = visit_samples.on_site()
    samples.act(report, repairs.repair)
    before = len(samples.sent(report))

    report = visit_samples.close(report, code, remarks="Seen on site")
    report = samples.after(report, seconds=2)

    row = outcomes()[code]
    sent = [f"notify{name}" for name in visit_samples.says(report, since=before)]
    assert report.get_state_display() == row.state
    assert sent == list(row.messages)
    assert report.visits.first().outcome == code
    if row.state == "Resolved":
        assert report.closure_code == row.closure_code


@pytest.mark.parametrize(
    ("code", "needs", "flags", "note"),
    [
        ("REVCPR", ["CHP"], ["CHP"], ""),
        ("REVONT", ["ont"], [], "Bring another ONT"),
        ("REVASS", ["2 engineers"], [], "2 engineers are needed."),
    ],
)
def test_the_next_revisit_brings_what_was_missing(
    code: str, needs: list[str], flags: list[str], note: str
) -> None:
    report = visit_samples.on_site()
    first = visit_samples.visit(report).job

    report = visit_samples.close(report, code)

    following = visit_samples.visit(report)
    pack = following.job.pack
    assert following.needs == needs
    assert [flag for flag in pack["property"]["flags"] if flag == "CHP"] == flags
    assert note in pack["site"].get("notes", "")
    first.refresh_from_db()
    assert pack["previousProviderJobId"] == first.provider_job_id


def test_a_closure_repairs_nothing_and_does_not_resolve_while_the_line_is_down() -> None:
    report = visit_samples.on_site()

    report = visit_samples.close(report, "REVCOMP", remarks="Tested at the ONT")

    assert report.get_state_display() == "In Progress"
    outcome = samples.notification(report, "AppointmentCompleted")["completed_appointment"]["outcome"]
    assert outcome == "The engineer has completed the visit. Tested at the ONT"
    assert not line_states.is_up(report.service)
    assert "still down" in samples.notification(report, "FaultReportUpdate")["update_reason"]

    report = samples.after(report, seconds=15 * 60)

    assert (report.get_state_display(), report.closure_code) == ("Resolved", "FR")
    assert line_states.is_up(report.service)


def test_a_fault_is_repaired_a_set_time_after_the_arrival() -> None:
    report = visit_samples.on_site()
    assert run_line_test(report.service).code == "CFH001"

    report = samples.after(report, seconds=15 * 60)

    assert run_line_test(report.service).code == "AOK001"
    assert report.get_state_display() == "In Progress"
    assert visit_samples.close(report, "REVCOMP").closure_code == "FR"


def test_an_engineer_who_found_nobody_repairs_nothing_later() -> None:
    report = visit_samples.close(visit_samples.on_site(), "REVNA", secondary="REVNA02")

    report = samples.after(report, seconds=3600)

    missed = samples.notification(report, "MissedAppointment")["missed_appointment"]
    assert (missed["missed_by"], missed["code"]) == ("End User", "NA")
    assert "ill" in missed["reason"]
    assert not line_states.is_up(report.service)


def test_a_fault_in_the_network_is_repaired_without_a_visit_and_resolves() -> None:
    report = visit_samples.close(visit_samples.on_site(), "REVPOP", secondary="REVPOP01")

    report = samples.after(report, seconds=4 * 86_400)

    assert (report.state, report.closure_code) in {("resolved", "FR"), ("closed", "FR")}


@pytest.mark.parametrize("written", ["ALCL0BADCAFE", "414c434c0badcafe"])
def test_an_exchanged_ont_is_what_diagnostics_and_network_show_afterwards(written: str) -> None:
    report = visit_samples.on_site()
    fsan, ont = "ALCL0BADCAFE", {"fsan": written, "serialNumber": "000999"}
    visit_samples.say(report, JobEvent.ONT_SCANNED, ont=ont, scanId="")
    job = visit_samples.visit(report).job
    job.tries.create(fsan=fsan, due_at=clock.now())
    visit_samples.change(job, JobEvent.PROVISIONED)

    report = samples.fresh(report)
    assert report.service.ont.fsan == fsan
    state = line_states.read(report.service.location)
    assert state.ont_fsan == fsan
    # the fibre is still cut: diagnostics report the new ONT as down
    test = run_line_test(report.service)
    assert (test.ont, test.code) == (state.ont, "CFH001")
    samples.act(report, repairs.repair)
    assert run_line_test(report.service).ont.last_event_at > state.ont.last_event_at


def test_an_unattended_revisit_that_the_office_closes_is_missed_at_the_end_of_the_slot() -> None:
    report = visit_samples.with_visit()
    before = len(samples.sent(report))

    report = visit_samples.close(report, "OTHER", remarks="Van broken down")

    assert visit_samples.says(report, since=before) == ["FaultReportUpdate"]
    assert "Van broken down" in samples.notification(report, "FaultReportUpdate")["update_reason"]

    report = samples.until(report, report.appointment.ends_at)

    assert visit_samples.says(report, since=before + 1) == ["MissedAppointment", "AppointmentConfirmation"]
    assert report.is_open


def test_a_code_of_another_family_is_looked_into() -> None:
    report = visit_samples.close(visit_samples.on_site(), "SP")

    assert report.get_state_display() == "In Progress"


def resolved(report: FaultReport) -> FaultReport:
    samples.act(report, repairs.repair)
    return visit_samples.close(report, "REVCOMP")


def test_a_rejected_resolution_brings_another_visit() -> None:
    report = resolved(visit_samples.on_site())
    samples.answer_resolution(report, accepted=False, reason="Still no light")

    report = samples.after(report, seconds=60)

    assert report.get_state_display() == "On Hold"
    assert "appointment" in samples.notification(report, "OnHold")["hold_reason"]


# --- closed while the ticket is on hold -----------------------------------------------------------------------
def held(report: FaultReport) -> FaultReport:
    return samples.act(report, holds.begin, reason="Where is the ONT?", contacts_end_user=False)


@pytest.mark.parametrize("is_full", [False, True], ids=["another slot", "no free slot"])
@pytest.mark.parametrize("code", outcomes())
def test_a_closure_is_taken_though_the_ticket_is_on_hold(code: str, is_full: bool) -> None:
    """D15: as if it had not been; a visit that no slot is free for is agreed with the end user."""
    report = held(samples.act(visit_samples.on_site(), repairs.repair))
    if is_full:
        SlotCapacity.objects.update(capacity=0)

    report = samples.after(visit_samples.close(report, code), seconds=2)

    row = outcomes()[code]
    is_slot_missing = is_full and row.step == RevisitStep.REVISIT
    assert report.get_state_display() == ("On Hold" if is_slot_missing else row.state)
    assert report.events.filter(kind=FaultEventKind.TRIAGED).count() == 1


def test_an_engineer_after_a_slot_without_a_following_one_closes_too() -> None:
    report = visit_samples.with_visit()
    SlotCapacity.objects.update(capacity=0)
    report = samples.until(report, report.appointment.ends_at)
    visit_samples.arrive(report)

    report = visit_samples.close(report, "REVHAZ")

    assert report.get_state_display() == "On Hold"
    assert report.hold_reason != follow_up_slots.NO_SLOT
