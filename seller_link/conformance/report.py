"""The list of cases for people, and what a run found."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from seller_link.conformance import partner_cases, partner_create_cases, seller_cases, transport
from seller_link.conformance.cases import REGISTER, Case, CaseResult, ConformanceSide, Verdict, run
from seller_link.conformance.conformance_client import ConformanceClient

# importing a module of cases registers them
MODULES = (transport, partner_create_cases, partner_cases, seller_cases)
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
    return [one for one in REGISTER if side in one.sides]


def run_all(line: ConformanceClient, side: ConformanceSide) -> Iterator[CaseResult]:
    """In the order of the list, one after the other."""
    for one in cases_for(side):
        yield run(one, line)


def as_data(results: Iterable[CaseResult]) -> list[dict[str, Any]]:
    return [
        {"case": one.case.name, "section": one.case.section, "verdict": one.verdict, "why": one.why}
        for one in results
    ]


def row(result: CaseResult) -> str:
    words = f"{result.verdict:<8} {result.case.name:<56} {result.case.section:<25} {result.why}"
    return words.rstrip()


def summary(results: list[CaseResult]) -> str:
    counted = Counter(one.verdict for one in results)
    return ", ".join(f"{counted[verdict]} {verdict}" for verdict in Verdict)


def as_markdown() -> str:
    """The document docs/conformance.md."""
    parts = [INTRODUCTION]
    for side in ConformanceSide:
        found = cases_for(side)
        lines = [f"| {one.name} | {one.section} |" for one in found]
        title = f"## Cases for a {side}: {len(found)}\n"
        parts.append("\n".join([title, "| case | section |", "|---|---|", *lines]) + "\n")
    return "\n".join(parts)
