"""Load switched on the nodes that a line uses, each named as in a result: ENNI, Interconnect, Handoff, PON."""

from decimal import Decimal

from seller_sandbox.diagnostics import node_load, service_paths
from seller_sandbox.diagnostics.line_states import AtPremises
from seller_sandbox.diagnostics.models import MINUTES_OF_DAY


def congest(
    premises: AtPremises,
    *,
    node: str,
    percent: Decimal,
    first_minute: int = 0,
    end_minute: int = MINUTES_OF_DAY,
) -> None:
    """Give a node this load each day between two minutes; everybody whose traffic passes it sees the same."""
    node_load.congest(
        _node(premises, node), percent=percent, first_minute=first_minute, end_minute=end_minute
    )


def stop_measuring(
    premises: AtPremises, *, node: str, first_minute: int = 0, end_minute: int = MINUTES_OF_DAY
) -> None:
    """Take away a node's samples: Unk where none are left."""
    node_load.stop_measuring(_node(premises, node), first_minute=first_minute, end_minute=end_minute)


def clear(premises: AtPremises) -> int:
    """Give all nodes of the line their usual load back; says how many switches were ended."""
    return node_load.clear(service_paths.of_premises(premises.uprn).nodes.values())


def _node(premises: AtPremises, name: str) -> str:
    return service_paths.of_premises(premises.uprn).nodes[name]
