"""What the closure of a revisit means for its ticket: one row per code in data/revisit_outcomes.json (D15).

A code that is not in the table is "Other reason" (installation-jobs.md, Closure codes).
"""

import json
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data" / "revisit_outcomes.json"
OTHER = "OTHER"


class RevisitStep(StrEnum):
    """How the ticket goes on."""

    RESOLVE = "resolve"
    CONTACT_END_USER = "contact_end_user"
    REVISIT = "revisit"
    NETWORK_REPAIR = "network_repair"
    # a person at the console decides
    REVIEW = "review"


class AppointmentEnd(StrEnum):
    COMPLETED = "completed"
    MISSED_BY_END_USER = "missed_by_end_user"


@dataclass(frozen=True)
class NextJob:
    """What the next revisit needs that this one lacked."""

    flags: tuple[str, ...] = ()
    brings_ont: bool = False
    engineers: int = 1


@dataclass(frozen=True)
class RevisitOutcome:
    """`state` is the ticket's afterwards. `closure_code` is set at once where the step resolves, otherwise when the
    ticket is ended; empty where a person chooses it. `messages` go to the buyer in this order."""

    step: RevisitStep
    state: str
    appointment: AppointmentEnd
    messages: tuple[str, ...]
    text: str
    closure_code: str = ""
    next_job: NextJob = NextJob()
    secondaries: dict[str, str] = field(default_factory=dict)

    def text_for(self, secondary: str) -> str:
        """What the buyer is told; the secondary code says more than the code."""
        return self.secondaries.get(secondary, self.text)


@cache
def outcomes() -> dict[str, RevisitOutcome]:
    return {code: _row(**row) for code, row in json.loads(DATA.read_text()).items()}


def outcome_of(code: str) -> RevisitOutcome:
    """The row of a closure code."""
    return outcomes().get(code) or outcomes()[OTHER]


def _row(
    *,
    step: str,
    appointment: str,
    messages: list[str],
    flags: tuple[str, ...] = (),
    brings_ont: bool = False,
    engineers: int = 1,
    **members: Any,
) -> RevisitOutcome:
    return RevisitOutcome(
        step=RevisitStep(step),
        appointment=AppointmentEnd(appointment),
        messages=tuple(messages),
        next_job=NextJob(tuple(flags), brings_ont, engineers),
        **members,
    )
