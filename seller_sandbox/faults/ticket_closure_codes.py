"""What each of a ticket's eleven closure codes means for it, from a data file (fault-decisions.md, D14 and D15)."""

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data" / "ticket_closure_codes.json"


class ReachedBy(StrEnum):
    """What sets a closure code (fault-decisions.md, D14 and D15)."""

    TRIAGE = "triage"
    VISIT = "visit"
    NETWORK_REPAIR = "network_repair"
    MISSED_VISIT = "missed_visit"
    CONSOLE = "console"


@dataclass(frozen=True)
class TicketClosureCode:
    """`state` is that of the ticket once the code is set, `messages` what tells the buyer.

    A missed visit ends no ticket: `next_job` is the type of the job that follows it.
    """

    code: str
    state: str
    messages: tuple[str, ...]
    reached_by: frozenset[ReachedBy]
    next_job: str = ""
    # compensation for a visit that nobody made
    is_late_repair_payable: bool = False
    is_missed_appointment_payable: bool = False

    @property
    def ends_ticket(self) -> bool:
        return not self.next_job


@cache
def closure_codes() -> dict[str, TicketClosureCode]:
    """Every code, in the document's order."""
    return {code: _row(code, **row) for code, row in json.loads(DATA.read_text()).items()}


def codes_reached_by(way: ReachedBy) -> list[str]:
    """In the document's order."""
    return [code for code, row in closure_codes().items() if way in row.reached_by]


def _row(code: str, *, messages: list[str], reached_by: list[str], **members: Any) -> TicketClosureCode:
    found = frozenset(ReachedBy(each) for each in reached_by)
    return TicketClosureCode(code=code, messages=tuple(messages), reached_by=found, **members)
