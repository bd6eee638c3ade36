"""One thing found about a message: a breach of the contract, or a remark."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """`field` is a JSON pointer into the message; the text names no person."""

    code: str
    field: str
    message: str
    is_remark: bool = False


def remark(code: str, field: str, message: str) -> Finding:
    return Finding(code, field, message, is_remark=True)
