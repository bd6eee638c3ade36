"""Which matrix a job is asked from: the one that it began with, else the current one."""

from functools import cache
from pathlib import Path

from django.conf import settings

from closures import matrix
from closures.matrix import BrokenMatrix, Matrix
from dispatch.models import Job


def current_matrix() -> Matrix:
    """The matrix that new work begins with (setting QUESTION_MATRIX). Raises BrokenMatrix."""
    return matrix.load_matrix(settings.QUESTION_MATRIX)


def all_versions() -> dict[str, Matrix]:
    """Every edition that lies beside the current one or came with the house: an old job must open for ever.

    Raises BrokenMatrix, also when two files claim one edition.
    """
    return _beside(settings.QUESTION_MATRIX)


@cache
def _beside(current_file: str) -> dict[str, Matrix]:
    folders = {Path(current_file).resolve().parent, Path(__file__).resolve().parent / "data"}
    found: dict[str, Matrix] = {}
    beside = [path for folder in sorted(folders) for path in sorted(folder.glob("matrix_*.json"))]
    for path in [current_file, *beside]:
        one = matrix.load_matrix(str(path))
        if found.setdefault(one.edition, one) != one:
            raise BrokenMatrix(
                f"{path}: edition {one.edition} is another file's; a new edition needs a new name"
            )
    return found


def matrix_for_job(job: Job) -> Matrix:
    """The edition pinned to the job; one that was removed from disk is replaced by the current one."""
    if not job.matrix_edition or job.matrix_edition == current_matrix().edition:
        return current_matrix()
    return all_versions().get(job.matrix_edition, current_matrix())
