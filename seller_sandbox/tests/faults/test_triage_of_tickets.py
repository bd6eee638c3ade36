"""What triage makes of a ticket: closed remotely with code and charge, or visited though no test can run."""

import pytest
from django.conf import LazySettings

from seller_sandbox.diagnostics import line_states
from seller_sandbox.diagnostics.models import CfmStatus, UniPortStatus
from seller_sandbox.faults import operator_actions, resolutions, steps
from seller_sandbox.faults.models import ClosureCode, FaultReport
from seller_sandbox.faults.states import FaultEventKind
from seller_sandbox.models import DueAction
from seller_sandbox.network.models import Location
from seller_sandbox.tests.faults import samples, visit_samples

pytestmark = [pytest.mark.usefixtures("network"), pytest.mark.triage]


def premises() -> Location:
    return samples.service().location


def ended(report: FaultReport) -> tuple[str, str, bool]:
    resolution = samples.notification(report, "Resolved")["resolution"]
    assert resolution["closure_code"] == report.closure_code
    return report.get_state_display(), report.closure_code, report.is_chargeable


def test_slow_line_that_performs_as_ordered_is_a_service_request() -> None:
    report = samples.in_progress(samples.request(fault_type="Performance Issue"))

    assert ended(report) == ("Resolved", "SREQ", True)


def test_outage_without_a_fault_is_not_resolved_and_chargeable() -> None:
    report = samples.in_progress(samples.outage())

    assert ended(report) == ("Resolved", "FNR", True)
    assert "AppointmentCancelled" in samples.sent(report)


def test_fault_on_our_side_that_a_re_opened_ticket_shows_is_not_charged() -> None:
    """What the service does 4: charged is a fault on the buyer's own network, and what was found last counts."""
    report = samples.in_progress(samples.outage())
    line_states.cut_fibre(premises())

    samples.answer_resolution(report, accepted=False, reason="Still no light")
    report = samples.after(report, seconds=samples.A_MINUTE)

    assert (report.triage["code"], report.is_chargeable) == ("CFH001", False)


def test_re_opened_ticket_is_triaged_when_the_partner_has_cancelled_the_old_visit() -> None:
    """States, Re-Opened: resolved by telephone, and the cancelJob is answered after the buyer's rejection."""
    report = visit_samples.with_visit()
    job = visit_samples.visit(report).job
    samples.act(report, resolutions.resolve, code=ClosureCode.FR, text="Solved by telephone")
    samples.answer_resolution(report, accepted=False)
    report = samples.after(report, seconds=samples.A_MINUTE)
    assert report.get_state_display() == "In Progress"

    visit_samples.cancelled(job)
    report = samples.after(report, seconds=samples.A_MINUTE)

    assert report.events.filter(kind=FaultEventKind.TRIAGED).count() == 2
    assert (report.get_state_display(), report.is_visit_needed) == ("On Hold", True)


def test_re_opened_ticket_whose_old_visit_is_cancelled_just_before_its_triage_is_triaged_once(
    settings: LazySettings,
) -> None:
    """States, Re-Opened: the partner's answer comes between the start of the work and the line test."""
    report = visit_samples.with_visit()
    job = visit_samples.visit(report).job
    samples.act(report, resolutions.resolve, code=ClosureCode.FR, text="Solved by telephone")
    samples.answer_resolution(report, accepted=False)
    settings.FAULT_STEP_SECONDS = 20
    report = samples.after(report, seconds=2)
    assert report.get_state_display() == "In Progress"

    visit_samples.cancelled(job)

    due = DueAction.objects.open().filter(name=steps.TRIAGE, subject=report.maintainer_fault_reference)
    assert due.count() == 1
    report = samples.after(report, seconds=samples.A_MINUTE)
    assert report.events.filter(kind=FaultEventKind.TRIAGED).count() == 2


@pytest.mark.parametrize("is_chargeable", [True, False])
def test_charge_that_the_operator_decides_stays(is_chargeable: bool) -> None:
    report = samples.in_progress(samples.outage())
    samples.act(report, operator_actions.mark_chargeable, is_chargeable=is_chargeable)
    # by the rules it is the other way round
    line_states.set_cfm(premises(), CfmStatus.DOWN_CF if is_chargeable else CfmStatus.DOWN_ISP)

    samples.answer_resolution(report, accepted=False)
    report = samples.after(report, seconds=samples.A_MINUTE)

    assert report.is_chargeable == is_chargeable


def test_line_that_works_up_to_the_router_is_charged() -> None:
    line_states.set_cfm(premises(), CfmStatus.DOWN_ISP)

    assert ended(samples.in_progress()) == ("Resolved", "FNR", True)


def test_port_without_a_router_is_no_dial_tone_after_the_buyer_s_answer() -> None:
    line_states.set_uni_port(premises(), UniPortStatus.DOWN)
    report = samples.in_progress()
    assert report.get_state_display() == "On Hold"

    samples.amend(report, update_texts=["There is no router in this room"])

    assert ended(samples.after(report, seconds=samples.A_MINUTE)) == ("Resolved", "NDT", True)


def test_outage_on_a_line_that_cannot_be_tested_is_visited() -> None:
    line_states.set_testable(premises(), can_be_tested=False)

    report = samples.in_progress(samples.outage())

    assert report.triage["code"] == "STF001"
    assert visit_samples.visit(report).job.pack["fault"]["lastDiagnostics"]["code"] == "STF001"
    assert not report.is_chargeable


def test_buyer_is_asked_once_about_a_line_that_cannot_be_tested() -> None:
    line_states.set_testable(premises(), can_be_tested=False)
    report = samples.in_progress()
    assert "ONT lights" in samples.notification(report, "OnHold")["hold_reason"]

    samples.amend(report, update_texts=["PON is red"])
    report = samples.after(report, seconds=samples.A_MINUTE)

    assert (report.triage["decision"], report.is_visit_needed) == ("A visit is needed", True)


def test_location_and_access_details_reach_notifications_and_the_pack() -> None:
    access = {"name": "Kim Porter", "phone": "0113 496 0123"}
    report = visit_samples.with_visit(
        samples.outage(
            parent_fault_reference="FT-PARENT",
            fault_location="Cellar, beside the meter",
            site_access_details="Ring at the porter's",
            site_access_contact_details=access,
            triage_complete=True,
            files=[{"name": "ont.jpg", "media_type": "image/jpeg", "description": "Lights of the ONT"}],
        )
    )

    accepted, pack = samples.notification(report, "Accepted"), visit_samples.visit(report).job.pack
    assert accepted["parent_fault_reference"] == "FT-PARENT"
    assert accepted["fault_location"] == "Cellar, beside the meter"
    assert accepted["site_access_details"] == "Ring at the porter's"
    assert accepted["site_access_contact_details"] == access
    assert accepted["triage_complete"] is True
    assert [row["name"] for row in accepted["files"]] == ["ont.jpg"]
    assert pack["siteContact"] == access
    assert pack["site"]["accessRestrictions"] == "Ring at the porter's"
    assert "Cellar, beside the meter" in pack["site"]["notes"]
    assert pack["fault"]["access"] == "Ring at the porter's"
    assert pack["fault"]["files"] == [
        {"name": "ont.jpg", "type": "image/jpeg", "description": "Lights of the ONT"}
    ]
