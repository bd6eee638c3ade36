"""Does a message of ours keep the contract? Asked before a corrected one is sent: the seller counts what breaks it."""

from typing import Any

from closures import codes
from seller_link.wire.v1 import contract, limits
from seller_link.wire.v1.faults import Detail
from seller_link.wire.v1.incoming import without_nulls
from seller_link.wire.v1.outgoing import CLOSE, NOTIFY

SCHEMAS = {NOTIFY: "notifyJob.partner", CLOSE: "closeJob"}


def problems(operation: str, body: dict[str, Any]) -> list[Detail]:
    """Every place that breaks it: the schema's rules, and those that a schema cannot say."""
    plain = without_nulls(body)
    found = [
        *contract.problems(SCHEMAS[operation], plain),
        *limits.instant_problems(SCHEMAS[operation], plain),
    ]
    return [*found, *_closure_problems(plain)] if operation == CLOSE else found


def _closure_problems(body: dict[str, Any]) -> list[Detail]:
    code = body.get("closureCode")
    if not isinstance(code, str):
        return []
    if codes.find(code).code != code:
        return [Detail("/closureCode", "invalidValue", "This is no closure code of the tables.")]
    if code == codes.OTHER.code and not str(body.get("remarks", "")).strip():
        return [Detail("/remarks", "missingProperty", "Other reason needs remarks.")]
    secondary = body.get("secondaryClosureCode")
    if isinstance(secondary, str) and codes.find(code).secondary(secondary) is None:
        return [Detail("/secondaryClosureCode", "invalidValue", f"This does not belong to {code}.")]
    return []
