"""Closure codes and their secondary codes (installation-jobs.md), as reference data in a file."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from dispatch.states import JobType

CODES_FILE = Path(__file__).parent / "data" / "codes.json"
# job-messages.md, createJob: the job type decides the closure family
FAMILIES = {JobType.INSTALLATION: "", JobType.REVISIT: "REV", JobType.EXTERNAL: "EXT", JobType.CIVILS: "CIV"}


@dataclass(frozen=True)
class SecondaryCode:
    code: str
    description: str


@dataclass(frozen=True)
class Sign:
    """What speaks for a code: an answer, or a fact that the phone knows (`light_outside`: a level outside its window;
    `ont_refused`: the seller's provisioning failed)."""

    question: str = ""
    equals: str = ""
    fact: str = ""


@dataclass(frozen=True)
class ClosureCode:
    """One row of the document's table, with what the house needs to know of it."""

    code: str
    description: str
    family: str
    in_trade_words: str
    secondary_required: bool
    succeeds: bool
    without_visit: bool
    signs: tuple[Sign, ...] = ()
    secondaries: tuple[SecondaryCode, ...] = ()

    def secondary(self, code: str) -> SecondaryCode | None:
        return next((one for one in self.secondaries if one.code == code), None)


# installation-jobs.md, Closure codes, last row: any other code
OTHER = ClosureCode(
    code="OTHER",
    description="Other reason",
    family="",
    in_trade_words="Other reason",
    secondary_required=False,
    succeeds=False,
    without_visit=False,
)


@cache
def all_codes() -> dict[str, ClosureCode]:
    """Every code of the document, in its order."""
    rows = json.loads(CODES_FILE.read_text())["codes"]
    return {row["code"]: _code(row) for row in rows}


def _code(row: dict[str, Any]) -> ClosureCode:
    signs = tuple(Sign(**one) for one in row.get("signs", ()))
    secondaries = tuple(SecondaryCode(**one) for one in row["secondaries"])
    return ClosureCode(**{**row, "signs": signs, "secondaries": secondaries})


def find(code: str) -> ClosureCode:
    """The code, or OTHER: any other code is processed as "Other reason", wherever it arrives."""
    return all_codes().get(code, OTHER)


def family_of(job_type: str) -> str:
    return FAMILIES[JobType(job_type)]


def codes_for(job_type: str) -> list[ClosureCode]:
    """The codes of a job type's family, in the document's order."""
    family = family_of(job_type)
    return [code for code in all_codes().values() if code.family == family]


def success_of(job_type: str) -> ClosureCode:
    """The one code that says the work is done and the service works."""
    return next(code for code in codes_for(job_type) if code.succeeds)


def secondaries_of(code: str) -> tuple[SecondaryCode, ...]:
    return find(code).secondaries


def failures_for(job_type: str) -> list[ClosureCode]:
    """What "Can't complete" offers to an engineer at the premises."""
    return [code for code in codes_for(job_type) if not code.succeeds and not code.without_visit]


def without_visit(job_type: str) -> list[ClosureCode]:
    """What a dispatcher may close with although nobody went (installations only: the document has no others)."""
    return [code for code in codes_for(job_type) if code.without_visit]


def matching(codes: Iterable[ClosureCode], words: str) -> list[ClosureCode]:
    """Those whose code, description or trade words hold every one of these words."""
    wanted = words.lower().split()
    return [code for code in codes if all(word in _text(code) for word in wanted)]


def _text(code: ClosureCode) -> str:
    return f"{code.code} {code.description} {code.in_trade_words}".lower()
