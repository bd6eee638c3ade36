"""Photos of a report that are missing in no evidence."""

from collections.abc import Sequence
from typing import Any

from closures.answers import photos_in_no_answer
from closures.models import Answer, Photo
from closures.question_matrix.matrix import PICTURE_KINDS
from dispatch.models import VisitQuerySet

FIELDS = ("job", "question_code", "kind", "value", "withdrawn_at")


def groups_of_unneeded_photos(visits: VisitQuerySet, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """For each photo that was announced, but deleted, taken again or refused before it arrived, what its visit has in
    these columns. One query where nothing is missing, otherwise two: most photos arrive."""
    missing = visits.filter(job__photos__isnull=False, job__photos__stored_at=None)
    rows = list(missing.values_list(*columns, "job", "job__photos", "job__photos__question_code"))
    if not rows:
        return []
    photos = [Photo(pk=photo, job_id=job, question_code=code) for *_group, job, photo, code in rows]
    answers = Answer.objects.filter(job__in=missing.values("job"), kind__in=PICTURE_KINDS).only(*FIELDS)
    unneeded = photos_in_no_answer(photos, answers.iterator())
    return [tuple(row[:-3]) for row in rows if row[-2] in unneeded]
