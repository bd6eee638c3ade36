"""One thing found about a message: a breach of the contract, or a remark."""

from dataclasses import dataclass

MISSING, INVALID, FORMAT = "missingProperty", "invalidValue", "invalidFormat"


@dataclass(frozen=True)
class Finding:
    """`field` is a JSON pointer into the message; the text names no person.

    `detail` is the code of a refusal's detail (job-messages.md, Refusals); `code` is the sandbox's own.
    """

    code: str
    field: str
    message: str
    is_remark: bool = False
    detail: str = INVALID


def remark(code: str, field: str, message: str) -> Finding:
    return Finding(code, field, message, is_remark=True)


def missing(code: str, field: str, message: str) -> Finding:
    return Finding(code, field, message, detail=MISSING)


def as_row(finding: Finding) -> dict[str, str]:
    """A finding as the message log stores it."""
    return {"code": finding.code, "field": finding.field, "message": finding.message}
