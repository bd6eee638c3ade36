"""What both sides add to a fault report: updates, details of files, attempts to reach the end user.

Rows are added here only, to a locked report: what was read of it holds until something is added.
"""

from dataclasses import dataclass
from typing import Any

from seller_sandbox import clock
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.faults.models import ContactAttempt, FaultFile, FaultReport, FaultUpdate, UpdateAuthor

_UPDATES = CompiledQuery(lambda: FaultUpdate.objects.filter(report=Parameter("report")))
_FILES = CompiledQuery(lambda: FaultFile.objects.filter(report=Parameter("report")))
_ATTEMPTS = CompiledQuery(lambda: ContactAttempt.objects.filter(report=Parameter("report")))


@dataclass(frozen=True)
class Additions:
    """Each list in the order in which its rows were added."""

    updates: list[FaultUpdate]
    files: list[FaultFile]
    contact_attempts: list[ContactAttempt]


def of(report: FaultReport) -> Additions:
    """All that was added to a locked report."""
    if report.additions is None:
        report.additions = _read(report.pk) if report.has_additions else Additions([], [], [])
    found: Additions = report.additions
    return found


def _read(report: int) -> Additions:
    return Additions(_UPDATES.all(report=report), _FILES.all(report=report), _ATTEMPTS.all(report=report))


def _forget(report: FaultReport) -> None:
    report.additions, report.has_additions = None, True


def add_update(report: FaultReport, *, author: UpdateAuthor, text: str) -> None:
    _forget(report)
    report.updates.create(author=author, text=text, at=clock.now())


def add_file(report: FaultReport, *, author: UpdateAuthor, **details: Any) -> None:
    """`details`: name, media_type, size_bytes and description, as far as they are known."""
    _forget(report)
    report.files.create(author=author, at=clock.now(), **details)


def add_contact_attempt(report: FaultReport, *, hold: int, kind: str, outcome: str) -> ContactAttempt:
    _forget(report)
    return report.contact_attempts.create(hold=hold, kind=kind, outcome=outcome, at=clock.now())
