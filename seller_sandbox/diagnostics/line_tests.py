"""A line test: what the network knows of a service now, how busy its path was, and what to do next.

Faults-and-diagnostics.md, Service diagnostics result; fault-decisions.md, D10 to D13.
"""

from dataclasses import dataclass

from seller_sandbox.diagnostics import line_states, next_best_actions, node_load, service_paths
from seller_sandbox.diagnostics.line_states import LineReport, ReportedStatus
from seller_sandbox.diagnostics.next_best_actions import NextBestAction
from seller_sandbox.diagnostics.node_load import Rag
from seller_sandbox.diagnostics.service_paths import ServicePath
from seller_sandbox.network.models import Service

NodeColour = tuple[str, Rag]
NOT_REPORTED = ReportedStatus(status="")


@dataclass(frozen=True)
class LineTest:
    """Result of a test; one that could not run has no statuses and no nodes, and the code STF001.

    `local_nodes` and `national_nodes` are (name, colour) in the document's order, `own_nodes` the one of the two that
    the service uses; `service_path_usage` is the worst colour of that.
    """

    code: str
    current_status: str
    result: str
    action: str
    ont: ReportedStatus = NOT_REPORTED
    cfm: ReportedStatus = NOT_REPORTED
    uni_port: ReportedStatus = NOT_REPORTED
    local_nodes: tuple[NodeColour, ...] = ()
    national_nodes: tuple[NodeColour, ...] = ()
    own_nodes: tuple[NodeColour, ...] = ()
    service_path_usage: Rag = Rag.UNKNOWN

    @property
    def could_run(self) -> bool:
        return self.ont is not NOT_REPORTED


def run_line_test(service: Service) -> LineTest:
    """Test a service of the network."""
    return run_test_of_path(service_paths.of_service(service))


def run_test_of_path(path: ServicePath) -> LineTest:
    """Test a service by its path: also one that is being provided."""
    report = line_states.read(path, live=path.live)
    if not report.can_be_tested:
        return LineTest(**_texts(next_best_actions.for_impossible_test()))
    return _result(path, report)


def _result(path: ServicePath, report: LineReport) -> LineTest:
    colours = node_load.colours(path.nodes)
    local, national = (
        tuple((name, colours[name]) for name in service_paths.configurations()[access])
        for access in ("Local", "National")
    )
    return LineTest(
        **_texts(next_best_actions.decide(report)),
        ont=report.ont,
        cfm=report.cfm,
        uni_port=report.uni_port,
        local_nodes=local,
        national_nodes=national,
        own_nodes=tuple((name, colours[name]) for name in path.own_nodes),
        service_path_usage=node_load.worst(colours[name] for name in path.own_nodes),
    )


def _texts(action: NextBestAction) -> dict[str, str]:
    return {
        "code": action.code,
        "current_status": action.current_status,
        "result": action.result,
        "action": action.action,
    }
