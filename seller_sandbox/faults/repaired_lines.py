"""A line that works again moves the tickets that wait for it (What the service does 5; D7, D16).

A ticket whose fault another team repairs is resolved. One that is On Hold is tested again: what we waited for is known.
"""

from collections.abc import Iterable

from django.db.models import QuerySet

from seller_sandbox import due_actions
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.diagnostics.line_states import LineReport
from seller_sandbox.diagnostics.line_tests import run_line_test
from seller_sandbox.due_actions import due_action
from seller_sandbox.faults import holds, lifecycle, repairs, steps
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.faults.states import FaultEventKind, FaultState
from seller_sandbox.faults.triage_rules import NO_FAULT
from seller_sandbox.models import DueAction

WORKS_AGAIN = "The line test shows no fault any more."
_WAITING_AT = CompiledQuery(lambda: _waiting(service__location__uprn=Parameter("uprn")))


def on_line_changed(*, uprn: str, report: LineReport, **_: object) -> None:
    """Something has changed on the line at these premises."""
    if report.is_up:
        _schedule(_WAITING_AT.all(uprn=uprn))


def on_load_changed(**_: object) -> None:
    """The load of a node has changed, for every line on it."""
    repaired_in_network = DueAction.objects.open().filter(name=repairs.IN_NETWORK)
    _schedule(_waiting(maintainer_fault_reference__in=repaired_in_network.values("subject")))


def _waiting(**which: object) -> QuerySet[FaultReport]:
    states = (FaultState.IN_PROGRESS, FaultState.ON_HOLD)
    return FaultReport.objects.filter(state__in=states, **which).select_related("service__location")


def _schedule(waiting: Iterable[FaultReport]) -> None:
    for report in waiting:
        is_due = due_actions.is_scheduled(steps.LINE_WORKS, subject=report.maintainer_fault_reference)
        if not is_due and (_ends_hold(report) or repairs.is_done(report)):
            steps.schedule(steps.LINE_WORKS, report)


@due_action(steps.LINE_WORKS)
def continue_ticket(subject: str) -> None:
    """The line may have failed again since, or the ticket have gone on."""
    report = lifecycle.lock(subject)
    if _ends_hold(report):
        holds.end(report, FaultEventKind.INFORMATION_RECEIVED, text=WORKS_AGAIN)
    elif repairs.is_done(report):
        repairs.resolve(report)


def _ends_hold(report: FaultReport) -> bool:
    """Whether the fault that triage saw has gone; where it saw none, the network cannot answer the question."""
    is_fault_known = report.triage.get("code", NO_FAULT) != NO_FAULT
    is_held = report.state == FaultState.ON_HOLD and report.service is not None
    return is_held and is_fault_known and run_line_test(report.service).code == NO_FAULT
