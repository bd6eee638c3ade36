"""Who repairs a simulated fault: the console, or the clock after the engineer's arrival, never a closure (D16)."""

from datetime import datetime, timedelta

from django.conf import settings

from seller_sandbox import clock, due_actions
from seller_sandbox.diagnostics import line_states
from seller_sandbox.diagnostics.line_tests import run_line_test
from seller_sandbox.diagnostics.node_load import Rag
from seller_sandbox.due_actions import due_action
from seller_sandbox.faults import lifecycle, resolutions
from seller_sandbox.faults.models import ClosureCode, FaultReport
from seller_sandbox.faults.revisits import visits
from seller_sandbox.faults.revisits.revisit_outcomes import RevisitOutcome, outcome_of
from seller_sandbox.faults.states import FaultEventKind, FaultState
from seller_sandbox.faults.triage_rules import NO_FAULT, TriageStep
from seller_sandbox.network import business_days

AFTER_ARRIVAL, IN_NETWORK = "faults.repair_after_arrival", "faults.repair_in_network"
REPAIRED_CODE = ClosureCode.FR
REPAIRED = "The fault has been repaired and the line works."


def schedule(report: FaultReport, *, arrived_at: datetime) -> None:
    """The engineer is there and needs so long (SANDBOX_REPAIR_MINUTES)."""
    reference = report.maintainer_fault_reference
    due_actions.cancel(AFTER_ARRIVAL, subject=reference)
    due_actions.schedule(
        AFTER_ARRIVAL, at=arrived_at + timedelta(minutes=settings.REPAIR_MINUTES), subject=reference
    )


def stop_unless_done(report: FaultReport, outcome: RevisitOutcome) -> None:
    """An engineer who left without having repaired it does not repair it later."""
    if outcome != outcome_of("REVCOMP"):
        due_actions.cancel(AFTER_ARRIVAL, subject=report.maintainer_fault_reference)


def schedule_in_network(report: FaultReport) -> None:
    """No visit is needed: another team repairs the network within SANDBOX_NETWORK_REPAIR_DAYS working days."""
    reference = report.maintainer_fault_reference
    due_actions.cancel(IN_NETWORK, subject=reference)
    if settings.NETWORK_REPAIR_DAYS == 0:
        at = clock.now()
    else:
        day = business_days.add_business_days(clock.today(), settings.NETWORK_REPAIR_DAYS)
        at = clock.now().astimezone(settings.LOCAL_ZONE)
        at = at.replace(year=day.year, month=day.month, day=day.day)
    due_actions.schedule(IN_NETWORK, at=at, subject=reference)


@due_action(AFTER_ARRIVAL)
def repair_after_arrival(subject: str) -> None:
    repair(lifecycle.lock(subject))


@due_action(IN_NETWORK)
def repair_in_network(subject: str) -> None:
    repair(lifecycle.lock(subject))


def repair(report: FaultReport) -> None:
    """End every simulated fault of the line of a locked ticket; a ticket that waited for that is resolved."""
    if report.service is None:
        return
    line_states.repair(report.service.location)
    for name in (AFTER_ARRIVAL, IN_NETWORK):
        due_actions.cancel(name, subject=report.maintainer_fault_reference)
    if is_done(report):
        resolve(report)


def resolve(report: FaultReport) -> None:
    resolutions.resolve(report, code=REPAIRED_CODE, text=REPAIRED)


def is_done(report: FaultReport) -> bool:
    """Whether a ticket waited for a repair of the network or the line, and the line works."""
    return _waits_for_repair(report) and line_states.is_up(report.service) and not _waits_for_capacity(report)


def _waits_for_repair(report: FaultReport) -> bool:
    """Nobody is to come, and the last thing found was a fault that is repaired without another visit."""
    if report.state != FaultState.IN_PROGRESS or visits.planned(report) or report.appointment:
        return False
    last = report.visits.exclude(outcome=visits.CANCELLED).last()
    triaged = report.events.filter(kind=FaultEventKind.TRIAGED).last()
    if last is None or (triaged and last.ended_at < triaged.at):
        return triaged is not None and triaged.details["step"] == TriageStep.NETWORK_REPAIR
    return outcome_of(last.outcome).closure_code == REPAIRED_CODE


def _waits_for_capacity(report: FaultReport) -> bool:
    """Triage saw nothing but congestion, and it has not ended."""
    is_congestion = report.triage.get("code") == NO_FAULT
    return is_congestion and run_line_test(report.service).service_path_usage == Rag.RED
