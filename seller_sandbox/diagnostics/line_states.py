"""The one writer of line states: what happens at premises, and what the network reports of it.

A switch changes what it names and nothing else, so that every combination of ONT, CFM and UniPort can be reached. What
follows by itself (faults-and-diagnostics.md, Rules for reading the result 1; fault-decisions.md, D12):

- without power a running ONT sends a Dying Gasp, which stays its last event until it is up again;
- without fibre a running ONT is Service Down; one that has lost its power before reports nothing more;
- an ONT that is not up reports no port: UniPort stays as it was, with its old time, until the ONT is up again.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from django.db import transaction
from django.db.models import Q, QuerySet

from seller_sandbox import clock
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.diagnostics import node_load, service_paths
from seller_sandbox.diagnostics.models import CfmStatus, LineState, OntStatus, UniPortStatus
from seller_sandbox.diagnostics.signals import line_changed
from seller_sandbox.network.models import Service


class AtPremises(Protocol):
    """A location of the network, or a job pack's premises."""

    uprn: str


@dataclass(frozen=True)
class ReportedStatus:
    """`last_event_at` and `changed_from` are None where nothing was ever reported."""

    status: str
    last_event_at: datetime | None = None
    changed_from: str | None = None


_FOUND = CompiledQuery(lambda: LineState.objects.filter(uprn=Parameter("uprn")))
_LOCKED = CompiledQuery(lambda: LineState.objects.select_for_update().filter(uprn=Parameter("uprn")))
_LIVE = CompiledQuery(
    lambda: Service.objects.select_related("ont").filter(location__uprn=Parameter("uprn"), ended_at=None)
)


@dataclass(frozen=True)
class LineReport:
    """What the network knows of a line; `ont_fsan` is the device that reports, empty before the first one."""

    ont: ReportedStatus
    cfm: ReportedStatus
    uni_port: ReportedStatus
    ont_fsan: str
    can_be_tested: bool

    @property
    def is_up(self) -> bool:
        """Whether traffic passes; what is plugged into the port is the end user's business."""
        return self.ont.status == OntStatus.UP and self.cfm.status == CfmStatus.UP


def read(premises: AtPremises, *, live: Service | None = None) -> LineReport:
    """What the network has reported of the line at these premises; `live` is their service for one who has it."""
    return report_of(find_state(premises, live=live))


def is_up(service: Service) -> bool:
    """Whether the ONT of a service is up and connected."""
    return read(service.location, live=service).is_up


def find_state(premises: AtPremises, *, live: Service | None = None) -> LineState:
    """The state of the line; of one to which nothing has happened yet a new row, not saved."""
    found = _FOUND.first(uprn=premises.uprn)
    return found or _initial(premises.uprn, live or _live_at(premises))


def list_faulty() -> QuerySet[LineState]:
    """The lines on which a fault is simulated, the load of nodes left out."""
    is_cut = Q(has_power=False) | Q(has_fibre=False) | Q(can_be_tested=False)
    is_down = ~Q(cfm_status=CfmStatus.UP) & Q(cfm_event_at__isnull=False)
    return LineState.objects.filter(is_cut | is_down | ~Q(port_in_truth=UniPortStatus.UP)).order_by("uprn")


def report_of(line: LineState) -> LineReport:
    return LineReport(
        ont=_status_of(line, "ont"),
        cfm=_status_of(line, "cfm"),
        uni_port=_status_of(line, "uni_port"),
        ont_fsan=line.ont_fsan,
        can_be_tested=line.can_be_tested,
    )


def _status_of(line: LineState, kind: str) -> ReportedStatus:
    names = (f"{kind}_status", f"{kind}_event_at", f"{kind}_changed_from")
    return ReportedStatus(*(getattr(line, name) for name in names))


def _live_at(premises: AtPremises) -> Service | None:
    return _LIVE.first(uprn=premises.uprn)


def _initial(uprn: str, live: Service | None) -> LineState:
    """A live service has been up since its start; elsewhere nothing was ever reported."""
    if live is None:
        return LineState(uprn=uprn, ont_status=OntStatus.DOWN, cfm_status=CfmStatus.DOWN_CF)
    return LineState(
        uprn=uprn,
        ont_fsan=live.ont.fsan,
        ont_status=OntStatus.UP,
        ont_event_at=live.started_at,
        cfm_status=CfmStatus.UP,
        cfm_event_at=live.started_at,
        uni_port_status=UniPortStatus.UP,
        uni_port_event_at=live.started_at,
    )


# --- what happens in the network --------------------------------------------------------------------------
@transaction.atomic(savepoint=False)
def record_provisioned(premises: AtPremises, *, fsan: str, live: Service | None = None) -> LineReport:
    """The configuration is on this ONT, the first one here, another one or the same: it comes up where it can.

    It stays down where power or fibre is still cut: provisioning ends no simulated fault (D16). `live` as for read.
    """
    line = _lock(premises, live=live)
    if line.ont_fsan == fsan and line.ont_status == OntStatus.UP:
        return report_of(line)
    line.ont_fsan = fsan
    if line.is_connected and line.ont_status == OntStatus.UP:
        # the device before it was unplugged
        _report(line, "ont", OntStatus.DOWN)
    _report_contact(line)
    return _save(line)


@transaction.atomic(savepoint=False)
def cut_power(premises: AtPremises) -> LineReport:
    """The ONT has no power: its last event is a Dying Gasp, if it was up to send one."""
    line = _lock(premises)
    line.has_power = False
    if line.ont_status == OntStatus.UP:
        _report(line, "ont", OntStatus.DYING_GASP)
    return _save(line)


@transaction.atomic(savepoint=False)
def restore_power(premises: AtPremises) -> LineReport:
    line = _lock(premises)
    line.has_power = True
    _report_contact(line)
    return _save(line)


@transaction.atomic(savepoint=False)
def cut_fibre(premises: AtPremises) -> LineReport:
    """The ONT cannot be reached: Service Down, unless it had lost its power before."""
    line = _lock(premises)
    line.has_fibre = False
    if line.ont_status == OntStatus.UP:
        _report(line, "ont", OntStatus.DOWN)
    return _save(line)


@transaction.atomic(savepoint=False)
def repair_fibre(premises: AtPremises) -> LineReport:
    line = _lock(premises)
    line.has_fibre = True
    _report_contact(line)
    return _save(line)


@transaction.atomic(savepoint=False)
def set_cfm(premises: AtPremises, status: CfmStatus) -> LineReport:
    """The network's own check of the connection: it needs no report of the ONT."""
    line = _lock(premises)
    _report(line, "cfm", status)
    return _save(line)


@transaction.atomic(savepoint=False)
def set_uni_port(premises: AtPremises, status: UniPortStatus) -> LineReport:
    """What the ONT reports of its port from now on, or when it is up again."""
    line = _lock(premises)
    line.port_in_truth = status
    _report_port(line)
    return _save(line)


@transaction.atomic(savepoint=False)
def set_testable(premises: AtPremises, *, can_be_tested: bool) -> LineReport:
    """Whether a line test can run here; without it every test says STF001."""
    line = _lock(premises)
    line.can_be_tested = can_be_tested
    return _save(line)


@transaction.atomic(savepoint=False)
def repair(premises: AtPremises) -> LineReport:
    """End every simulated fault: power, fibre, CFM, port, a test that cannot run, and load on the line's nodes.

    Others use the same nodes and see the usual load again, too.
    """
    node_load.clear(service_paths.of_premises(premises.uprn).nodes.values())
    line = _lock(premises)
    line.has_power, line.has_fibre, line.can_be_tested = True, True, True
    line.port_in_truth = UniPortStatus.UP
    _report_contact(line)
    if line.ont_status == OntStatus.UP:
        _report(line, "cfm", CfmStatus.UP)
    return _save(line)


def _lock(premises: AtPremises, *, live: Service | None = None) -> LineState:
    """The row of the premises, locked until the transaction ends."""
    if line := _LOCKED.first(uprn=premises.uprn):
        return line
    # another process may be faster: its row counts then
    LineState.objects.bulk_create(
        [_initial(premises.uprn, live or _live_at(premises))], ignore_conflicts=True
    )
    return _LOCKED.get(uprn=premises.uprn)


def _report_contact(line: LineState) -> None:
    """A provisioned ONT with power and fibre is up, its port is reported, and its first contact connects the line."""
    if not (line.is_connected and line.ont_fsan):
        return
    _report(line, "ont", OntStatus.UP)
    _report_port(line)
    if line.cfm_event_at is None:
        _report(line, "cfm", CfmStatus.UP)


def _report_port(line: LineState) -> None:
    if line.ont_status == OntStatus.UP:
        _report(line, "uni_port", line.port_in_truth)


def _report(line: LineState, kind: str, status: str) -> None:
    """An event of the network: when it came, and what it changed. The same status again is no event."""
    before = getattr(line, f"{kind}_status")
    if status == before:
        return
    changes: dict[str, Any] = {"status": status, "event_at": clock.now(), "changed_from": before}
    for name, value in changes.items():
        setattr(line, f"{kind}_{name}", value)


def _save(line: LineState) -> LineReport:
    line.save()
    report = report_of(line)
    line_changed.send(sender=LineState, uprn=line.uprn, report=report)
    return report
