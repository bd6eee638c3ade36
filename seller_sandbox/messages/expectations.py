"""What the recipient should answer to a message of ours; another answer is a finding of the seller's."""

from dataclasses import dataclass

from seller_sandbox.messages.findings import Finding
from seller_sandbox.messages.verdicts import DeliveryOutcome, Verdict


@dataclass(frozen=True)
class Expected:
    """A status, and for a refusal the fault and a member that its detail must name."""

    status: int
    fault: str = ""
    field: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, [str(self.status), self.fault, self.field]))


ACCEPTED = Expected(200)


def difference(expected: Expected | None, verdict: Verdict) -> Finding | None:
    """What is not as expected in a final answer; None as long as the message is tried again."""
    if expected is None or verdict.outcome == DeliveryOutcome.TRY_AGAIN:
        return None
    is_as_expected = (
        verdict.status == expected.status
        and (not expected.fault or verdict.fault == expected.fault)
        and (not expected.field or expected.field in verdict.fault_fields)
    )
    if is_as_expected:
        return None
    actual = " ".join(filter(None, [str(verdict.status), verdict.fault, *verdict.fault_fields]))
    return Finding("unexpectedAnswer", "/", f"Expected {expected}, the recipient answered {actual}"[:300])
