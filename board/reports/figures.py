"""The figures of a report, counted by the database: one query for each kind of row, however many visits."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Case, Count, ExpressionWrapper, F, FloatField, Func, IntegerField, Q, Sum, When
from django.db.models.expressions import Combinable
from django.db.models.lookups import LessThanOrEqual
from django.db.models.sql.compiler import SQLCompiler
from django.utils.translation import gettext as _

from board import formatting
from board.reports.report_filter import visits_of
from closures import codes
from closures.question_matrix.translations import name_for_reader, text_for_reader
from closures.work_ends import WAS_SENT_BACK, WORK_END
from dispatch.agreed_starts import BEGUN_IN_WINDOW, LATEST_START
from dispatch.ont_scans import FAILED_RESULTS
from dispatch.states import JobState, JobType
from engineers.models import Engineer
from engineers.shifts import local_time

CLOSURE_COLUMNS = ("code", "description", "secondary_code", "secondary_description")
COLUMNS: dict[str, tuple[str, ...]] = {
    "day": ("job__window_start",),
    "engineer": ("engineer_key",),
    "area": ("engineer__area__name",),
    "job_type": ("job__job_type",),
}
CALIBRATION_GROUPS = 10


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


MEANS = ("travel", "on_site", "message_delay")
NUMBERS = [name for name in FigureRow.__dataclass_fields__ if name not in {"label", *MEANS}]


@dataclass(frozen=True)
class CodeRow:
    """`name` in the reader's words with the code; `area` only where the report is grouped by it."""

    code: str
    name: str
    description: str
    secondary: str
    number: int
    area: str = ""


class Seconds(Func):
    """Seconds from `start` to `end`, counted by the database itself: Django's own difference of two times is a Python
    function on SQLite, called for each row."""

    template, arg_joiner = "EXTRACT(EPOCH FROM (%(expressions)s))", " - "
    output_field = FloatField()

    def __init__(self, end: str | Combinable, start: str) -> None:
        super().__init__(end, start)

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **extra: Any
    ) -> tuple[str, Any]:
        days = {"template": "86400.0 * (julianday(%(expressions)s))", "arg_joiner": ") - julianday("}
        return self.as_sql(compiler, connection, **days, **extra)


TRAVEL = Seconds("arrived_at", "travel_started_at")
ON_SITE = Seconds(WORK_END, "arrived_at")
MESSAGE_DELAY = Seconds("job__outbound_messages__sent_at", "job__outbound_messages__event__occurred_at")


def figure_rows(data: dict[str, Any]) -> list[FigureRow]:
    """By what `data["by"]` says; four queries, since a join with two lists would count each pair, and one of names.

    The database groups by what it can compare fast, the start of the window and the engineer's key: the local date and
    the name come from Python, once for each group.
    """
    by, columns = data["by"], COLUMNS[data["by"]]
    names = _names() if by == "engineer" else {}
    success = [code.code for code in codes.list_codes().values() if code.succeeds]
    is_success = Q(job__closure__code__in=success)
    # `+ 0`: SQLite would read all visits ever by the index of their engineers, only to have them in groups
    key = ExpressionWrapper(F("engineer_id") + 0, output_field=IntegerField())
    groups = visits_of(data).annotate(engineer_key=key).order_by().values(*columns)
    found: dict[tuple[Any, ...], Counter[str]] = {}
    for counted in (
        groups.annotate(
            visits=Count("pk"),
            arrived=Count("arrived_at"),
            # who goes on with a job that a colleague has begun in time arrives when the office planned it
            on_time=Count("arrived_at", filter=Q(arrived_at__lte=LATEST_START) | Q(BEGUN_IN_WINDOW)),
            closed=Count("job__closure"),
            first_visit=Count("pk", filter=is_success & Q(job__previous_provider_job_id="")),
            travel_sum=Sum(TRAVEL),
            travel=Count(TRAVEL),
            on_site_sum=Sum(ON_SITE, filter=~WAS_SENT_BACK),
            on_site=Count(ON_SITE, filter=~WAS_SENT_BACK),
        ),
        groups.annotate(
            failed_scans=Count("job__results", filter=Q(job__results__result_id__in=FAILED_RESULTS))
        ),
        groups.annotate(photos=Count("job__photos"), photos_stored=Count("job__photos__stored_at")),
        groups.annotate(message_delay_sum=Sum(MESSAGE_DELAY), message_delay=Count(MESSAGE_DELAY)),
    ):
        for row in counted:
            group = _key(by, tuple(row.pop(name) for name in columns), names)
            found.setdefault(group, Counter()).update({name: value or 0 for name, value in row.items()})
    return [_figure_row(_label(by, key), row) for key, row in sorted(found.items(), key=_order)]


def _names() -> dict[int, tuple[str, str]]:
    """Of each engineer's key, with the staff number, which tells two of one name apart."""
    engineers = Engineer.objects.select_related("user")
    return {engineer.pk: (engineer.name, engineer.staff_number) for engineer in engineers}


def _key(by: str, key: tuple[Any, ...], names: Mapping[int, tuple[Any, ...]]) -> tuple[Any, ...]:
    if by == "day":
        return (local_time(key[0]).date(),)
    return names[key[0]] if by == "engineer" else key


def _order(group: tuple[tuple[Any, ...], dict[str, Any]]) -> tuple[str, ...]:
    return tuple(str(part or "") for part in group[0])


def _figure_row(label: str, row: Counter[str]) -> FigureRow:
    numbers: dict[str, Any] = {name: int(row[name]) for name in NUMBERS}
    means: dict[str, Any] = {
        name: timedelta(seconds=row[f"{name}_sum"] / row[name]) if row[name] else None for name in MEANS
    }
    return FigureRow(label=label, **numbers, **means)


def _label(by: str, key: tuple[Any, ...]) -> str:
    if by == "day":
        return formatting.format_day(key[0])
    if by == "engineer":
        return str(key[0])
    if by == "area":
        return str(key[0] or _("No area"))
    return str(JobType(key[0]).label)


def code_rows(data: dict[str, Any]) -> list[CodeRow]:
    """Closures by code and secondary code, the most frequent first, and in each area where the report is grouped by
    areas; one query."""
    areas = COLUMNS["area"] if data["by"] == "area" else ()
    found = (
        visits_of(data)
        .filter(job__closure__isnull=False)
        .values_list(*(f"job__closure__{name}" for name in CLOSURE_COLUMNS), *areas)
        .annotate(number=Count("pk"))
        .order_by(*areas, "-number", "job__closure__code", "job__closure__secondary_code")
    )
    return [_code_row(*row[:4], number=row[-1], area=row[4:-1]) for row in found]


def _code_row(
    code: str,
    description: str,
    secondary: str,
    secondary_description: str,
    *,
    number: int,
    area: tuple[str | None, ...],
) -> CodeRow:
    label = _label("area", area) if area else ""
    second = f"{secondary} {text_for_reader(secondary_description)}".strip()
    return CodeRow(code, name_for_reader(code), text_for_reader(description), second, number, label)


def failure_rows(data: dict[str, Any]) -> list[tuple[int, int]]:
    """(result id, number) of provisioning results that were no success; one query."""
    found = visits_of(data).filter(job__results__success=False).values_list("job__results__result_id")
    return list(found.annotate(number=Count("pk")).order_by("job__results__result_id"))


@dataclass(frozen=True)
class CalibrationGroup:
    """Forecasts from `lowest` up to `lowest` + 10 points. `forecast` and `happened`: the mean chance and the share that
    began in time; all in percent."""

    lowest: int
    number: int
    forecast: float
    happened: float

    @property
    def difference(self) -> float:
        """In points; above 0, the forecast was too gloomy."""
        return self.happened - self.forecast


def build_group(number: int, size: int, chances: float, in_time: int) -> CalibrationGroup:
    """From the sum of the chances of one group and how many of its visits began in time."""
    return CalibrationGroup(
        lowest=number * 100 // CALIBRATION_GROUPS,
        number=size,
        forecast=100 * chances / size,
        happened=100 * in_time / size,
    )


def calibration_groups(data: dict[str, Any], *, now: datetime) -> list[CalibrationGroup]:
    """Hourly forecasts by their chance, with what happened; one query. Without visits that were moved afterwards, whose
    job was begun in time before, or whose job the seller cancelled: they prove nothing."""
    limits = [
        When(recorded_chances__chance__lt=(number + 1) / CALIBRATION_GROUPS, then=number)
        for number in range(CALIBRATION_GROUPS - 1)
    ]
    found = (
        visits_of(data)
        .filter(LessThanOrEqual(LATEST_START, now), recorded_chances__planned_start=F("planned_start"))
        .exclude(BEGUN_IN_WINDOW)
        .exclude(job__state=JobState.CANCELLED)
        .annotate(group=Case(*limits, default=CALIBRATION_GROUPS - 1, output_field=IntegerField()))
        .order_by("group")
        .values_list("group")
        .annotate(
            number=Count("recorded_chances"),
            chances=Sum("recorded_chances__chance"),
            in_time=Count("recorded_chances", filter=Q(arrived_at__lte=LATEST_START)),
        )
    )
    return [build_group(*row) for row in found]


def mean_difference(groups: Iterable[CalibrationGroup]) -> float:
    """In points, each group by its size; 0 for none."""
    known = list(groups)
    size = sum(group.number for group in known)
    return sum(abs(group.difference) * group.number for group in known) / size if size else 0.0
