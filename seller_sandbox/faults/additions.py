"""What both sides add to a fault report: updates, details of files, attempts to reach the end user.

Rows are added here only, to a locked report: what was read of it holds until something is added.
"""

from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef

from seller_sandbox import clock
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.faults.models import ContactAttempt, FaultFile, FaultReport, FaultUpdate, UpdateAuthor

_IS_ANY = CompiledQuery(
    lambda: (
        FaultReport.objects.filter(pk=Parameter("report"))
        .annotate(
            is_any=Exists(FaultUpdate.objects.filter(report=OuterRef("pk")))
            | Exists(FaultFile.objects.filter(report=OuterRef("pk")))
            | Exists(ContactAttempt.objects.filter(report=OuterRef("pk")))
        )
        .values_list("is_any")
    )
)
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
        report.additions = _read(report.pk)
    found: Additions = report.additions
    return found


def _read(report: int) -> Additions:
    # most reports have nothing: one question instead of three
    if _IS_ANY.row(report=report) != (True,):
        return Additions([], [], [])
    return Additions(_UPDATES.all(report=report), _FILES.all(report=report), _ATTEMPTS.all(report=report))


def add_update(report: FaultReport, *, author: UpdateAuthor, text: str) -> None:
    report.additions = None
    report.updates.create(author=author, text=text, at=clock.now())


def add_file(report: FaultReport, *, author: UpdateAuthor, **details: Any) -> None:
    """`details`: name, media_type, size_bytes and description, as far as they are known."""
    report.additions = None
    report.files.create(author=author, at=clock.now(), **details)


def add_contact_attempt(report: FaultReport, *, hold: int, kind: str, outcome: str) -> ContactAttempt:
    report.additions = None
    return report.contact_attempts.create(hold=hold, kind=kind, outcome=outcome, at=clock.now())
