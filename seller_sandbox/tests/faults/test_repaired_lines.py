"""A line that works again moves the tickets that wait for it (What the service does 5; D7, D16)."""

from decimal import Decimal

import pytest

from seller_sandbox.diagnostics import line_states, path_load
from seller_sandbox.diagnostics.models import UniPortStatus
from seller_sandbox.faults import holds
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.network.models import Location
from seller_sandbox.tests.faults import samples, visit_samples

pytestmark = [pytest.mark.usefixtures("network"), pytest.mark.triage]
SLOW = "Performance Issue"


def premises() -> Location:
    return samples.service().location


def without_power() -> FaultReport:
    """A ticket On Hold, because the end user has to check the plug."""
    line_states.cut_power(premises())
    report = samples.in_progress()
    assert (report.get_state_display(), report.triage["code"]) == ("On Hold", "DYG001")
    return report


def congested(message: object = None) -> FaultReport:
    path_load.congest(premises(), node="Interconnect", percent=Decimal(97))
    report = samples.in_progress(message or samples.request(fault_type=SLOW))
    assert report.get_state_display() == "In Progress"
    return report


def outcome(report: FaultReport) -> tuple[str, str]:
    found = samples.after(report, seconds=3)
    return found.get_state_display(), found.closure_code


def test_power_that_is_back_answers_the_question_and_resolves() -> None:
    report = without_power()
    before = len(samples.sent(report))

    line_states.restore_power(premises())

    assert outcome(report) == ("Resolved", "FR")
    assert samples.sent(report)[before:] == ["InProgress", "FaultReportUpdate", "Resolved"]
    assert not samples.fresh(report).is_chargeable


def test_power_that_is_back_on_a_line_with_another_fault_ends_no_hold() -> None:
    report = without_power()
    line_states.set_uni_port(premises(), UniPortStatus.DOWN)

    line_states.restore_power(premises())

    assert outcome(report) == ("On Hold", "")


def test_a_cable_that_is_plugged_in_again_resolves() -> None:
    line_states.set_uni_port(premises(), UniPortStatus.DOWN)
    report = samples.in_progress()
    assert (report.get_state_display(), report.triage["code"]) == ("On Hold", "ISP003")

    line_states.set_uni_port(premises(), UniPortStatus.UP)

    assert outcome(report) == ("Resolved", "FR")


def test_a_hold_that_a_test_without_a_fault_has_begun_goes_on() -> None:
    report = samples.in_progress()
    assert (report.get_state_display(), report.triage["code"]) == ("On Hold", "AOK001")

    line_states.cut_fibre(premises())
    line_states.repair_fibre(premises())

    assert outcome(report) == ("On Hold", "")


def test_a_fibre_repaired_while_the_network_is_repaired_resolves() -> None:
    report = visit_samples.close(visit_samples.on_site(), "REVPOP", secondary="REVPOP01")

    line_states.repair_fibre(premises())

    assert outcome(report) == ("Resolved", "FR")


def test_a_fibre_repaired_after_the_visit_resolves() -> None:
    report = visit_samples.close(visit_samples.on_site(), "REVCOMP")
    assert report.get_state_display() == "In Progress"

    line_states.repair(premises())

    assert outcome(report) == ("Resolved", "FR")


def test_a_fibre_repaired_before_the_visit_leaves_the_resolution_to_the_visit() -> None:
    report = visit_samples.on_site()

    line_states.repair_fibre(premises())

    assert outcome(report) == ("In Progress", "")
    assert visit_samples.close(report, "REVCOMP").closure_code == "FR"


def test_congestion_that_is_ended_resolves_every_ticket_that_waited_for_it() -> None:
    report = congested()
    other = samples.service(samples.OTHER_UPRN)
    second = congested(samples.request(fault_type=SLOW, service_affected=other.service_identifier))

    path_load.clear(premises())

    assert outcome(report) == ("Resolved", "FR")
    assert outcome(second) == ("Resolved", "FR")


def test_a_line_event_alone_does_not_end_congestion() -> None:
    report = congested()

    line_states.cut_fibre(premises())
    line_states.repair_fibre(premises())

    assert outcome(report) == ("In Progress", "")


def test_network_repair_ends_congestion_and_resolves() -> None:
    report = congested()

    report = samples.after(report, seconds=4 * 86_400)

    assert report.closure_code == "FR"
    assert report.triage["findings"].startswith("The network path is congested")


def test_a_hold_by_a_person_without_any_triage_stays(settings: object) -> None:
    settings.TRIAGE_BY_RULES = False
    line_states.cut_power(premises())
    report = samples.act(samples.in_progress(), holds.begin, reason="Which lights are on?")

    line_states.restore_power(premises())

    assert outcome(report) == ("On Hold", "")
