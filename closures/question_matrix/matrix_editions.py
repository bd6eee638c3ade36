"""Which edition of the question matrix a job gets: the one that it began with, else the newest that has started.

Imported editions are rows and never change; files (closures.question_matrix.matrix) stay readable next to them.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from closures.models import MatrixEdition
from closures.question_matrix.matrix import Matrix, configured_matrix, matrices_of_files, parse_matrix
from dispatch.models import Job
from dispatch.problems import ActionRefused, Problem
from engineers.area_scope import check_unlimited, scope_of
from engineers.audit import record_audit
from engineers.models import User
from engineers.staff import lock_supervisors

# an edition that another process imported is known after this time at the latest; its start is exact
LIST_CACHE_SECONDS = 10
# each page asks a dozen times: a round trip to Redis for each was a seventh of what the phones' days cost
CACHE = "process"
LIST_CACHE = "matrix_editions"
JOB_CACHE = "matrix_edition_of_job"
# how long a page with the moment `now` may lie open before it is sent
MAX_AGE_OF_START = timedelta(minutes=1)


@dataclass(frozen=True)
class StoredEdition:
    """An imported edition without its content, which never changes."""

    pk: int
    edition: str
    starts_at: datetime


class EditionRefused(ActionRefused):
    """This edition can't be imported; nothing was stored."""


def current_matrix() -> Matrix:
    """The matrix that new work begins with now."""
    return matrix_at(timezone.now())


def matrix_at(moment: datetime) -> Matrix:
    """The newest imported edition that had started then, otherwise the file of QUESTION_MATRIX."""
    started = [stored for stored in _stored_editions() if stored.starts_at <= moment]
    return load_edition(max(started, key=_order)) if started else configured_matrix()


def _order(stored: StoredEdition) -> tuple[datetime, int]:
    return stored.starts_at, stored.pk


@dataclass(frozen=True)
class AdjacentEditions:
    """Of an edition that starts at a moment: the one that it replaces, and in order those that replace it later."""

    replaced: str
    later: list[StoredEdition]

    @property
    def names(self) -> list[str]:
        return [self.replaced, *(stored.edition for stored in self.later)]


def adjacent_editions(starts_at: datetime) -> AdjacentEditions:
    """As the database has them now."""
    stored = sorted(_list_stored(), key=_order)
    started = [edition for edition in stored if edition.starts_at <= starts_at]
    replaced = started[-1].edition if started else configured_matrix().edition
    return AdjacentEditions(replaced, stored[len(started) :])


def matrices_by_edition() -> dict[str, Matrix]:
    """Every edition, of files and imported: an old job must open for ever."""
    return {**matrices_of_files(), **{stored.edition: load_edition(stored) for stored in _stored_editions()}}


def matrix_for_job(job: Job) -> Matrix:
    """The edition pinned to the job; one whose file was removed from disk is replaced by the current one."""
    if not job.matrix_edition:
        return current_matrix()
    return _find(job.matrix_edition) or _find_imported(job) or current_matrix()


def _find_imported(job: Job) -> Matrix | None:
    """Another process may have imported the job's edition a moment ago. That it has not is remembered as long as the
    list is, of this job only: one that an edition was pinned to since then must find it."""

    def read_anew() -> bool:
        forget_editions()
        return _find(job.matrix_edition) is not None

    is_found = caches[CACHE].get_or_set(f"{JOB_CACHE}_{job.pk}", read_anew, LIST_CACHE_SECONDS)
    return _find(job.matrix_edition) if is_found else None


def _find(edition: str) -> Matrix | None:
    stored = next((stored for stored in _stored_editions() if stored.edition == edition), None)
    return load_edition(stored) if stored else matrices_of_files().get(edition)


def _stored_editions() -> list[StoredEdition]:
    return caches[CACHE].get_or_set(LIST_CACHE, _list_stored, LIST_CACHE_SECONDS) or []


def _list_stored() -> list[StoredEdition]:
    rows = MatrixEdition.objects.values_list("pk", "edition", "starts_at")
    return [StoredEdition(*row) for row in rows]


def forget_editions() -> None:
    """The next use in this process reads the list anew."""
    caches[CACHE].delete(LIST_CACHE)


@lru_cache(maxsize=32)
def load_edition(stored: StoredEdition) -> Matrix:
    """Read and parsed once in a process."""
    content = MatrixEdition.objects.values_list("content", flat=True).get(pk=stored.pk)
    return parse_matrix(content, name=stored.edition)


def current_content() -> dict[str, Any]:
    """The current edition as its file has it."""
    return content_of(current_matrix().edition)


def content_of(edition: str) -> dict[str, Any]:
    """An imported edition as its file has it; for any other name the file of QUESTION_MATRIX."""
    stored = MatrixEdition.objects.filter(edition=edition).first()
    text = stored.content if stored else Path(settings.QUESTION_MATRIX).read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def is_known(edition: str) -> bool:
    """Some file or import has this name already."""
    return edition in matrices_of_files() or MatrixEdition.objects.filter(edition=edition).exists()


def edition_on_arrival(*, displayed: str, moment: datetime) -> str:
    """The edition that a job begins with: the one that the phone shows, since a phone without signal doesn't learn of a
    new one; where it names none that we know, the one that is current at that moment."""
    if displayed and (_find(displayed) or is_known(displayed)):
        return displayed
    return matrix_at(moment).edition


def import_edition(
    *, content: str, starts_at: datetime | None, seen: Sequence[str], by: User
) -> MatrixEdition:
    """Store an edition that starts at a moment, None for now. `seen` are the names of the AdjacentEditions with which
    it was compared: where they are others, one of them would take back what nobody has looked at.

    Raises BrokenMatrix, EditionRefused, and PermissionDenied for whoever is limited to some areas.
    """
    check_unlimited(scope_of(by))
    matrix, now = parse_matrix(content, name="import"), timezone.now()
    if starts_at is not None and starts_at < now - MAX_AGE_OF_START:
        raise EditionRefused(
            [Problem("in_the_past", "starts_at", _("Choose a start that is not in the past."))]
        )
    try:
        stored = _store(matrix, content, starts_at or now, seen, by)
    except IntegrityError as problem:
        # a colleague imported it at the same moment
        raise _name_is_used(matrix.edition) from problem
    forget_editions()
    return stored


@transaction.atomic
def _store(matrix: Matrix, content: str, starts_at: datetime, seen: Sequence[str], by: User) -> MatrixEdition:
    lock_supervisors()
    if is_known(matrix.edition):
        raise _name_is_used(matrix.edition)
    if adjacent_editions(starts_at).names != [*seen]:
        sentence = _(
            "Other editions start before or after this one than the page listed. Check the differences again."
        )
        raise EditionRefused([Problem("other_editions", "starts_at", sentence)])
    stored = MatrixEdition.objects.create(
        edition=matrix.edition,
        name=matrix.name,
        content=content,
        starts_at=starts_at,
        imported_at=timezone.now(),
        imported_by=by,
    )
    after = {"name": matrix.name, "starts_at": starts_at.isoformat()}
    record_audit(actor=by, action="matrix_edition_imported", subject=matrix.edition, after=after)
    return stored


def _name_is_used(edition: str) -> EditionRefused:
    sentence = _("The edition %(edition)s exists already. Give this one a new name in its first row.")
    return EditionRefused([Problem("edition_exists", "edition", sentence % {"edition": edition})])
