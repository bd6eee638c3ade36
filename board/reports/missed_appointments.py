"""Appointments that were missed: whose fault it was, and what proves it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q
from django.db.models.lookups import LessThan
from django.utils import timezone
from django.utils.translation import gettext as _

from board import formatting
from board.reports.report_filter import jobs_of, visits_of
from closures import codes
from closures.fault_parties import FaultParty, party_of, party_of_late_arrival
from closures.models import Closure, Photo
from closures.question_matrix.translations import name_for_reader
from dispatch.agreed_starts import BEGUN_IN_WINDOW, LATEST_START, latest_start
from dispatch.models import Job, JobEvent, JobQuerySet, Visit, VisitQuerySet
from dispatch.states import BEFORE_ARRIVAL, EventKind

NOBODY = "–"


@dataclass(frozen=True)
class MissedRow:
    """An appointment that was not kept or did not end well, whose fault it is, and what proves it."""

    job_id: str
    window: str
    engineer: str
    outcome: str
    party: str
    evidence: str


def missed_rows(data: dict[str, Any], *, most: int) -> list[MissedRow]:
    """Visits that came too late or not at all, jobs that nobody had when their window ended, and closures that were no
    success; the newest first; four queries, one more for an area."""
    found: list[tuple[Job, Visit | None]] = [(visit.job, visit) for visit in _missed_visits(data)[:most]]
    found += [(job, None) for job in _jobs_without_visit(data, now=timezone.now())[:most]]
    found = sorted(found, key=lambda pair: pair[0].window_start, reverse=True)[:most]
    keys = [job.pk for job, _visit in found]
    photos, notes = _count_photos(keys), _read_notes(keys)
    rows = [_missed_row(job, visit, photos.get(job.pk, 0), notes.get(job.pk, [])) for job, visit in found]
    return [row for row in rows if row is not None]


def _is_failed(prefix: str = "") -> Q:
    """Closed, and no success; `prefix` leads to the job."""
    success = [code.code for code in codes.list_codes().values() if code.succeeds]
    is_closed = Q(**{f"{prefix}closure__isnull": False})
    return is_closed & ~Q(**{f"{prefix}closure__code__in": success})


def _missed_visits(data: dict[str, Any]) -> VisitQuerySet:
    """`was_begun_in_window`: somebody else kept it, and whoever goes on comes when it is planned."""
    is_late = Q(arrived_at__gt=LATEST_START)
    is_over = Q(LessThan(LATEST_START, timezone.now()))
    is_absent = Q(arrived_at=None, job__state__in=BEFORE_ARRIVAL) & is_over
    return (
        visits_of(data)
        .annotate(was_begun_in_window=BEGUN_IN_WINDOW)
        .filter(Q(is_late | is_absent, was_begun_in_window=False) | _is_failed("job__"))
        .select_related("job__closure", "engineer__user")
        .order_by("-job__window_start", "-pk")
    )


def _jobs_without_visit(data: dict[str, Any], *, now: datetime) -> JobQuerySet:
    """Nobody has them, and nobody was there in time before they were unassigned."""
    is_open = Q(state__in=BEFORE_ARRIVAL, window_end__lt=now)
    # what is closed without a success counts whenever it was closed; NTR only when the window was over
    is_failed = _is_failed() & ~Q(closure__code__in=_codes_of_nobody())
    is_closed_late = Q(closure__closed_at__gte=F("window_end"))
    held = Visit.objects.filter(job=OuterRef("pk")).filter(
        Q(unassigned_at=None) | Q(arrived_at__lte=OuterRef("window_end"))
    )
    return (
        jobs_of(data)
        .filter(~Exists(held), is_open | is_failed | is_closed_late)
        .select_related("closure")
        .order_by("-window_start", "-pk")
    )


def _codes_of_nobody() -> list[str]:
    return [code.code for code in codes.list_codes().values() if party_of(code.code) is None]


def _count_photos(jobs: Sequence[int]) -> dict[int, int]:
    """Those that are stored, by job."""
    photos = Photo.objects.filter(job__in=jobs, stored_at__isnull=False).order_by()
    return dict(photos.values_list("job").annotate(number=Count("pk")))


def _read_notes(jobs: Sequence[int]) -> dict[int, list[JobEvent]]:
    """What the office wrote down, by job and in order."""
    notes: dict[int, list[JobEvent]] = {}
    for event in JobEvent.objects.filter(job__in=jobs, kind=EventKind.NOTE_ADDED).order_by("seq"):
        notes.setdefault(event.job_id, []).append(event)
    return notes


def _missed_row(job: Job, visit: Visit | None, photos: int, notes: Sequence[JobEvent]) -> MissedRow | None:
    closure = getattr(job, "closure", None)
    arrived_at = visit.arrived_at if visit else None
    # when somebody was there, or the office closed it and nobody needed to come any more
    settled_at = arrived_at or (closure.closed_at if closure else None)
    is_late = not getattr(visit, "was_begun_in_window", False) and (
        settled_at is None or settled_at > latest_start(job, visit)
    )
    party = _party(closure, notes, is_late=is_late, is_attended=arrived_at is not None)
    if party is None:
        return None
    return MissedRow(
        job_id=job.provider_job_id,
        window=formatting.format_window_with_day(job),
        engineer=visit.engineer.name if visit else NOBODY,
        outcome=name_for_reader(closure.code) if closure else "",
        party=str(party.label),
        evidence=_evidence(arrived_at, photos, notes),
    )


def _party(
    closure: Closure | None, notes: Sequence[JobEvent], *, is_late: bool, is_attended: bool
) -> FaultParty | None:
    """None for a success in time. What the office noted counts, unless the job was closed after it."""
    closed = party_of(closure.code) if closure else None
    if closed is None and not is_late:
        return None
    since = closure.recorded_at if closure and not is_late else None
    noted = [
        FaultParty(note.facts["fault_party"])
        for note in notes
        if note.facts.get("fault_party") in FaultParty.values and (since is None or note.recorded_at > since)
    ]
    if noted:
        return noted[-1]
    return party_of_late_arrival(closed) if is_late and (is_attended or closed is None) else closed


def _evidence(arrived_at: datetime | None, photos: int, notes: Sequence[JobEvent]) -> str:
    parts = [
        _("On site %(at)s") % {"at": formatting.format_moment(arrived_at)}
        if arrived_at
        else _("Nobody on site"),
        *(_call_text(note) for note in notes if note.facts.get("caller")),
        _("photos: %(number)s") % {"number": photos},
    ]
    return ", ".join(parts)


def _call_text(note: JobEvent) -> str:
    who = _("Call with %(caller)s") % note.facts
    return f"{who} {formatting.format_moment(note.occurred_at)}"
