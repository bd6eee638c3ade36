"""How jobs ended, for their cards and pages."""

from collections.abc import Iterable

from board.formatting import ClosedAs
from closures import codes
from closures.models import Closure
from dispatch.models import Job


def closed_as(jobs: Iterable[Job]) -> dict[int, ClosedAs]:
    """By the job's key, for those that are closed; one query."""
    closures = Closure.objects.filter(job__in=[job.pk for job in jobs])
    return {closure.job_id: _closed_as(closure) for closure in closures}


def _closed_as(closure: Closure) -> ClosedAs:
    known = codes.find(closure.code)
    return ClosedAs(closure.code, known.in_trade_words or closure.description, known.succeeds)
