"""Which next best action a line needs: the decision table over ONT, CFM and UniPort (fault-decisions.md, D12).

The nine rows' texts are those of faults-and-diagnostics.md (Next Best Action codes), word for word, in
data/next_best_actions.json.
"""

from dataclasses import dataclass
from functools import cache
from itertools import product

from seller_sandbox.diagnostics import data_tables
from seller_sandbox.diagnostics.line_states import LineReport

Statuses = tuple[str, str, str]


@dataclass(frozen=True)
class NextBestAction:
    """One row of the document's table."""

    code: str
    current_status: str
    result: str
    action: str


@cache
def by_code() -> dict[str, NextBestAction]:
    rows = data_tables.read("next_best_actions")["codes"]
    return {code: NextBestAction(code=code, **texts) for code, texts in rows.items()}


def decide(report: LineReport) -> NextBestAction:
    """What the report of a line means and asks for."""
    return by_code()[codes_by_statuses()[report.ont.status, report.cfm.status, report.uni_port.status]]


def for_impossible_test() -> NextBestAction:
    """The service test could not run."""
    return by_code()[data_tables.read("next_best_actions")["test_impossible"]]


@cache
def codes_by_statuses() -> dict[Statuses, str]:
    """The code of each combination of ONT, CFM and UniPort status. ValueError: two rules are about the same one."""
    codes: dict[Statuses, str] = {}
    for rule in data_tables.read("next_best_actions")["rules"]:
        for statuses in product(rule["ont"], rule["cfm"], rule["uni_port"]):
            if statuses in codes:
                raise ValueError(f"two rules are about {statuses}; leave it in one of them")
            codes[statuses] = rule["code"]
    return codes
