"""A report as a page: totals, bars and tables; and the same tables as CSV."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from board import formatting
from board.event_descriptions import result_text
from board.links import Link, engineer_links
from board.models import FilterPage
from board.reports.figures import (
    CodeRow,
    FigureRow,
    calibration_groups,
    code_rows,
    failure_rows,
    figure_rows,
    mean_difference,
)
from board.reports.missed_appointments import NOBODY, missed_rows
from board.reports.report_filter import GROUPINGS, ReportFilterForm
from board.saved_filters import SavedFilterLine, clean_query, list_filters
from closures.safe_csv import write_csv
from engineers.permissions import user_of

MINUTE = timedelta(minutes=1)
# bars of a chart
MOST_CODES = 15
# rows on the page, and in its file: what one statement of SQLite takes as values
MOST_MISSED, MOST_IN_FILE = 200, 30_000


@dataclass(frozen=True)
class Bar:
    """One bar of a chart: `width` in per cent of the widest."""

    label: str
    text: str
    width: float


@dataclass(frozen=True)
class Chart:
    """`links`: engineers whom its labels name."""

    title: str
    bars: list[Bar]
    links: tuple[Link, ...] = ()


@dataclass(frozen=True)
class Table:
    """`key` names it in the address of its CSV. Cells are texts; the first of a row names it. `link_first`: it is a
    job's number."""

    key: str
    title: str
    head: list[str]
    rows: list[list[str]]
    hint: str
    link_first: bool = False
    # engineers whom cells name
    links: tuple[Link, ...] = ()


@dataclass(frozen=True)
class ReportPage:
    form: ReportFilterForm
    filter_query: str
    charts: list[Chart]
    tables: list[Table]
    saved: list[SavedFilterLine]


def report_page(request: HttpRequest, form: ReportFilterForm) -> ReportPage:
    """Without tables while the filter has errors."""
    query = clean_query(FilterPage.REPORTS, request.GET.urlencode())
    saved = list_filters(user_of(request), FilterPage.REPORTS)
    if not form.is_valid():
        return ReportPage(form, query, [], [], saved)
    data = form.cleaned_data
    rows, closures = figure_rows(data), code_rows(data)
    figures = _figures_table(data, rows)
    tables = [
        figures,
        _closures_table(data, closures),
        _failures_table(data),
        _missed_table(data, most=MOST_MISSED),
        _forecasts_table(data),
    ]
    charts = _charts(rows, closures, people=figures.links)
    return ReportPage(form, query, charts, [table for table in tables if table.rows], saved)


def report_table(form: ReportFilterForm, key: str) -> Table | None:
    """The one table of this key, whole, for its CSV; the form must be valid."""
    data = form.cleaned_data
    if key == "figures":
        return _figures_table(data, figure_rows(data))
    if key == "closures":
        return _closures_table(data, code_rows(data))
    if key == "missed":
        return _missed_table(data, most=MOST_IN_FILE)
    tables = {"failures": _failures_table, "forecasts": _forecasts_table}
    return tables[key](data) if key in tables else None


def _figures_table(data: dict[str, Any], rows: Sequence[FigureRow]) -> Table:
    head = [
        str(GROUPINGS[data["by"]]),
        _("Visits"),
        _("On-time arrival"),
        _("First-visit success"),
        _("Travel"),
        _("On site"),
        _("Failed provisioning"),
        _("Photos stored"),
        _("Message delay"),
    ]
    hint = _("A visit counts on the day on which the customer's window begins; times are means.")
    engineers = engineer_links(*(row.label for row in rows if data["by"] == "engineer"))
    cells = [_figure_cells(row) for row in rows]
    return Table("figures", _("Figures"), head, cells, hint, links=engineers)


def _figure_cells(row: FigureRow) -> list[str]:
    return [
        row.label,
        str(row.visits),
        _share(row.on_time, row.due),
        _share(row.first_success, row.first_closed),
        _mean(row.travel),
        _mean(row.on_site),
        str(row.failed_scans),
        _share(row.photos_stored, row.photos),
        _delay(row.message_delay),
    ]


def _share(part: int, whole: int) -> str:
    return f"{100 * part // whole} % ({part}/{whole})" if whole else "–"


def _mean(span: timedelta | None) -> str:
    return formatting.format_duration(timedelta(minutes=round(span / MINUTE))) if span is not None else "–"


def _delay(span: timedelta | None) -> str:
    """`42 s` below a minute, then as every other duration."""
    if span is None or round(span.total_seconds()) >= MINUTE.seconds:
        return _mean(span)
    return f"{span.total_seconds():.0f} s"


def _closures_table(data: dict[str, Any], closures: Sequence[CodeRow]) -> Table:
    head = [_("Code"), _("Description"), _("Secondary code"), _("Number")]
    rows = [[row.code, row.description, row.secondary, str(row.number)] for row in closures]
    return _grouped(
        Table("closures", _("Closures"), head, rows, ""), [row.group for row in closures], data["by"]
    )


def _failures_table(data: dict[str, Any]) -> Table:
    failures = failure_rows(data)
    head = [_("Result"), _("Number")]
    rows = [[result_text(row.result, details=""), str(row.number)] for row in failures]
    table = Table("failures", _("Failed provisioning"), head, rows, "")
    return _grouped(table, [row.group for row in failures], data["by"])


def _grouped(table: Table, groups: Sequence[str], by: str) -> Table:
    """With the group of each row before it, where the report is grouped by anything but days."""
    if by == "day":
        return table
    return replace(
        table,
        head=[str(GROUPINGS[by]), *table.head],
        rows=[[group, *row] for group, row in zip(groups, table.rows, strict=True)],
        links=engineer_links(*dict.fromkeys(groups)) if by == "engineer" else (),
    )


def _missed_table(data: dict[str, Any], *, most: int) -> Table:
    head = [_("Job"), _("Window"), _("Engineer"), _("Outcome"), _("At fault"), _("Evidence")]
    rows = [
        [row.job_id, row.window, row.engineer, row.outcome, row.party, row.evidence]
        for row in missed_rows(data, most=most)
    ]
    hint = _(
        "Late, nobody on site, or closed without success; the newest %(number)s at most. The CSV file has all."
    )
    links = engineer_links(*dict.fromkeys(row[2] for row in rows if row[2] != NOBODY))
    title = _("Missed appointments")
    return Table("missed", title, head, rows, hint % {"number": most}, link_first=True, links=links)


def _forecasts_table(data: dict[str, Any]) -> Table:
    groups = calibration_groups(data, now=timezone.now())
    rows = [
        [
            f"{group.lowest}–{group.lowest + 10} %",
            f"{group.forecast:.0f} %",
            f"{group.happened:.0f} %",
            str(group.number),
        ]
        for group in groups
    ]
    head = [_("Chance"), _("Forecast"), _("Began in the window"), _("Forecasts")]
    hint = _(
        "Hourly forecasts that a visit begins in its window, and what happened; mean difference %(points).1f points."
    )
    return Table("forecasts", _("Forecasts"), head, rows, hint % {"points": mean_difference(groups)})


def _charts(
    rows: Sequence[FigureRow], closures: Sequence[CodeRow], *, people: tuple[Link, ...]
) -> list[Chart]:
    on_time = [
        (row.label, _share(row.on_time, row.due), 100 * row.on_time / row.due) for row in rows if row.due
    ]
    first = [
        (row.label, _share(row.first_success, row.first_closed), 100 * row.first_success / row.first_closed)
        for row in rows
        if row.first_closed
    ]
    codes = _code_bars(closures)
    charts = [
        _chart(_("On-time arrival"), on_time, widest=100, links=people),
        _chart(_("First-visit success"), first, widest=100, links=people),
        _chart(_("Closures by code"), codes, widest=max((number for *_text, number in codes), default=1)),
    ]
    return [chart for chart in charts if chart.bars]


def _code_bars(closures: Sequence[CodeRow]) -> list[tuple[str, str, float]]:
    """The most frequent codes, of all groups together."""
    numbers: Counter[str] = Counter()
    for row in closures:
        # a few codes have themselves for a secondary code
        secondary = "" if row.secondary.split()[:1] == [row.code] else row.secondary
        numbers[" · ".join(filter(None, (row.name, secondary)))] += row.number
    return [(label, str(number), float(number)) for label, number in numbers.most_common(MOST_CODES)]


def _chart(
    title: str, values: Sequence[tuple[str, str, float]], *, widest: float, links: tuple[Link, ...] = ()
) -> Chart:
    return Chart(
        title, [Bar(label, text, round(100 * value / widest, 1)) for label, text, value in values], links
    )


def table_as_csv(table: Table) -> bytes:
    return write_csv([table.head, *table.rows], delimiter=",")
