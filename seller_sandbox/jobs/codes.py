"""Closure codes and provisioning results, from the tables of installation-jobs.md."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
OTHER_REASON = "Other reason"
OTHER_CODE = "OTHER"
RETRY_RESULT = 4
RETRY_SECONDS = 5 * 60


@dataclass(frozen=True)
class Result:
    """One provisioning result as it goes over the wire."""

    id: int
    success: bool
    details: str
    meaning: str

    def as_wire(self) -> dict[str, Any]:
        return {"id": self.id, "success": self.success, "details": self.details}


@cache
def _tables() -> dict[str, Any]:
    return json.loads((DATA / "closure_codes.json").read_text())


@cache
def results() -> dict[int, Result]:
    table = json.loads((DATA / "provisioning_results.json").read_text())
    return {int(number): Result(id=int(number), **row) for number, row in table.items()}


def job_type_of(code: str) -> str | None:
    """The job type whose family a closure code is of; None for a code that is not in the table."""
    entry = _tables()["closure_codes"].get(code)
    return entry and entry["job_type"]


def describe(code: str) -> str:
    entry = _tables()["closure_codes"].get(code)
    return entry["description"] if entry else OTHER_REASON


def secondary_codes(code: str) -> dict[str, str]:
    entry = _tables()["closure_codes"].get(code)
    return entry["secondary_codes"] if entry else {}


def is_secondary_of_any(secondary: str) -> bool:
    return any(secondary in entry["secondary_codes"] for entry in _tables()["closure_codes"].values())


def needs_secondary(code: str) -> bool:
    return code in _tables()["secondary_required"]


def needs_visit(code: str) -> bool:
    """Whether nobody can close with this code without having been there."""
    return code in _tables()["codes_of_work_on_site"] or code in _tables()["codes_found_on_site"]


def excludes_visit(code: str) -> bool:
    """Whether the code says that nobody went."""
    return code in _tables()["codes_without_visit"]


def is_success(code: str) -> bool:
    return code in _tables()["codes_of_success"]


def has_scan(job_type: str) -> bool:
    """Whether an ONT is installed or exchanged on jobs of this type."""
    return job_type in _tables()["job_types_with_scan"]
