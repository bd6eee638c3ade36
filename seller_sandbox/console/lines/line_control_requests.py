"""Reads what a control request asks for a line; every mistake is named at once."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from seller_sandbox.console.control_requests import (
    InvalidControlRequest,
    Reader,
    case_of,
    number,
    one_of,
    read_members,
    yes_or_no,
)
from seller_sandbox.diagnostics import line_states, path_load, service_paths
from seller_sandbox.diagnostics.line_states import AtPremises
from seller_sandbox.diagnostics.models import MINUTES_OF_DAY, PERCENT_DECIMALS, CfmStatus, UniPortStatus

SAMPLE_MINUTES = 5
_TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d)|24:00")


def percent(value: Any) -> Decimal:
    """As it was written: 79.999 is not the binary fraction next to it, and nothing is rounded (D10)."""
    found = Decimal(str(number(0, 100)(value)))
    if found != round(found, PERCENT_DECIMALS):
        raise ValueError(f"must have {PERCENT_DECIMALS} decimals at most")
    return found


def minute_of_day(value: Any) -> int:
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        raise ValueError("must be a local time like 20:05, at most 24:00")
    hour, minute = (int(figures) for figures in value.split(":"))
    if minute % SAMPLE_MINUTES:
        raise ValueError("must lie on the five minutes, as samples do")
    return hour * 60 + minute


NODE = case_of(dict.fromkeys(sorted(service_paths.NAMES)))
MINUTES = {"starts": minute_of_day, "ends": minute_of_day}


@dataclass(frozen=True)
class LineAction:
    """A request about one line: the function that does it, and its members by name; `done` is the console's report."""

    act: Callable[..., object]
    done: str
    required: tuple[str, ...] = ()
    readers: dict[str, Reader] = field(default_factory=dict)

    def run(self, premises: AtPremises, members: dict[str, Any]) -> object:
        """Raises InvalidControlRequest."""
        found = read_members(members, required=self.required, **self.readers)
        arguments = {ARGUMENTS.get(name, name): value for name, value in found.items()}
        if arguments.get("first_minute", 0) >= arguments.get("end_minute", MINUTES_OF_DAY):
            raise InvalidControlRequest(["starts: must lie before ends"])
        return self.act(premises, **arguments)


# members whose argument has another name
ARGUMENTS = {"starts": "first_minute", "ends": "end_minute"}
# by the last part of the path /api/lines/<line>/<action>
LINE_ACTIONS: dict[str, LineAction] = {
    "cut-power": LineAction(line_states.cut_power, "The power is cut."),
    "restore-power": LineAction(line_states.restore_power, "The power is back."),
    "cut-fibre": LineAction(line_states.cut_fibre, "The fibre is cut."),
    "repair-fibre": LineAction(line_states.repair_fibre, "The fibre is repaired."),
    "cfm": LineAction(
        line_states.set_cfm, "The connection has changed.", ("status",), {"status": one_of(CfmStatus)}
    ),
    "uni-port": LineAction(
        line_states.set_uni_port,
        "The port has changed; the ONT reports it while it is up.",
        ("status",),
        {"status": one_of(UniPortStatus)},
    ),
    "testing": LineAction(
        line_states.set_testable,
        "Whether the line can be tested has changed.",
        ("can_be_tested",),
        {"can_be_tested": yes_or_no},
    ),
    "congestion": LineAction(
        path_load.congest,
        "The node is busy at this time of every day, the last one included.",
        ("node", "percent"),
        {"node": NODE, "percent": percent, **MINUTES},
    ),
    "no-samples": LineAction(
        path_load.stop_measuring, "The node has no samples.", ("node",), {"node": NODE, **MINUTES}
    ),
    "end-congestion": LineAction(path_load.clear, "The line's nodes have their usual load."),
    "repair": LineAction(line_states.repair, "Every simulated fault of this line is ended."),
}
