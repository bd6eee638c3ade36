"""Exports for programs: a file of a period, streamed."""

from typing import Any

from django.http import HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request

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
from partner_api.models import Scope
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
        return stream_download(ExportKind(kind), period, ExportFormat(file_format))


def stream_download(kind: ExportKind, period: Period, file_format: ExportFormat) -> StreamingHttpResponse:
    """To save under a name that says what it holds; no browser keeps a copy of its own."""
    name = export_name(kind, period, file_format)
    headers = {
        "Content-Disposition": content_disposition_header(as_attachment=True, filename=name) or "",
        "Cache-Control": "no-store",
    }
    content_type = CONTENT_TYPES[file_format]
    return StreamingHttpResponse(
        stream(kind, period, file_format), content_type=content_type, headers=headers
    )
