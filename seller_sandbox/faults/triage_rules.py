"""What triage decides about a ticket: the first matching row of data/triage_rules.json.

Rules look at the fault type, at the result of a line test and at earlier questions; a test covers every combination.
"""

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data" / "triage_rules.json"
# next best action of a line on which the network sees no fault
NO_FAULT = "AOK001"


class TriageStep(StrEnum):
    RESOLVE = "resolve"
    # On Hold until the buyer answers
    ASK_BUYER = "ask_buyer"
    # On Hold with a message and two calls to the end user
    CONTACT_END_USER = "contact_end_user"
    NETWORK_REPAIR = "network_repair"
    VISIT = "visit"


@dataclass(frozen=True)
class TriageFacts:
    """`code` is the next best action of the line test, `path` the worst node's colour; `has_been_faulty`: an earlier
    test of this ticket found a fault; `has_been_asked`: buyer or end user had a question before; `is_access_refused`:
    no engineer can attend; `is_reopened`: the buyer has rejected a resolution."""

    fault_type: str
    code: str
    path: str
    has_been_asked: bool = False
    has_been_faulty: bool = False
    is_access_refused: bool = False
    is_reopened: bool = False


@dataclass(frozen=True)
class TriageDecision:
    """`rule` is the row's name, `finding` the text for the buyer; a fault on the buyer's side is chargeable."""

    rule: str
    step: TriageStep
    finding: str
    closure_code: str = ""
    is_chargeable: bool = False


@dataclass(frozen=True)
class _Rule:
    conditions: dict[str, Any]
    decision: TriageDecision

    def matches(self, facts: TriageFacts) -> bool:
        return all(_matches(getattr(facts, name), expected) for name, expected in self.conditions.items())


class NoRule(LookupError):
    """No row of the table matches: the table lacks a code."""


def decide(facts: TriageFacts) -> TriageDecision:
    """Raises NoRule for a code that the document does not have."""
    rules, no_access = _tables()
    rule = next((rule for rule in rules if rule.matches(facts)), None)
    if rule is None:
        raise NoRule(f"triage_rules.json has no row for {facts}. Add one.")
    needs_visit = rule.decision.step == TriageStep.VISIT
    return no_access if needs_visit and facts.is_access_refused else rule.decision


def rule_names() -> list[str]:
    rules, no_access = _tables()
    return [*(rule.decision.rule for rule in rules), no_access.rule]


@cache
def _tables() -> tuple[list[_Rule], TriageDecision]:
    table = json.loads(DATA.read_text())
    rules = [_Rule(row["when"], _decision(row)) for row in table["rules"]]
    return rules, _decision(table["no_access"])


def _decision(row: dict[str, Any]) -> TriageDecision:
    members = row["then"]
    return TriageDecision(rule=row["name"], **{**members, "step": TriageStep(members["step"])})


def _matches(value: object, expected: object) -> bool:
    return value in expected if isinstance(expected, list) else value == expected
