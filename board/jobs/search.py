"""The results of a search, jobs and engineers, and the lists that wait for somebody."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from board import formatting
from board.formatting import ClosedAs, StateBadge
from board.jobs import engineer_status
from board.jobs.engineer_status import Attendance, FoundEngineer
from board.jobs.job_panel import closure_badges
from dispatch.job_search import SearchTerms, find_jobs, read_terms
from dispatch.models import Job, JobQuerySet, national_number, split_keywords
from dispatch.problems import build_or_replace
from engineers.models import Engineer

MAX_RESULTS = 100
# what fits below the search field
MAX_SUGGESTIONS = 8
MAX_ENGINEERS = 5


@dataclass(frozen=True)
class JobLine:
    """One job in a list; `attendance` None while nobody has it."""

    job_id: str
    title: str
    premises: str
    address: str
    contact: str
    kind: str
    window: str
    look: StateBadge
    references: list[str]
    needs_location: bool
    attendance: Attendance | None


@dataclass(frozen=True)
class SearchResult:
    """A result list; `is_cut` when there are more than are shown; `list_name` of LISTS, empty for a search."""

    title: str
    query: str
    lines: list[JobLine]
    is_cut: bool
    hint: str
    engineers: list[FoundEngineer]
    list_name: str = ""


LISTS: dict[str, tuple[object, object, Callable[[], JobQuerySet]]] = {
    "needs-location": (
        gettext_lazy("Jobs without a location"),
        gettext_lazy("All open jobs have a location. New jobs without one appear here."),
        Job.objects.needing_location,
    ),
    "unassigned": (
        gettext_lazy("Unassigned jobs, all days"),
        gettext_lazy("All jobs are assigned. New job packs appear here and on the board for their day."),
        Job.objects.unassigned,
    ),
}


def list_jobs(name: str) -> SearchResult | None:
    """A list that waits for somebody; None for a name that is not in LISTS."""
    if name not in LISTS:
        return None
    title, hint, rows = LISTS[name]
    found = list(rows().in_scope()[: MAX_RESULTS + 1])
    return replace(_result(found, title=str(title), hint=str(hint)), list_name=name)


def search(text: str, *, limit: int = MAX_RESULTS) -> SearchResult:
    """Jobs and engineers that match the text."""
    terms, now = read_terms(text), timezone.now()
    engineers = engineer_status.engineer_lines(find_engineers(terms), now=now) if terms else []
    found = find_jobs(terms, now=now, limit=limit + 1)
    hint = _no_results_hint() if terms else _short_text_hint()
    return _result(found, title=_("Search"), query=text, hint=hint, engineers=engineers, limit=limit)


def _short_text_hint() -> str:
    return _(
        "Enter at least two characters: order, job number, UPRN, postcode, street, name, phone number, engineer, FSAN "
        "or serial number."
    )


def _no_results_hint() -> str:
    return _("No jobs or engineers found. Check the spelling, or enter less of it.")


def _result(
    found: Sequence[Job],
    *,
    title: str,
    hint: str,
    query: str = "",
    engineers: Sequence[FoundEngineer] = (),
    limit: int = MAX_RESULTS,
) -> SearchResult:
    is_cut = len(found) > limit
    return SearchResult(title, query, job_lines(found[:limit]), is_cut, hint, list(engineers))


def find_engineers(terms: SearchTerms) -> list[Engineer]:
    """Active engineers by name, staff number or telephone; one query."""
    active = Engineer.objects.active().in_scope().select_related("user")
    return [engineer for engineer in active if _is_meant(engineer, terms)][:MAX_ENGINEERS]


def _is_meant(engineer: Engineer, terms: SearchTerms) -> bool:
    known = [*split_keywords(f"{engineer.name} {engineer.staff_number}"), national_number(engineer.phone)]
    return any(
        all(any(text.startswith(keyword) for text in known) for keyword in keywords)
        for keywords in terms.alternatives
    )


def job_lines(found: Iterable[Job]) -> list[JobLine]:
    """Four queries: how the jobs ended, and who attends them when."""
    found = list(found)
    closings = closure_badges(found)
    by_job = engineer_status.list_attendances(found, now=timezone.now())
    return [_safe_line(job, closings.get(job.pk), by_job.get(job.pk)) for job in found]


def _safe_line(job: Job, ended: ClosedAs | None, attendance: Attendance | None) -> JobLine:
    def broken(reason: str) -> JobLine:
        number = job.provider_job_id
        return JobLine(
            number,
            number,
            reason,
            reason,
            "",
            "",
            "",
            formatting.BROKEN_BADGE,
            [],
            needs_location=False,
            attendance=None,
        )

    return build_or_replace(job, lambda: _line(job, ended, attendance), broken)


def _line(job: Job, ended: ClosedAs | None, attendance: Attendance | None) -> JobLine:
    references = [job.buyer_order_reference, job.seller_order_reference]
    return JobLine(
        job_id=job.provider_job_id,
        title=job.title,
        premises=", ".join(filter(None, [*job.address_lines, job.town])),
        address=job.address,
        contact=job.contact_name,
        kind=formatting.job_type_label(job),
        window=formatting.format_window_with_day(job),
        look=formatting.state_badge(job, ended),
        references=list(dict.fromkeys(reference for reference in references if reference)),
        needs_location=job.needs_location and job.is_open,
        attendance=attendance,
    )
