"""Exports for programs: a file of a period, streamed."""

import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from django.http import HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request

from engineers.audit import record_audit
from engineers.models import User
from engineers.throttling import RateLimit
from monitoring.middleware import ServiceBusy
from partner_api.api_view import NotThere, PartnerApiView
from partner_api.export_rows import Period
from partner_api.exports import (
    CONTENT_TYPES,
    MOST_DAYS_OF_EXPORT,
    ExportFormat,
    ExportKind,
    export_name,
    stream,
)
from partner_api.models import AccessToken, Scope
from partner_api.pages import QueryDayField


class ExportQuerySerializer(serializers.Serializer[Any]):
    first = QueryDayField(help_text="The first day.")
    last = QueryDayField(help_text=f"The last day; at most {MOST_DAYS_OF_EXPORT} days.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        days = (attrs["last"] - attrs["first"]).days + 1
        if not 1 <= days <= MOST_DAYS_OF_EXPORT:
            text = _("Choose a last day that is not before the first, at most %(most)d days in all.")
            raise serializers.ValidationError({"last": [text % {"most": MOST_DAYS_OF_EXPORT}]})
        return attrs


class ExportView(PartnerApiView):
    scope = Scope.EXPORTS_READ
    rate_limit = RateLimit("partner_export", 20)
    query_serializer = ExportQuerySerializer

    def get(self, _request: Request, kind: str, file_format: str) -> HttpResponseBase:
        """The rows of the period as a file: `jobs`, `closures`, `evidence` or `working_times`, as `csv` or `jsonl`."""
        query = self.read_query()
        if kind not in ExportKind.values or file_format not in ExportFormat.values:
            kinds, formats = ", ".join(ExportKind.values), ", ".join(ExportFormat.values)
            text = _("There is no such export. Exports: %(kinds)s. Formats: %(formats)s.")
            raise NotThere(text % {"kinds": kinds, "formats": formats})
        limited = self.token.is_limited_to_areas
        areas = [area.pk for area in self.token.areas.all()] if limited else None
        period = Period(query["first"], query["last"], areas)
        return stream_download(ExportKind(kind), period, ExportFormat(file_format), to=self.token)


class ExportBusy(ServiceBusy):
    """This web process writes an export already."""

    part = "export"


_slot = threading.BoundedSemaphore(1)


def _alone(pieces: Iterator[bytes], record: Callable[[], object]) -> Iterator[bytes]:
    """One export at a time in each web process: a year of working times takes a thread for long, and a few of them
    would take all threads of the office's pages. With the first piece, which is empty, it has the slot and is
    recorded; its end frees the slot, also where nobody reads on. Raises ExportBusy instead of the first piece."""
    if not _slot.acquire(blocking=False):
        raise ExportBusy
    try:
        record()
        yield b""
        yield from pieces
    finally:
        _slot.release()


def stream_download(
    kind: ExportKind, period: Period, file_format: ExportFormat, *, to: User | AccessToken
) -> StreamingHttpResponse:
    """To save under a name that says what it holds; no browser keeps a copy of its own. Audited: it may hold the
    working times of people. Raises ExportBusy."""
    pieces = _alone(stream(kind, period, file_format), partial(_record, kind, period, to))
    next(pieces)
    name = export_name(kind, period, file_format)
    headers = {
        "Content-Disposition": content_disposition_header(as_attachment=True, filename=name) or "",
        "Cache-Control": "no-store",
    }
    content_type = CONTENT_TYPES[file_format]
    return StreamingHttpResponse(pieces, content_type=content_type, headers=headers)


def _record(kind: ExportKind, period: Period, to: User | AccessToken) -> None:
    facts: dict[str, Any] = {"days": [period.first.isoformat(), period.last.isoformat()]}
    if isinstance(to, User):
        record_audit(actor=to, action="exported", subject=str(kind), after=facts)
    else:
        facts = {**facts, "kind": str(kind), "token": to.pk}
        record_audit(actor=None, action="exported_by_token", subject=to.name, after=facts)
