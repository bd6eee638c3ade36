"""What the partner should answer to a message of ours; another answer is a finding of the seller's."""

from dataclasses import dataclass

from seller_sandbox.jobs.findings import Finding
from seller_sandbox.jobs.partner_answers import DeliveryOutcome, Verdict


@dataclass(frozen=True)
class Expected:
    """A status, and for a refusal the fault and a member that its detail must name."""

    status: int
    fault: str = ""
    field: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, [str(self.status), self.fault, self.field]))


ACCEPTED = Expected(200)


def invalid(field: str) -> Expected:
    return Expected(422, "invalidMessage", field)


def difference(expected: Expected | None, verdict: Verdict) -> Finding | None:
    """What is not as expected in a final answer; None as long as the message is tried again."""
    if expected is None or verdict.outcome == DeliveryOutcome.TRY_AGAIN:
        return None
    fault = verdict.body.get("fault") if isinstance(verdict.body, dict) else None
    fault = fault if isinstance(fault, dict) else {}
    named = str(fault.get("faultcode", ""))
    fields = _fields(fault)
    is_as_expected = (
        verdict.status == expected.status
        and (not expected.fault or named == expected.fault)
        and (not expected.field or expected.field in fields)
    )
    if is_as_expected:
        return None
    actual = " ".join(filter(None, [str(verdict.status), named, *fields]))
    return Finding("unexpectedAnswer", "/", f"Expected {expected}, the partner answered {actual}"[:300])


def _fields(fault: dict[str, object]) -> list[str]:
    detail = fault.get("detail")
    rows = detail if isinstance(detail, list) else []
    return sorted({str(row.get("field")) for row in rows if isinstance(row, dict)})
