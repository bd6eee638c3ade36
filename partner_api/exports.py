"""Rows of a period for spreadsheets and data stores, as CSV or JSON lines, read and written piece by piece.

Times are in UTC, durations in minutes. No row names a customer; engineers stand there with staff number and name.
"""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from itertools import chain
from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from closures.safe_csv import stream_csv
from partner_api import export_rows
from partner_api.export_rows import Period, Row

MOST_DAYS_OF_EXPORT = 366


class ExportKind(models.TextChoices):
    JOBS = "jobs", _("Jobs by appointment")
    CLOSURES = "closures", _("Closures by closing time")
    EVIDENCE = "evidence", _("Evidence by the time it was taken")
    WORKING_TIMES = "working_times", _("Working times by engineer and day")


class ExportFormat(models.TextChoices):
    CSV = "csv", "CSV"
    JSON_LINES = "jsonl", _("JSON lines")


CONTENT_TYPES = {ExportFormat.CSV: "text/csv; charset=utf-8", ExportFormat.JSON_LINES: "application/jsonl"}


# the columns in their order, and what reads the rows
EXPORTS: dict[ExportKind, tuple[tuple[str, ...], Callable[[Period], Iterator[Row]]]] = {
    ExportKind.JOBS: (
        (
            *("number", "seller_job_number", "type", "state", "received_at", "window_start", "window_end"),
            *("duration_minutes", "postcode", "area", "product", "flags", "buyer_order_reference"),
            *("seller_order_reference", "engineer", "second_engineer", "planned_start", "planned_end"),
            *("travel_started_at", "arrived_at", "ended_at"),
        ),
        export_rows.job_rows,
    ),
    ExportKind.CLOSURES: (
        (
            *("number", "type", "code", "description", "secondary_code", "secondary_description"),
            *("closed_at", "recorded_at", "engineer", "without_visit"),
        ),
        export_rows.closure_rows,
    ),
    ExportKind.EVIDENCE: (
        (
            *("number", "id", "question", "taken_at", "stored_at", "sha256", "content_type", "size_bytes"),
            *("engineer", "purged_at"),
        ),
        export_rows.evidence_rows,
    ),
    ExportKind.WORKING_TIMES: (
        (
            *("engineer", "name", "day", "rostered_minutes", "first_start", "last_end", "visits"),
            *("travel_minutes", "on_site_minutes"),
        ),
        export_rows.working_time_rows,
    ),
}


def stream(kind: ExportKind, period: Period, file_format: ExportFormat) -> Iterator[bytes]:
    """The file piece by piece; a file without rows still has its columns."""
    columns, read = EXPORTS[kind]
    rows = read(period)
    if file_format == ExportFormat.CSV:
        cells = ([_cell(row[column]) for column in columns] for row in rows)
        yield from stream_csv(chain([list(columns)], cells))
    else:
        for row in rows:
            yield f"{json.dumps({name: _json(row[name]) for name in columns})}\n".encode()


def export_name(kind: ExportKind, period: Period, file_format: ExportFormat) -> str:
    return f"{kind}_{period.first.isoformat()}_{period.last.isoformat()}.{file_format}"


def _utc(value: Any) -> Any:
    return value.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z") if value else None


def _json(value: Any) -> Any:
    return _utc(value) if isinstance(value, datetime) else str(value) if isinstance(value, date) else value


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else _json(value)
