"""What an answer to a message of ours means: delivered, try again, or refused (job-messages.md, last paragraph)."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from seller_sandbox.messages.findings import Finding

RETRIED = {408, 425, 429}


class DeliveryOutcome(StrEnum):
    DELIVERED = "delivered"
    TRY_AGAIN = "try again"
    REFUSED = "refused"


@dataclass(frozen=True)
class Verdict:
    """`answer` is what came back, an object or a text; `fault` and `fault_fields` what a refusal names.

    `findings` are what the answer itself did against the contract; `retry_after` is in seconds.
    """

    outcome: DeliveryOutcome
    status: int | None = None
    answer: Any = None
    error: str = ""
    retry_after: float | None = None
    fault: str = ""
    fault_fields: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = field(default_factory=tuple)


def outcome_of(status: int | None, *, is_usable: bool) -> DeliveryOutcome:
    """By the answer's status; a success that cannot be used is as good as no answer, and so is no status."""
    if status is None:
        return DeliveryOutcome.TRY_AGAIN
    if 200 <= status < 300:
        return DeliveryOutcome.DELIVERED if is_usable else DeliveryOutcome.TRY_AGAIN
    is_final = 400 <= status < 500 and status not in RETRIED
    return DeliveryOutcome.REFUSED if is_final else DeliveryOutcome.TRY_AGAIN
