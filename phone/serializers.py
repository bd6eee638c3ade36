"""The shape of what a phone says: the batch, and the body of each kind. Errors name the field."""

import math
from collections.abc import Iterable
from datetime import UTC
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from rest_framework import serializers

from closures.models import PhotoSource
from closures.question_matrix.matrix import Condition, Matrix, Question
from dispatch.models import ScanSource
from engineers.input_values import PHONE_YEARS, UNSTORABLE, is_usual
from engineers.staff import PositionMissing

MAX_DEPTH = 32
# beyond it JavaScript and some databases round
MAX_NUMBER = 2**53
MAX_DIGITS = 300
MAX_PATH = 100
# of a member
MAX_NAME = 200


class Unstorable(NamedTuple):
    """What cannot be kept: the member, and why."""

    where: str
    message: str


def parse_number(text: str) -> int | float:
    """For parse_json: a number of more digits than Python turns into one is infinite, and refused in its place."""
    return int(text) if len(text) <= MAX_DIGITS else math.inf


def find_unstorable(entry: Any, path: tuple[str | int, ...] = ()) -> Unstorable | None:
    """The first member that cannot be kept in every database and sent on as JSON; `path` leads to `entry`.

    Paths are built on the way down and not for each member at once: one list of a body has 250,000.
    """
    message = _nested_too_deeply() if len(path) > MAX_DEPTH else _why_unstorable(entry)
    if message:
        return Unstorable(_named(path), message)
    found = (find_unstorable(member, (*path, name)) for name, member in _members(entry))
    return next(filter(None, found), None)


def _members(value: Any) -> Iterable[tuple[str | int, Any]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def _nested_too_deeply() -> str:
    return _("Nested too deeply (more than %(depth)s levels).") % {"depth": MAX_DEPTH}


def _why_unstorable(value: Any) -> str:
    if isinstance(value, dict):
        return next(filter(None, map(_why_bad_name, value)), "")
    if isinstance(value, str) and UNSTORABLE.search(value):
        return _("A text contains a character that can't be stored (NUL or an unpaired surrogate).")
    if isinstance(value, int | float) and not (math.isfinite(value) and abs(value) <= MAX_NUMBER):
        return _("A number is too large to be stored.")
    return ""


def _why_bad_name(name: str) -> str:
    if len(name) > MAX_NAME:
        return _("The name of a member is too long (more than %(most)s characters).") % {"most": MAX_NAME}
    return _why_unstorable(name)


def _named(path: tuple[str | int, ...]) -> str:
    """As the errors of a serializer name it: a member of the body without `body`."""
    return ".".join(map(str, path)).removeprefix("body.")[:MAX_PATH] or "message"


class InstantField(serializers.DateTimeField):
    """An instant with an offset; without one nobody knows when it was. In UTC: arithmetic inside the site's zone would
    count wall-clock time."""

    def to_internal_value(self, value: Any) -> Any:
        if isinstance(value, str) and not (value.endswith("Z") or "+" in value[10:] or "-" in value[10:]):
            raise serializers.ValidationError(
                _("Enter the time with its UTC offset, for example 2026-11-23T08:00:00Z.")
            )
        try:
            moment = super().to_internal_value(value)
        except OverflowError:
            moment = None
        if moment is None or not is_usual(moment, years=PHONE_YEARS):
            raise serializers.ValidationError(_("Enter a time between the years 1970 and 2199."))
        return moment.astimezone(UTC)


class PositionSerializer(serializers.Serializer[Any]):
    """A place, or why there is none."""

    latitude = serializers.FloatField(min_value=-90, max_value=90, required=False, allow_null=True)
    longitude = serializers.FloatField(min_value=-180, max_value=180, required=False, allow_null=True)
    accuracy_metres = serializers.FloatField(min_value=0, required=False, allow_null=True)
    missing_because = serializers.CharField(max_length=120, required=False, allow_blank=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if (attrs.get("latitude"), attrs.get("longitude")) == (0, 0):
            # a receiver without a fix; the seller refuses it as a position
            return {"missing_because": PositionMissing.UNAVAILABLE.value}
        known = [name for name in ("latitude", "longitude") if attrs.get(name) is not None]
        if len(known) == 1:
            # half of one is no place; a step that was refused because of it would be lost
            return {"missing_because": attrs.get("missing_because") or PositionMissing.INCOMPLETE.value}
        if not known and not attrs.get("missing_because"):
            raise serializers.ValidationError(_("Enter latitude and longitude, or missing_because."))
        return attrs


class TravelSerializer(serializers.Serializer[Any]):
    position = PositionSerializer()


class ArrivalSerializer(TravelSerializer):
    # the edition whose questions the phone shows; phones of earlier versions don't say it
    matrix = serializers.CharField(max_length=60, required=False)


class ScanSerializer(serializers.Serializer[Any]):
    scan_id = serializers.UUIDField()
    # refused with a sentence by dispatch.ont_scans, so any text may come here
    fsan = serializers.CharField(max_length=200, allow_blank=True)
    serial_number = serializers.CharField(max_length=200, allow_blank=True, default="")
    source = serializers.ChoiceField(choices=ScanSource.choices, default=ScanSource.TYPED)
    duplicate_confirmed = serializers.BooleanField(default=False)


class QuestionCodeField(serializers.RegexField):
    """A question's code exactly: with a line feed at its end it is another code."""

    def __init__(self) -> None:
        super().__init__(r"\A[A-Z][A-Z0-9_]{1,19}\Z", max_length=20, trim_whitespace=False)


class UnfinishedSerializer(serializers.Serializer[Any]):
    unfinished = serializers.BooleanField(
        required=False,
        help_text="The engineer had begun it and could not finish it, because the job had left the phone. It is kept "
        "as a sync conflict and changes nothing.",
    )


class AnswerSerializer(UnfinishedSerializer):
    question = QuestionCodeField()
    value = serializers.JSONField()


class WithdrawalSerializer(serializers.Serializer[Any]):
    question = QuestionCodeField()


class ChecksSerializer(serializers.Serializer[Any]):
    """What the phone found wrong with a picture, and whether it was used all the same."""

    blur = serializers.BooleanField(default=False)
    dark = serializers.BooleanField(default=False)
    unreadable = serializers.BooleanField(default=False)
    used_anyway = serializers.BooleanField(default=False)


class PhotoSerializer(serializers.Serializer[Any]):
    photo_id = serializers.UUIDField()
    question = QuestionCodeField()
    sha256 = serializers.RegexField(r"\A[0-9a-f]{64}\Z", required=False, allow_blank=True, default="")
    taken_at = InstantField()
    source = serializers.ChoiceField(choices=PhotoSource.choices, default=PhotoSource.UNKNOWN)
    position = PositionSerializer(required=False)
    checks = ChecksSerializer(required=False)
    original_sha256 = serializers.RegexField(
        r"\A[0-9a-f]{64}\Z", required=False, allow_blank=True, default=""
    )
    signer = serializers.CharField(max_length=120, required=False, allow_blank=True, default="")


class CloseSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(max_length=40)
    secondary_code = serializers.CharField(max_length=40, allow_blank=True, default="")
    remarks = serializers.CharField(max_length=2000, allow_blank=True, default="")
    checked = serializers.ListField(
        child=serializers.CharField(max_length=40),
        max_length=200,
        required=False,
        help_text="Codes of the questions whose answers don't match the outcome and which the engineer ticked as "
        "checked. With it each such answer must be there; without it nobody was asked.",
    )


class CheckInSerializer(serializers.Serializer[Any]):
    minutes = serializers.IntegerField(min_value=5, max_value=480)


class DrivingSerializer(serializers.Serializer[Any]):
    position = PositionSerializer()


class HandOverSerializer(UnfinishedSerializer):
    reason = serializers.CharField(max_length=500)


class NothingSerializer(serializers.Serializer[Any]):
    """An action without further data."""


class MessageSerializer(serializers.Serializer[Any]):
    """One entry of the phone's queue. `body` is checked by the serializer of its kind."""

    message_id = serializers.UUIDField()
    kind = serializers.CharField(max_length=40)
    job = serializers.CharField(max_length=36)
    occurred_at = InstantField()
    body = serializers.DictField(default=dict)


def flat_errors(errors: Any, *, where: str = "") -> list[tuple[str, str]]:
    """`[("position.latitude", "…")]` from the nested errors of a serializer."""
    if isinstance(errors, dict):
        pairs = [
            (f"{where}.{name}".strip("."), message)
            for name, message in errors.items()
            if name != "non_field_errors"
        ]
        own = flat_errors(errors.get("non_field_errors", []), where=where)
        return [*own, *(found for field, message in pairs for found in flat_errors(message, where=field))]
    return [(where, str(message)) for message in errors]


def serialize_matrix(matrix: Matrix) -> dict[str, Any]:
    """In the shape of the matrix file, which static/js/phone/flow.js reads."""
    return {
        "edition": matrix.edition,
        "name": matrix.name,
        "questions": [_question(question) for question in matrix.questions],
    }


def _question(question: Question) -> dict[str, Any]:
    row: dict[str, Any] = {
        "code": question.code,
        "text": question.text,
        "kind": question.kind,
        "stage": question.stage,
        "job_types": list(question.job_types),
        "mandatory": question.mandatory,
    }
    optional = {
        "hint": question.hint,
        "closures": list(question.closures),
        "unsafe": list(question.unsafe),
        "advice": question.advice,
        "contradicting": list(question.contradicting),
        "choices": [{"code": choice.code, "text": choice.text} for choice in question.choices],
        "when": [_condition(condition) for condition in question.when],
        "line_check": question.line_check,
        **_photo(question),
    }
    return {**row, **{name: value for name, value in optional.items() if value}, **_number(question)}


def _photo(question: Question) -> dict[str, Any]:
    if question.kind != "photo":
        return {}
    size = {"long_edge": question.long_edge, "quality": question.quality}
    return {"gallery": question.gallery, "label": question.label, **size}


def _number(question: Question) -> dict[str, Any]:
    if question.kind != "number":
        return {}
    row: dict[str, Any] = {"unit": question.unit, "decimals": question.decimals}
    row |= {"minimum": question.minimum, "maximum": question.maximum}
    if question.expected:
        row["expected"] = {network: list(window) for network, window in question.expected.items()}
    return row


def _condition(condition: Condition) -> dict[str, Any]:
    if condition.negated:
        return {"question": condition.question, "not_equals": condition.values[0]}
    if len(condition.values) == 1:
        return {"question": condition.question, "equals": condition.values[0]}
    return {"question": condition.question, "in": list(condition.values)}
