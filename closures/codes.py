"""Closure codes and their secondary codes (installation-jobs.md), as reference data in a file."""

import json
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
    """One row of the document's table, with what the dispatch application needs to know of it.

    `from_safe_place`: whoever closes with it has left the danger; `without_access`: nobody let the engineer in. With
    either nothing is asked that needs the site.
    """

    code: str
    description: str
    family: str
    in_trade_words: str
    secondary_required: bool
    succeeds: bool
    without_visit: bool
    remarks_required: bool = False
    from_safe_place: bool = False
    without_access: bool = False
    signs: tuple[Sign, ...] = ()
    secondaries: tuple[SecondaryCode, ...] = ()

    @property
    def asks_nothing_of_the_site(self) -> bool:
        return self.from_safe_place or self.without_access

    def secondary(self, code: str) -> SecondaryCode | None:
        return next((secondary for secondary in self.secondaries if secondary.code == code), None)


# installation-jobs.md, Closure codes, last row: any other code; ours sends this one only (job-messages.md, closeJob)
OTHER = ClosureCode(
    code="OTHER",
    description="Other reason",
    family="",
    in_trade_words="Other reason",
    secondary_required=False,
    succeeds=False,
    without_visit=False,
    remarks_required=True,
)


@cache
def list_codes() -> dict[str, ClosureCode]:
    """Every code of the document, in its order."""
    rows = json.loads(CODES_FILE.read_text())["codes"]
    return {row["code"]: _code(row) for row in rows}


def _code(row: dict[str, Any]) -> ClosureCode:
    signs = tuple(Sign(**sign) for sign in row.get("signs", ()))
    secondaries = tuple(SecondaryCode(**secondary) for secondary in row["secondaries"])
    return ClosureCode(**{**row, "signs": signs, "secondaries": secondaries})


def find_code(code: str) -> ClosureCode:
    """The code, or OTHER: any other code is processed as "Other reason", wherever it arrives."""
    return list_codes().get(code, OTHER)


def is_known(code: str) -> bool:
    """Whether this text may leave us as a closure code."""
    return code == OTHER.code or code in list_codes()


def family_of(job_type: str) -> str:
    return FAMILIES[JobType(job_type)]


def codes_for(job_type: str) -> list[ClosureCode]:
    """The codes of a job type's family, in the document's order."""
    family = family_of(job_type)
    return [code for code in list_codes().values() if code.family == family]


def outcomes_of(job_type: str) -> list[ClosureCode]:
    """Every way in which a job of this type may be closed: its family's codes, then Other reason."""
    return [*codes_for(job_type), OTHER]


def without_visit(job_type: str) -> list[ClosureCode]:
    """What a dispatcher may close with although nobody went: the document has codes for installations only."""
    return [*(code for code in codes_for(job_type) if code.without_visit), OTHER]
