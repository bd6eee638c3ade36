"""The list of cases for people, and what a run found."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from seller_link.conformance import follow_up_cases, partner_create_cases, transport
from seller_link.conformance.cases import REGISTER, Case, CaseResult, ConformanceSide, Verdict, run
from seller_link.conformance.conformance_client import ConformanceClient

# importing a module of cases registers them
MODULES = (transport, partner_create_cases, follow_up_cases)
INTRODUCTION = """# Conformance

`manage.py conformance --endpoint URL --cert FILE --key FILE --ca FILE [--side partner|seller] [--json FILE]` acts as
the other side against any implementation: ours, or a seller's staging. It creates jobs there, so never use it on
a system in service. It ends with 1 when a case fails. Sections are those of `job-messages.md`.

- `--side partner` (default) acts as the seller. `--started-job` and `--closed-job` name a job with its engineer on
  site and a closed one; without them their cases are skipped.
- `--side seller` acts as the partner. `--job` names a job that the seller has open; it is closed in the run.
  `--planned-start` is an instant in its appointment window, which a strict seller compares with the plan.

This list is made by `manage.py conformance --list > docs/conformance.md`.
"""


def cases_for(side: ConformanceSide) -> list[Case]:
    return [case for case in REGISTER if side in case.sides]


def run_all(line: ConformanceClient, side: ConformanceSide) -> Iterator[CaseResult]:
    """In the order of the list, one after the other."""
    for case in cases_for(side):
        yield run(case, line)


def as_data(results: Iterable[CaseResult]) -> list[dict[str, Any]]:
    return [
        {
            "case": result.case.name,
            "section": result.case.section,
            "verdict": result.verdict,
            "why": result.why,
        }
        for result in results
    ]


def row(result: CaseResult) -> str:
    text = f"{result.verdict:<8} {result.case.name:<56} {result.case.section:<25} {result.why}"
    return text.rstrip()


def summary(results: list[CaseResult]) -> str:
    counted = Counter(result.verdict for result in results)
    return ", ".join(f"{counted[verdict]} {verdict}" for verdict in Verdict)


def as_markdown() -> str:
    """The document docs/conformance.md."""
    parts = [INTRODUCTION]
    for side in ConformanceSide:
        found = cases_for(side)
        lines = [f"| {case.name} | {case.section} |" for case in found]
        title = f"## Cases for a {side}: {len(found)}\n"
        parts.append("\n".join([title, "| case | section |", "|---|---|", *lines]) + "\n")
    return "\n".join(parts)
