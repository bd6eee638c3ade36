"""Lists in pages by cursor: keyset pagination over the primary key, so that nothing is left out or repeated while rows
are added."""

import base64
import binascii
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request

from board.form_inputs import UNUSUAL_YEAR
from engineers.input_values import is_usual, is_usual_day
from partner_api.api_view import absolute

USUAL_SIZE, MOST_SIZE = 50, 200


class UtcMomentField(serializers.DateTimeField):
    """An instant: with an offset on the way in, in UTC on the way out."""

    def enforce_timezone(self, value: datetime) -> datetime:
        if value.tzinfo is None or not is_usual(value):
            raise serializers.ValidationError(
                _("Enter the time with its UTC offset, for example 2026-11-23T08:00:00Z.")
            )
        return value

    def to_representation(self, value: datetime | None) -> str | None:
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z") if value else None


class QueryDayField(serializers.DateField):
    """A day of a usual year."""

    default_error_messages = {"unusual_year": UNUSUAL_YEAR}

    def to_internal_value(self, value: Any) -> date:
        day: date = super().to_internal_value(value)
        if not is_usual_day(day):
            self.fail("unusual_year")
        return day


class CursorField(serializers.CharField):
    """Where a page goes on: opaque for the caller, the key of the row before for us."""

    def to_internal_value(self, value: Any) -> int:
        try:
            return int(base64.urlsafe_b64decode(str(value).encode()).decode("ascii").removeprefix("after:"))
        except (binascii.Error, ValueError) as problem:
            text = _("This cursor is not valid. Start without one, and follow the address in “next”.")
            raise serializers.ValidationError(text) from problem


def write_cursor(key: int) -> str:
    return base64.urlsafe_b64encode(f"after:{key}".encode()).decode()


class PageQuerySerializer(serializers.Serializer[Any]):
    cursor = CursorField(required=False, help_text="From the address in `next`.")
    page_size = serializers.IntegerField(min_value=1, max_value=MOST_SIZE, default=USUAL_SIZE)


@dataclass(frozen=True)
class ResultPage:
    """Rows of one page; `next` is the address of the next, None after the last."""

    rows: list[Any]
    next: str | None


def read_page(rows: "QuerySet[Any]", query: dict[str, Any], request: Request) -> ResultPage:
    """One query, and those that `rows` prefetches."""
    size = query["page_size"]
    found = list(rows.order_by("pk").filter(pk__gt=query.get("cursor", 0))[: size + 1])
    if len(found) <= size:
        return ResultPage(found, None)
    parameters = request.query_params.copy()
    parameters["cursor"] = write_cursor(found[size - 1].pk)
    return ResultPage(found[:size], absolute(f"{request.path}?{parameters.urlencode()}"))
