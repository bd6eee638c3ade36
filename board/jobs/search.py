"""Finding jobs: by order reference, UPRN, postcode, name or job number, and the lists that wait for somebody."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from board import formatting
from board.formatting import ClosedAs, StateBadge
from board.jobs.job_panel import closure_badges
from dispatch import jobs
from dispatch.display_errors import build_or_replace
from dispatch.models import Job, JobQuerySet, has_postcode, has_reference

MAX_RESULTS = 100
MIN_LETTERS = 2
# of a search with commas; each is a query
MAX_WORDS = 10


@dataclass(frozen=True)
class JobLine:
    """One job in a list."""

    job_id: str
    address: str
    contact: str
    kind: str
    window: str
    look: StateBadge
    references: list[str]
    needs_location: bool


@dataclass(frozen=True)
class SearchResult:
    """A result list; `is_cut` when there are more than are shown."""

    title: str
    query: str
    lines: list[JobLine]
    is_cut: bool
    hint: str


def find_jobs(text: str) -> JobQuerySet:
    """Open and ended jobs alike; each comma-separated part may match, as `LS6, B-1001`.

    References, numbers and postcodes are read by their indexes. Names have none: all jobs are read for a part only
    when it is none of these.
    """
    parts = [part.strip() for part in text.split(",") if len(part.strip()) >= MIN_LETTERS]
    wanted = Q(pk__in=[])
    for part in dict.fromkeys(parts[:MAX_WORDS]):
        wanted |= _matches(part)
    return Job.objects.filter(wanted).order_by("-window_start", "pk")


def _matches(part: str) -> Q:
    indexed = has_reference(part) | has_postcode(jobs.postcode_key(part))
    return indexed if Job.objects.order_by().filter(indexed).exists() else Q(contact_name__icontains=part)


LISTS: dict[str, tuple[object, object, Callable[[], JobQuerySet]]] = {
    "needs-location": (
        _("Jobs without a location"),
        _("All open jobs have a location. New jobs without one appear here."),
        Job.objects.needing_location,
    ),
    "unassigned": (
        _("Unassigned jobs, all days"),
        _("All jobs are assigned. New job packs appear here and on the board for their day."),
        Job.objects.unassigned,
    ),
}


def search(*, text: str, name: str = "") -> SearchResult:
    """A named list, or what matches the text."""
    if name in LISTS:
        title, hint, rows = LISTS[name]
        return _found(rows(), title=str(title), query="", hint=str(hint))
    if len(text.strip()) < MIN_LETTERS:
        hint = str(
            _("Enter at least two characters of an order reference, UPRN, postcode, name or job number.")
        )
        return _found(Job.objects.none(), title=str(_("Search")), query=text, hint=hint)
    hint = str(
        _(
            "No jobs found. Check the spelling, and enter the full reference or the first part "
            "of the postcode."
        )
    )
    return _found(find_jobs(text), title=str(_("Search")), query=text, hint=hint)


def _found(rows: JobQuerySet, *, title: str, query: str, hint: str) -> SearchResult:
    found = list(rows[: MAX_RESULTS + 1])
    return SearchResult(
        title, query, job_lines(found[:MAX_RESULTS]), is_cut=len(found) > MAX_RESULTS, hint=hint
    )


def job_lines(found: Iterable[Job]) -> list[JobLine]:
    """Two queries: the jobs and how they ended."""
    found = list(found)
    closings = closure_badges(found)
    return [_safe_line(job, closings.get(job.pk)) for job in found]


def _safe_line(job: Job, ended: ClosedAs | None) -> JobLine:
    def broken(reason: str) -> JobLine:
        return JobLine(
            job.provider_job_id, reason, "", "", "", formatting.BROKEN_BADGE, [], needs_location=False
        )

    return build_or_replace(job, lambda: _line(job, ended), broken)


def _line(job: Job, ended: ClosedAs | None) -> JobLine:
    references = [job.buyer_order_reference, job.seller_order_reference]
    return JobLine(
        job_id=job.provider_job_id,
        address=job.address,
        contact=job.contact_name,
        kind=formatting.job_type_label(job),
        window=formatting.format_window_with_day(job),
        look=formatting.state_badge(job, ended),
        references=list(dict.fromkeys(reference for reference in references if reference)),
        needs_location=job.needs_location and job.is_open,
    )
