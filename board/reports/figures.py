"""The figures of a report, counted by the database: one query for each kind of row, however many visits."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Case, Count, ExpressionWrapper, F, FloatField, Func, IntegerField, Q, Sum, When
from django.db.models.expressions import Combinable
from django.db.models.lookups import LessThan, LessThanOrEqual
from django.db.models.sql.compiler import SQLCompiler
from django.utils import timezone
from django.utils.translation import gettext as _

from board import formatting
from board.reports.report_filter import visits_of
from board.reports.unneeded_photos import groups_of_unneeded_photos
from closures import codes
from closures.question_matrix.translations import name_for_reader, text_for_reader
from closures.work_ends import WAS_SENT_BACK, WORK_END
from dispatch.agreed_starts import BEGUN_IN_WINDOW, LATEST_START
from dispatch.models import VisitQuerySet
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
    """One group: numbers, and mean times as durations; None where there is nothing to count. `due`: visits that
    somebody made, or whose time is over; `first_closed`: closed jobs that follow no earlier one, `first_success`: those
    of them that ended well."""

    label: str
    visits: int
    due: int
    on_time: int
    first_closed: int
    first_success: int
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
    """`name` in the reader's words with the code; `group` only where the report is grouped, but not by days: a table of
    each day would be a long one."""

    code: str
    name: str
    description: str
    secondary: str
    number: int
    group: str = ""


@dataclass(frozen=True)
class FailureRow:
    """`result`: the id of a provisioning result that was no success; `group` as in CodeRow."""

    result: int
    number: int
    group: str = ""


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


# `+ 0`: SQLite would read all visits ever by the index of their engineers, only to have them in groups
ENGINEER_KEY = ExpressionWrapper(F("engineer_id") + 0, output_field=IntegerField())
TRAVEL = Seconds("arrived_at", "travel_started_at")
ON_SITE = Seconds(WORK_END, "arrived_at")
MESSAGE_DELAY = Seconds("job__outbound_messages__sent_at", "job__outbound_messages__event__occurred_at")


def figure_rows(data: dict[str, Any]) -> list[FigureRow]:
    """By what `data["by"]` says; four queries, since a join with two lists would count each pair, and three of names
    and of photos that never arrived.

    The database groups by what it can compare fast, the start of the window and the engineer's key: the local date and
    the name come from Python, once for each group.
    """
    by, columns = data["by"], COLUMNS[data["by"]]
    names = _names() if by == "engineer" else {}
    success = [code.code for code in codes.list_codes().values() if code.succeeds]
    is_success = Q(job__closure__code__in=success)
    # the pack names the visit before, or says only what it is
    is_first = Q(job__previous_provider_job_id="") & ~Q(job__job_type=JobType.REVISIT)
    groups = visits_of(data).annotate(engineer_key=ENGINEER_KEY).order_by().values(*columns)
    found: dict[tuple[Any, ...], Counter[str]] = {}
    for counted in (
        groups.annotate(
            visits=Count("pk"),
            due=Count("pk", filter=Q(arrived_at__isnull=False) | _is_missed()),
            # who goes on with a job that a colleague has begun in time arrives when the office planned it
            on_time=Count("arrived_at", filter=Q(arrived_at__lte=LATEST_START) | Q(BEGUN_IN_WINDOW)),
            first_closed=Count("job__closure", filter=is_first),
            first_success=Count("pk", filter=is_success & is_first),
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
    for key in groups_of_unneeded_photos(groups, columns):
        found[_key(by, key, names)]["photos"] -= 1
    return [_figure_row(_label(by, key), row) for key, row in sorted(found.items(), key=_order)]


def _is_missed() -> Q:
    """Nobody came until their time was over, and the job was neither cancelled nor closed before."""
    is_over = Q(LessThan(LATEST_START, timezone.now()))
    is_open = Q(job__closure__isnull=True) | Q(job__closure__closed_at__gt=LATEST_START)
    return Q(arrived_at=None) & is_over & is_open & ~Q(job__state=JobState.CANCELLED)


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
    """Closures by code and secondary code, the most frequent first, in each group of the report; one query, one more
    for engineers."""
    fields = [f"job__closure__{name}" for name in CLOSURE_COLUMNS]
    closed = visits_of(data).filter(job__closure__isnull=False)
    found = [
        (label, CodeRow(code, name_for_reader(code), *_code_texts(texts), number, label))
        for label, (code, *texts), number in _counted_groups(data, closed, fields)
    ]
    return [row for _label, row in sorted(found, key=lambda pair: (pair[0], -pair[1].number))]


def _code_texts(texts: Sequence[str]) -> tuple[str, str]:
    description, secondary, secondary_description = texts
    return (
        text_for_reader(description),
        f"{secondary} {text_for_reader(secondary_description)}".strip(),
    )


def failure_rows(data: dict[str, Any]) -> list[FailureRow]:
    """Provisioning results that were no success, in each group of the report; queries as code_rows."""
    failed = visits_of(data).filter(job__results__success=False)
    found = _counted_groups(data, failed, ["job__results__result_id"])
    rows = [FailureRow(result, number, label) for label, (result,), number in found]
    return sorted(rows, key=lambda row: (row.group, row.result))


def _counted_groups(
    data: dict[str, Any], visits: VisitQuerySet, fields: Sequence[str]
) -> Iterator[tuple[str, tuple[Any, ...], int]]:
    """(label of the group, values of the fields, number); one group, without a label, where the report is by days."""
    by = data["by"]
    columns = () if by == "day" else COLUMNS[by]
    names = _names() if by == "engineer" else {}
    counted = visits.annotate(engineer_key=ENGINEER_KEY).order_by().values_list(*fields, *columns)
    for *values, number in counted.annotate(number=Count("pk")).order_by(*fields):
        key = tuple(values[len(fields) :])
        label = _label(by, _key(by, key, names)) if columns else ""
        yield label, tuple(values[: len(fields)]), number


@dataclass(frozen=True)
class CalibrationGroup:
    """Forecasts from `lowest` up to `lowest` + 10 points. `forecast` and `happened`: the mean probability and the share
    that began in time; all in percent."""

    lowest: int
    number: int
    forecast: float
    happened: float

    @property
    def difference(self) -> float:
        """In points; above 0, the forecast was too gloomy."""
        return self.happened - self.forecast


def build_group(number: int, size: int, probabilities: float, in_time: int) -> CalibrationGroup:
    """From the sum of the probabilities of one group and how many of its visits began in time."""
    return CalibrationGroup(
        lowest=number * 100 // CALIBRATION_GROUPS,
        number=size,
        forecast=100 * probabilities / size,
        happened=100 * in_time / size,
    )


def calibration_groups(data: dict[str, Any], *, now: datetime) -> list[CalibrationGroup]:
    """Hourly forecasts by their probability, with what happened; one query. Without visits that were moved afterwards,
    whose job was begun in time before, or whose job the seller cancelled: they prove nothing."""
    limits = [
        When(recorded_forecasts__probability__lt=(number + 1) / CALIBRATION_GROUPS, then=number)
        for number in range(CALIBRATION_GROUPS - 1)
    ]
    found = (
        visits_of(data)
        .filter(LessThanOrEqual(LATEST_START, now), recorded_forecasts__planned_start=F("planned_start"))
        .exclude(BEGUN_IN_WINDOW)
        .exclude(job__state=JobState.CANCELLED)
        .annotate(group=Case(*limits, default=CALIBRATION_GROUPS - 1, output_field=IntegerField()))
        .order_by("group")
        .values_list("group")
        .annotate(
            number=Count("recorded_forecasts"),
            probabilities=Sum("recorded_forecasts__probability"),
            in_time=Count("recorded_forecasts", filter=Q(arrived_at__lte=LATEST_START)),
        )
    )
    return [build_group(*row) for row in found]


def mean_difference(groups: Iterable[CalibrationGroup]) -> float:
    """In points, each group by its size; 0 for none."""
    known = list(groups)
    size = sum(group.number for group in known)
    return sum(abs(group.difference) * group.number for group in known) / size if size else 0.0
