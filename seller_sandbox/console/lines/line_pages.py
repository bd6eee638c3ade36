"""What the pages of lines show: those with a simulated fault, and one line with its statuses, nodes and switches."""

from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal

from seller_sandbox.console import text_formats
from seller_sandbox.console.lines import line_reports
from seller_sandbox.console.network.network_pages import address_of
from seller_sandbox.diagnostics import line_states, line_tests, node_load, service_paths
from seller_sandbox.diagnostics.line_states import AtPremises, ReportedStatus
from seller_sandbox.diagnostics.line_tests import LineTest
from seller_sandbox.diagnostics.models import CfmStatus, DiagnosticsRun, LineState, UniPortStatus
from seller_sandbox.diagnostics.node_load import Rag
from seller_sandbox.diagnostics.service_paths import ServicePath
from seller_sandbox.network import locations

PORT_TEXTS = {UniPortStatus.UP: "Up", UniPortStatus.DOWN: "Down", UniPortStatus.BLANK: "blank"}
RAG_CLASSES = {Rag.RED: "refused", Rag.ORANGE: "provisioning_failed", Rag.GREEN: "provisioned"}


@dataclass(frozen=True)
class FaultyLine:
    uprn: str
    faults: str
    statuses: str


@dataclass(frozen=True)
class LineList:
    """`q` is what was searched in vain."""

    q: str
    rows: list[FaultyLine]


@dataclass(frozen=True)
class StatusRow:
    name: str
    status: str
    since: str
    changed_from: str


@dataclass(frozen=True)
class NodeRow:
    name: str
    node: str
    colour: str
    css: str
    peak: str
    is_used: bool


@dataclass(frozen=True)
class LinePage:
    uprn: str
    address: str
    service: str
    is_known: bool
    test: LineTest
    statuses: list[StatusRow]
    ont_fsan: str
    state: LineState
    faults: list[str]
    busy_period: str
    nodes: list[NodeRow]
    usage: str
    runs: list[str]
    node_names: tuple[str, ...]
    cfm_choices: list[str]
    port_choices: list[tuple[str, str]]


def make_line_list(q: str) -> LineList:
    return LineList(q=q, rows=[_faulty(line) for line in line_states.list_faulty()])


def _faulty(line: LineState) -> FaultyLine:
    port = PORT_TEXTS[UniPortStatus(line.uni_port_status)]
    return FaultyLine(
        uprn=line.uprn,
        faults=", ".join(_faults(line)),
        statuses=f"ONT {line.ont_status}, CFM {line.cfm_status}, port {port}",
    )


def _faults(line: LineState) -> list[str]:
    faults = [
        ("power cut", not line.has_power),
        ("fibre cut", not line.has_fibre),
        (f"CFM {line.cfm_status}", line.cfm_status != CfmStatus.UP and line.cfm_event_at is not None),
        (
            f"port {PORT_TEXTS[UniPortStatus(line.port_in_truth)]}",
            line.port_in_truth != UniPortStatus.UP,
        ),
        ("test cannot run", not line.can_be_tested),
    ]
    return [text for text, is_simulated in faults if is_simulated]


def make_line_page(premises: AtPremises) -> LinePage:
    path = service_paths.of_premises(premises.uprn)
    line = line_states.find_state(premises)
    report = line_states.report_of(line)
    location = locations.find(premises.uprn)
    period = node_load.last_busy_period()
    return LinePage(
        uprn=premises.uprn,
        address=address_of(location) if location else "Premises of a job pack, not in the network",
        service=path.service_identifier or "No live service",
        is_known=location is not None,
        test=line_tests.run_test_of_path(path),
        statuses=[_row("ONT", report.ont), _row("CFM", report.cfm), _row("UniPort", report.uni_port)],
        ont_fsan=report.ont_fsan,
        state=line,
        faults=_faults(line),
        busy_period=text_formats.full_window(period.starts_at, period.ends_at),
        nodes=_nodes(path),
        usage=node_load.worst(
            node_load.colours({name: path.nodes[name] for name in path.own_nodes}).values()
        ),
        runs=[_run(run) for run in line_reports.list_runs(path)],
        node_names=service_paths.NAMES,
        cfm_choices=list(CfmStatus.values),
        port_choices=list(PORT_TEXTS.items()),
    )


def _row(name: str, reported: ReportedStatus) -> StatusRow:
    before = reported.changed_from
    return StatusRow(
        name=name,
        status=reported.status or "blank",
        since=text_formats.full_time(reported.last_event_at) if reported.last_event_at else "never reported",
        changed_from="–" if before is None else before or "blank",
    )


def _nodes(path: ServicePath) -> list[NodeRow]:
    samples = node_load.list_samples(path.nodes.values())
    return [_node(path, name, samples[node]) for name, node in path.nodes.items()]


def _node(path: ServicePath, name: str, samples: list[node_load.Sample]) -> NodeRow:
    minutes = node_load.peak_minutes(name)
    peak = node_load.peak_percent(samples, minutes=minutes)
    colour = node_load.colour(samples, minutes=minutes)
    return NodeRow(
        name=name,
        node=path.nodes[name],
        colour=colour,
        css=RAG_CLASSES.get(colour, ""),
        peak="no samples" if peak is None else f"{percent_text(peak)} over {minutes} minutes",
        is_used=name in path.own_nodes,
    )


def _run(run: DiagnosticsRun) -> str:
    return f"{text_formats.full_time(run.run_at)}: {run.code}, asked by {run.caller}"


def percent_text(percent: Decimal) -> str:
    """Two decimals at most, never rounded up: 94.999 is below the 95 at which Red begins (D10)."""
    displayed = percent.quantize(Decimal("0.01"), rounding=ROUND_DOWN)
    return f"{displayed.normalize():f} %"
