"""What a closure code of the partner means for an order: one row per code in data/closure_outcomes.json.

A code that is not in the table is "Other reason" (installation-jobs.md, Closure codes).
"""

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from seller_sandbox.orders import reasons
from seller_sandbox.orders.reasons import Reason

DATA = Path(__file__).parent / "data" / "closure_outcomes.json"
OTHER = "OTHER"
# the end customer's animals: 220 instead of the row's own delay (Other codes)
PET_SECONDARIES = {"REVHAZ02", "EXTHAZ02"}


class OutcomeKind(StrEnum):
    COMPLETE = "complete"
    COMPLETE_WITH_WARNING = "complete_with_warning"
    DELAY_FOR_APPOINTMENT = "delay_for_appointment"
    MISSED_BY_END_USER = "missed_by_end_user"
    MISSED_BY_SELLER = "missed_by_seller"
    MISSED_BEYOND_CONTROL = "missed_beyond_control"
    CANCEL = "cancel"
    REPAIR = "repair"
    CHERRY_PICKER = "cherry_picker"
    MILESTONE = "milestone"
    REVIEW = "review"
    REFUSE = "refuse"


@dataclass(frozen=True)
class ClosureOutcome:
    """`reason` is that of a delay or a cancellation."""

    kind: OutcomeKind
    reason: Reason | None = None


@cache
def outcomes() -> dict[str, ClosureOutcome]:
    by_code = reasons.by_code()
    rows = json.loads(DATA.read_text())
    return {
        code: ClosureOutcome(OutcomeKind(row["outcome"]), by_code[row["reason"]] if "reason" in row else None)
        for code, row in rows.items()
    }


def outcome_of(code: str, *, secondary: str = "") -> ClosureOutcome:
    """The row of a closure code; pets are a delay of their own."""
    found = outcomes().get(code) or outcomes()[OTHER]
    if secondary in PET_SECONDARIES:
        return ClosureOutcome(OutcomeKind.DELAY_FOR_APPOINTMENT, reasons.DELAY_PET)
    return found
