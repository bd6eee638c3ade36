"""The figures of a report, counted by the database: one query for each kind of row, however many visits."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Avg, Count, DurationField, ExpressionWrapper, F, Q
from django.db.models.expressions import Combinable
from django.db.models.functions import TruncDate
from django.utils import timezone
from django.utils.translation import gettext as _

from board import formatting
from board.reports.report_filter import visits_of
from closures import codes
from closures.fault_parties import FaultParty, party_of
from closures.models import Closure
from dispatch.chances.calibration import CalibrationGroup, calibrate
from dispatch.models import ProvisioningResult, RecordedChance
from dispatch.ont_scans import FAILED_RESULTS
from dispatch.risk import BEFORE_ARRIVAL
from dispatch.states import JobState, JobType

MOST_MISSED = 200
ENGINEER = ("engineer__user__first_name", "engineer__user__last_name", "engineer__staff_number")
COLUMNS: dict[str, tuple[str, ...]] = {
    "day": ("day",),
    "engineer": ENGINEER,
    "area": ("engineer__area__name",),
    "job_type": ("job__job_type",),
}


@dataclass(frozen=True)
class FigureRow:
    """One group: numbers, and mean times as durations; None where there is nothing to count."""

    label: str
    visits: int
    arrived: int
    on_time: int
    closed: int
    first_visit: int
    failed_scans: int
    photos: int
    photos_stored: int
    travel: timedelta | None
    on_site: timedelta | None
    message_delay: timedelta | None


@dataclass(frozen=True)
class CodeRow:
    code: str
    description: str
    secondary: str
    number: int


@dataclass(frozen=True)
class MissedRow:
    """An appointment that was not kept or did not end well, whose fault it is, and what proves it."""

    job_id: str
    window: str
    engineer: str
    code: str
    party: str
    evidence: str


def _span(end: str, start: str) -> Combinable:
    return ExpressionWrapper(F(end) - F(start), output_field=DurationField())


def figure_rows(data: dict[str, Any]) -> list[FigureRow]:
    """By what `data["by"]` says; four queries, since a join with two lists would count each pair."""
    by, columns = data["by"], COLUMNS[data["by"]]
    visits = visits_of(data).annotate(day=TruncDate("job__window_start")).order_by()
    success = [code.code for code in codes.list_codes().values() if code.succeeds]
    is_success = Q(job__closure__code__in=success)
    groups = visits.values(*columns)
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for counted in (
        groups.annotate(
            visits=Count("pk"),
            arrived=Count("arrived_at"),
            on_time=Count("pk", filter=Q(arrived_at__lte=F("job__window_end"))),
            closed=Count("job__closure"),
            first_visit=Count("pk", filter=is_success & Q(job__previous_provider_job_id="")),
            travel=Avg(_span("arrived_at", "travel_started_at")),
            on_site=Avg(_span("ended_at", "arrived_at"), filter=Q(arrived_at__isnull=False)),
        ),
        groups.annotate(
            failed_scans=Count("job__results", filter=Q(job__results__result_id__in=FAILED_RESULTS))
        ),
        groups.annotate(photos=Count("job__photos"), photos_stored=Count("job__photos__stored_at")),
        groups.annotate(
            message_delay=Avg(
                _span("job__outbound_messages__sent_at", "job__outbound_messages__event__occurred_at")
            )
        ),
    ):
        for row in counted:
            found.setdefault(tuple(row[name] for name in columns), {}).update(row)
    return [_figure_row(_label(by, key), row) for key, row in sorted(found.items(), key=_order)]


def _order(group: tuple[tuple[Any, ...], dict[str, Any]]) -> tuple[str, ...]:
    return tuple(str(part or "") for part in group[0])


def _figure_row(label: str, row: dict[str, Any]) -> FigureRow:
    names = [name for name in FigureRow.__dataclass_fields__ if name != "label"]
    return FigureRow(label=label, **{name: row[name] for name in names})


def _label(by: str, key: tuple[Any, ...]) -> str:
    if by == "day":
        return formatting.format_day(key[0])
    if by == "engineer":
        first, last, number = key
        return f"{first} {last}".strip() or str(number)
    if by == "area":
        return str(key[0] or _("No area"))
    return str(JobType(key[0]).label)


def code_rows(data: dict[str, Any]) -> list[CodeRow]:
    """Closures by code and secondary code, the most frequent first; one query."""
    jobs = visits_of(data).values("job")
    found = (
        Closure.objects.filter(job__in=jobs)
        .values("code", "description", "secondary_code", "secondary_description")
        .annotate(number=Count("pk"))
        .order_by("-number", "code", "secondary_code")
    )
    return [
        CodeRow(
            row["code"],
            row["description"],
            f"{row['secondary_code']} {row['secondary_description']}".strip(),
            row["number"],
        )
        for row in found
    ]


def failure_rows(data: dict[str, Any]) -> list[tuple[int, int]]:
    """(result id, number) of provisioning results that were no success; one query."""
    jobs = visits_of(data).values("job")
    found = ProvisioningResult.objects.filter(job__in=jobs, success=False).values("result_id")
    return list(found.annotate(number=Count("pk")).order_by("result_id").values_list("result_id", "number"))


def missed_rows(data: dict[str, Any]) -> list[MissedRow]:
    """Visits that came too late or not at all, and closures that were no success; at most MOST_MISSED, the newest
    first; two queries."""
    success = [code.code for code in codes.list_codes().values() if code.succeeds]
    is_late = Q(arrived_at__gt=F("job__window_end"))
    is_absent = Q(arrived_at=None, job__window_end__lt=timezone.now(), job__state__in=BEFORE_ARRIVAL)
    is_failed = Q(job__closure__isnull=False) & ~Q(job__closure__code__in=success)
    found = (
        visits_of(data)
        .filter(is_late | is_absent | is_failed)
        .select_related("job__closure", "engineer__user")
        .annotate(photos=Count("job__photos__stored_at"))
        .order_by("-job__window_start", "-pk")
    )
    rows = [_missed_row(visit) for visit in found[:MOST_MISSED]]
    return [row for row in rows if row is not None]


def _missed_row(visit: Any) -> MissedRow | None:
    closure = getattr(visit.job, "closure", None)
    is_late = visit.arrived_at is None or visit.arrived_at > visit.job.window_end
    party = party_of(closure.code) if closure else None
    if party is None and is_late:
        # nobody came in time, whatever was done afterwards
        party = FaultParty.SELLER
    if party is None:
        return None
    return MissedRow(
        job_id=visit.job.provider_job_id,
        window=formatting.format_window_with_day(visit.job),
        engineer=visit.engineer.name,
        code=closure.code if closure else "",
        party=str(party.label),
        evidence=_evidence(visit),
    )


def _evidence(visit: Any) -> str:
    parts = [
        _("On site %(at)s") % {"at": formatting.format_moment(visit.arrived_at)}
        if visit.arrived_at
        else _("Nobody on site"),
        _("photos: %(number)s") % {"number": visit.photos},
    ]
    return ", ".join(parts)


def calibration_groups(data: dict[str, Any], *, now: datetime) -> list[CalibrationGroup]:
    """Hourly forecasts by their chance, beside what happened; one query. Of visits that were moved afterwards, or whose
    job the seller cancelled, nothing can be said."""
    recorded = (
        RecordedChance.objects.filter(
            visit__in=visits_of(data),
            visit__planned_start=F("planned_start"),
            visit__job__window_end__lte=now,
        )
        .exclude(visit__job__state=JobState.CANCELLED)
        .values_list("chance", "visit__arrived_at", "visit__job__window_end")
    )
    return calibrate(
        (chance, arrived_at is not None and arrived_at <= window_end)
        for chance, arrived_at, window_end in recorded.iterator()
    )
