"""Triage of a ticket: a line test, the rules of triage_rules.py, and what follows from them."""

from collections.abc import Callable

from django.conf import settings

from seller_sandbox import clock, due_actions
from seller_sandbox.diagnostics.line_tests import run_line_test
from seller_sandbox.due_actions import due_action
from seller_sandbox.faults import holds, lifecycle, repairs, resolutions, steps
from seller_sandbox.faults.models import ClosureCode, FaultEvent, FaultReport
from seller_sandbox.faults.revisits import follow_up_slots, visits
from seller_sandbox.faults.states import FaultEventKind, FaultState
from seller_sandbox.faults.triage_rules import NO_FAULT, TriageDecision, TriageFacts, TriageStep, decide

# LOC code: a wayleave was refused
ACCESS_REFUSED = "WREF"
DECISIONS = {
    TriageStep.RESOLVE: "Closed remotely",
    TriageStep.ASK_BUYER: "Information needed from the buyer",
    TriageStep.CONTACT_END_USER: "The end user is contacted",
    TriageStep.NETWORK_REPAIR: "The network is repaired without a visit",
    TriageStep.VISIT: "A visit is needed",
}
AGREE_APPOINTMENT = "A visit is needed. We agree an appointment with the end user."


def on_fault_changed(*, report: FaultReport, event: FaultEvent, **_: object) -> None:
    """A ticket has changed: triage begins with the work on it, and again when the answer to a question has come.

    One that was re-opened while the visit before was being cancelled is triaged when that is out of the way.
    """
    is_start = event.kind == FaultEventKind.TRIAGE_STARTED
    if is_start and report.is_visit_needed:
        report.is_visit_needed = False
        report.save(update_fields=["is_visit_needed"])
    is_answer = event.kind == FaultEventKind.INFORMATION_RECEIVED
    is_visit_changed = event.kind in {FaultEventKind.APPOINTMENT_BOOKED, FaultEventKind.VISIT_CANCELLED}
    is_undecided = report.state == FaultState.IN_PROGRESS and not report.is_visit_needed
    is_free = is_visit_changed and is_undecided
    if settings.TRIAGE_BY_RULES and (is_start or is_answer or is_free):
        if not is_start:
            # one line test, whatever has come together
            due_actions.cancel(steps.TRIAGE, subject=report.maintainer_fault_reference)
        steps.schedule(steps.TRIAGE, report)


@due_action(steps.TRIAGE)
def triage_report(subject: str) -> None:
    """Test the line, decide, tell the buyer, act; a ticket whose visit is planned already goes on with that."""
    report = lifecycle.lock(subject)
    if report.state != FaultState.IN_PROGRESS or visits.planned(report):
        return
    test = report.line_test = run_line_test(report.service)
    facts = _facts(report, code=test.code, path=str(test.service_path_usage))
    decision = decide(facts)
    _record(report, decision, code=test.code)
    ACTIONS[decision.step](report, decision)


def _facts(report: FaultReport, *, code: str, path: str) -> TriageFacts:
    """Questions and findings count since the work on the ticket began, or began again; one query for all events."""
    events = lifecycle.list_events(report)
    starts = [number for number, event in enumerate(events) if event.kind == FaultEventKind.TRIAGE_STARTED]
    since = events[starts[-1] :]
    tested = [event.details["code"] for event in since if event.kind == FaultEventKind.TRIAGED]
    return TriageFacts(
        fault_type=report.fault_type,
        code=code,
        path=path,
        has_been_asked=any(event.kind == FaultEventKind.HELD for event in since),
        has_been_faulty=any(found != NO_FAULT for found in tested),
        is_access_refused=ACCESS_REFUSED in report.service.location.loc_codes,
        is_reopened=any(event.kind == FaultEventKind.RESOLUTION_REJECTED for event in events),
    )


def _record(report: FaultReport, decision: TriageDecision, *, code: str) -> None:
    report.triage = {
        "code": code,
        "findings": decision.finding,
        "decision": DECISIONS[decision.step],
        "at": clock.now().isoformat(),
    }
    if not _has_operator_decided_charge(report):
        # what was found last counts
        report.is_chargeable = decision.is_chargeable
    lifecycle.apply(
        report,
        FaultEventKind.TRIAGED,
        update_reason=f"Triage: {decision.finding}",
        details={
            "code": code,
            "rule": decision.rule,
            "step": decision.step.value,
            "finding": decision.finding,
        },
    )


def _has_operator_decided_charge(report: FaultReport) -> bool:
    return any("is_chargeable" in event.details for event in lifecycle.list_events(report))


def _resolve(report: FaultReport, decision: TriageDecision) -> None:
    resolutions.resolve(report, code=ClosureCode(decision.closure_code), text=decision.finding)


def _ask_buyer(report: FaultReport, decision: TriageDecision) -> None:
    holds.begin(report, reason=decision.finding, contacts_end_user=False)


def _contact_end_user(report: FaultReport, decision: TriageDecision) -> None:
    holds.begin(report, reason=decision.finding)


def _repair_network(report: FaultReport, _: TriageDecision) -> None:
    repairs.schedule_in_network(report)


def _visit(report: FaultReport, _: TriageDecision) -> None:
    """In the buyer's slot; in a new one when that has begun since; otherwise in one that is agreed (D7)."""
    report.is_visit_needed = True
    if report.appointment is None:
        holds.begin(report, reason=AGREE_APPOINTMENT)
    elif visits.has_slot_begun(report):
        follow_up_slots.replace_late(report)
    elif not visits.send_if_due(report):
        # no event has saved it
        report.save(update_fields=["is_visit_needed"])


ACTIONS: dict[TriageStep, Callable[[FaultReport, TriageDecision], None]] = {
    TriageStep.RESOLVE: _resolve,
    TriageStep.ASK_BUYER: _ask_buyer,
    TriageStep.CONTACT_END_USER: _contact_end_user,
    TriageStep.NETWORK_REPAIR: _repair_network,
    TriageStep.VISIT: _visit,
}
