"""The shape of what a phone says: the batch, and the body of each kind. Errors name the field."""

import math
from typing import Any

from rest_framework import serializers

from closures.models import PhotoSource
from dispatch.models import ScanSource

DEEPEST = 32


def unstorable(entry: Any) -> str:
    """Why this cannot be kept in every database and sent on as JSON; empty when it can."""
    waiting = [(entry, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > DEEPEST:
            return f"Nested deeper than {DEEPEST}."
        if isinstance(value, str) and any(sign == "\0" or "\ud800" <= sign <= "\udfff" for sign in value):
            return "A text holds a character that cannot be kept (NUL or half a surrogate pair)."
        if isinstance(value, float) and not math.isfinite(value):
            return "A number is not finite."
        inner = [*value, *value.values()] if isinstance(value, dict) else value
        waiting += [(one, depth + 1) for one in inner] if isinstance(value, dict | list) else []
    return ""


class InstantField(serializers.DateTimeField):
    """An instant with an offset; without one nobody knows when it was."""

    def to_internal_value(self, value: Any) -> Any:
        if isinstance(value, str) and not (value.endswith("Z") or "+" in value[10:] or "-" in value[10:]):
            raise serializers.ValidationError("Give the time with its offset, like 2026-11-23T08:00:00Z.")
        return super().to_internal_value(value)


class PositionSerializer(serializers.Serializer[Any]):
    """A place, or why there is none."""

    latitude = serializers.FloatField(min_value=-90, max_value=90, required=False, allow_null=True)
    longitude = serializers.FloatField(min_value=-180, max_value=180, required=False, allow_null=True)
    accuracy_metres = serializers.FloatField(min_value=0, required=False, allow_null=True)
    missing_because = serializers.CharField(max_length=120, required=False, allow_blank=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        known = attrs.get("latitude") is not None and attrs.get("longitude") is not None
        if not known and not attrs.get("missing_because"):
            raise serializers.ValidationError("Give latitude and longitude, or missing_because.")
        return attrs


class TravelSerializer(serializers.Serializer[Any]):
    position = PositionSerializer()


class ScanSerializer(serializers.Serializer[Any]):
    scan_id = serializers.UUIDField()
    # refused with a sentence by dispatch.scans, so any text may come here
    fsan = serializers.CharField(max_length=200, allow_blank=True)
    serial_number = serializers.CharField(max_length=200, allow_blank=True, default="")
    source = serializers.ChoiceField(choices=ScanSource.choices, default=ScanSource.TYPED)
    duplicate_confirmed = serializers.BooleanField(default=False)


class AnswerSerializer(serializers.Serializer[Any]):
    question = serializers.CharField(max_length=40)
    value = serializers.JSONField()


class WithdrawalSerializer(serializers.Serializer[Any]):
    question = serializers.CharField(max_length=40)


class ChecksSerializer(serializers.Serializer[Any]):
    """What the phone found wrong with a picture, and whether it was used all the same."""

    blur = serializers.BooleanField(default=False)
    dark = serializers.BooleanField(default=False)
    unreadable = serializers.BooleanField(default=False)
    used_anyway = serializers.BooleanField(default=False)


class PhotoSerializer(serializers.Serializer[Any]):
    photo_id = serializers.UUIDField()
    question = serializers.RegexField(r"^[A-Z][A-Z0-9_]{1,19}$", max_length=20)
    sha256 = serializers.RegexField(r"^[0-9a-f]{64}$", required=False, allow_blank=True, default="")
    taken_at = InstantField()
    source = serializers.ChoiceField(choices=PhotoSource.choices, default=PhotoSource.UNKNOWN)
    position = PositionSerializer(required=False)
    checks = ChecksSerializer(required=False)
    original_sha256 = serializers.RegexField(r"^[0-9a-f]{64}$", required=False, allow_blank=True, default="")
    signer = serializers.CharField(max_length=120, required=False, allow_blank=True, default="")


class CloseSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(max_length=40)
    secondary_code = serializers.CharField(max_length=40, allow_blank=True, default="")
    remarks = serializers.CharField(max_length=2000, allow_blank=True, default="")


class CheckInSerializer(serializers.Serializer[Any]):
    minutes = serializers.IntegerField(min_value=5, max_value=480)


class DrivingSerializer(serializers.Serializer[Any]):
    position = PositionSerializer()


class HandOverSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=500)


class NothingSerializer(serializers.Serializer[Any]):
    """A word that needs no more words."""


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
            (f"{where}.{name}".strip("."), one) for name, one in errors.items() if name != "non_field_errors"
        ]
        own = flat_errors(errors.get("non_field_errors", []), where=where)
        return [*own, *(found for place, one in pairs for found in flat_errors(one, where=place))]
    return [(where, str(one)) for one in errors]
