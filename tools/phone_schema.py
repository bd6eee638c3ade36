"""Writes docs/phone.openapi.json, for those who write another client: `python -m tools.phone_schema`.

A tool of its own, so that no server loads the generator, which brings Django's test client with it.
"""

import json
import os
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.urls import include, path  # noqa: E402
from drf_spectacular import plumbing, utils  # noqa: E402
from drf_spectacular.drainage import GENERATOR_STATS  # noqa: E402
from drf_spectacular.extensions import OpenApiAuthenticationExtension  # noqa: E402
from drf_spectacular.generators import SchemaGenerator  # noqa: E402
from drf_spectacular.openapi import AutoSchema  # noqa: E402
from drf_spectacular.settings import patched_settings  # noqa: E402
from drf_spectacular.validation import validate_schema  # noqa: E402
from rest_framework import serializers  # noqa: E402
from rest_framework.settings import api_settings  # noqa: E402

from dispatch.ont_scans import SUCCESSFUL_RESULTS  # noqa: E402
from dispatch.states import JobState, JobType  # noqa: E402
from phone import api, location_api, photo_api  # noqa: E402
from phone.action_handlers import HANDLERS  # noqa: E402
from phone.serializers import InstantField, MessageSerializer  # noqa: E402

PAGE = Path(__file__).resolve().parent.parent / "docs" / "phone.openapi.json"
api_settings.DEFAULT_SCHEMA_CLASS = AutoSchema
PHONE_STATES = [choice for choice in JobState.choices if choice[0] != JobState.IN_REVIEW]  # phone_state


class JsonObject(serializers.Serializer[Any]):
    """A JSON object."""


SETTINGS = {
    "TITLE": "The phone's JSON",
    "VERSION": "1",
    "DESCRIPTION": "What the engineer's application asks and sends. Signed in by session cookie; X-CSRFToken with "
    "everything but GET. Every message has an ID and is applied once however often it is sent.",
    "OAS_VERSION": "3.1.0",
    "ENUM_NAME_OVERRIDES": {"JobState": PHONE_STATES},
}


class SessionScheme(OpenApiAuthenticationExtension):
    # found by the generator through its base class
    target_class = "phone.api_view.SignedInUser"
    name = "session"

    def get_security_definition(self, _auto_schema: object) -> dict[str, str]:
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME}


def _message(kind: str) -> type[JsonObject]:
    """MessageSerializer with the body of this kind."""
    name = "".join(part.title() for part in kind.split("_"))
    members = {"kind": serializers.ChoiceField([kind]), "body": HANDLERS[kind].shape()}
    return type(f"{name}MessageSerializer", (MessageSerializer,), members)


MESSAGE = utils.PolymorphicProxySerializer(
    "Message", serializers={kind: _message(kind) for kind in HANDLERS}, resource_type_field_name="kind"
)


@utils.extend_schema_field(MESSAGE)
class QueueEntryField(serializers.DictField):
    """One entry of the queue."""


class BatchSerializer(JsonObject):
    engineer = serializers.CharField(required=False, help_text="As in the day; another one is answered 409.")
    sent_at = InstantField(required=False, help_text="The phone's clock, which is compared with ours.")
    messages = serializers.ListField(child=QueueEntryField(), max_length=200)


class ProblemSerializer(JsonObject):
    code = serializers.CharField()
    where = serializers.CharField(help_text="The field.")
    message = serializers.CharField(help_text="In the engineer's language.")
    blocks = serializers.BooleanField(required=False)


class RefusalSerializer(JsonObject):
    error = serializers.CharField()
    where = serializers.CharField(required=False)
    message = serializers.CharField()
    problems = ProblemSerializer(many=True, required=False)


class SyncedJobSerializer(JsonObject):
    id = serializers.CharField()
    state = serializers.ChoiceField(PHONE_STATES)


class ResultSerializer(JsonObject):
    message_id = serializers.CharField()
    outcome = serializers.ChoiceField(["applied", "late", "already", "refused"])
    problems = ProblemSerializer(many=True)
    job = SyncedJobSerializer(allow_null=True, help_text="Null when the job is not this engineer's any more.")


class SyncAnswerSerializer(JsonObject):
    results = ResultSerializer(many=True, help_text="In the order of the messages.")
    csrf_token = serializers.CharField()
    clock_words = serializers.CharField(allow_blank=True, help_text="Set while the phone's clock is wrong.")


class ScanAnswerSerializer(JsonObject):
    scan_id = serializers.UUIDField()
    fsan = serializers.CharField()
    serial_number = serializers.CharField()
    scanned_at = serializers.DateTimeField()


class ProvisioningAnswerSerializer(JsonObject):
    result_id = serializers.IntegerField(help_text=f"Provisioned: {sorted(SUCCESSFUL_RESULTS)}.")
    success = serializers.BooleanField()
    details = serializers.CharField(allow_blank=True)
    occurred_at = serializers.DateTimeField()


class JobVersionSerializer(JsonObject):
    state = serializers.ChoiceField(PHONE_STATES)
    version = serializers.CharField(help_text="Another text: fetch the day.")
    scan = ScanAnswerSerializer(allow_null=True, required=False)
    result = ProvisioningAnswerSerializer(allow_null=True, required=False)


class SpanSerializer(JsonObject):
    start = serializers.DateTimeField()
    end = serializers.DateTimeField()


class DayJobSerializer(JsonObject):
    """What a client needs to work through the job; `page` holds the texts that our own screens print."""

    id = serializers.CharField()
    type = serializers.ChoiceField(JobType.choices)
    state = serializers.ChoiceField(PHONE_STATES)
    version = serializers.CharField()
    is_today = serializers.BooleanField()
    in_review = serializers.BooleanField(help_text="Closed; the office may send it back.")
    window = SpanSerializer()
    planned = SpanSerializer()
    address = serializers.CharField()
    latitude = serializers.FloatField(allow_null=True)
    longitude = serializers.FloatField(allow_null=True)
    flags = serializers.ListField(child=serializers.CharField())
    product = serializers.CharField()
    contact = serializers.DictField(child=serializers.CharField())
    hazards = serializers.CharField(allow_blank=True)
    access = serializers.CharField(allow_blank=True)
    notes = serializers.CharField(allow_blank=True)
    ont_location = serializers.CharField(allow_blank=True)
    network = serializers.DictField()
    has_ont_scan = serializers.BooleanField()
    expected_ont = serializers.DictField(child=serializers.CharField())
    scan = serializers.DictField(allow_null=True)
    result = serializers.DictField(allow_null=True)
    advice = serializers.DictField(allow_null=True, help_text="What to do after the provisioning result.")
    line_check = serializers.DictField(allow_null=True, help_text="The newest check of the line.")
    line_unavailable = serializers.CharField(allow_blank=True, help_text="Why it cannot be checked.")
    photos = serializers.DictField(help_text="By their ID.")
    notices = serializers.ListField(child=serializers.DictField())
    sent_back = serializers.ListField(child=serializers.DictField(), help_text="What the office wants again.")
    handover_requested = serializers.BooleanField()
    answered_by = serializers.DictField(child=serializers.CharField())
    closed_as = serializers.CharField(allow_blank=True)
    matrix = serializers.CharField(help_text="The edition among `matrices`.")
    answers = serializers.DictField(help_text="By the question's code.")
    closures = serializers.ListField(child=serializers.DictField())
    page = serializers.DictField()


class DaySerializer(JsonObject):
    day = serializers.DateField()
    day_words = serializers.CharField()
    tomorrow_words = serializers.CharField()
    time_zone = serializers.CharField(help_text="Of the site: the server's texts name times in it.")
    engineer = serializers.CharField(help_text="The first staff number; it never changes.")
    name = serializers.CharField()
    export_key = serializers.CharField(help_text="Signs the offline export.")
    language = serializers.CharField()
    languages = serializers.ListField(child=serializers.DictField())
    jobs = DayJobSerializer(many=True)
    broken = serializers.ListField(child=serializers.DictField(), help_text="Jobs that cannot be shown.")
    vendors = serializers.DictField(child=serializers.CharField())
    office_phone = serializers.CharField(allow_blank=True)
    gone = serializers.ListField(child=serializers.DictField(), help_text="Jobs that left the list.")
    check_in = serializers.DictField(allow_null=True)
    shares_position = serializers.BooleanField()
    matrices = serializers.DictField(help_text="Question matrices by edition.")
    csrf_token = serializers.CharField(help_text="Sent back as X-CSRFToken with everything but GET.")


class PhotoAnswerSerializer(JsonObject):
    photo_id = serializers.UUIDField()
    sha256 = serializers.CharField()
    stored = serializers.BooleanField()


class PhotoAddressSerializer(JsonObject):
    url = serializers.CharField(allow_blank=True)
    headers = serializers.DictField(child=serializers.CharField())


class LabelSerializer(JsonObject):
    codes = serializers.ListField()
    fsan = serializers.CharField(allow_blank=True)
    serial_number = serializers.CharField(allow_blank=True)
    fsans = serializers.ListField(child=serializers.CharField())
    serial_numbers = serializers.ListField(child=serializers.CharField())
    unsure = serializers.ListField(child=serializers.CharField(), help_text="Why somebody must look.")


class SubscriptionSerializer(JsonObject):
    endpoint = serializers.CharField()
    keys = serializers.DictField(child=serializers.CharField(), required=False, help_text="Of POST.")


class PushSerializer(JsonObject):
    public_key = serializers.CharField(required=False, allow_blank=True, help_text="Of GET.")
    subscribed = serializers.BooleanField(required=False, help_text="Of POST and DELETE.")


class PositionLineSerializer(JsonObject):
    at = serializers.DateTimeField()
    words = serializers.CharField()
    latitude = serializers.FloatField()
    longitude = serializers.FloatField()


class ConsentSerializer(JsonObject):
    agreed = serializers.BooleanField()


class PositionsSerializer(ConsentSerializer):
    agreed_at = serializers.DateTimeField(allow_null=True)
    kept_days = serializers.IntegerField()
    exact_days = serializers.IntegerField()
    words = serializers.ListField(child=serializers.CharField())
    positions = PositionLineSerializer(many=True)


def _answers(serializer: type[JsonObject], *refused: int) -> dict[int, type[JsonObject] | None]:
    return {200: serializer, **dict.fromkeys((401, 403, *refused, 429, 503), RefusalSerializer)}


PICTURE, UNCHANGED = {"image/jpeg": bytes}, utils.OpenApiParameter("If-None-Match", str, "header")
SIZE = utils.OpenApiParameter("size", int, description="Bytes of the photo.")
SENDER = utils.OpenApiParameter("engineer", str, description="As in the day; another one is answered 409.")
EXPECTED = utils.OpenApiParameter("expected", str, many=True, description="FSAN, serial number.")
PHOTO = {"responses": _answers(PhotoAnswerSerializer, 404, 409, 413, 422), "parameters": [SENDER]}
ADDRESS = {"responses": _answers(PhotoAddressSerializer, 409), "parameters": [SIZE, SENDER]}
LABEL = {"responses": _answers(LabelSerializer, 413, 422), "parameters": [EXPECTED]}
PUSH_ANSWERS, POSITIONS_ANSWERS = _answers(PushSerializer, 400), _answers(PositionsSerializer, 400)
DESCRIBED: list[tuple[Any, dict[str, Any]]] = [
    (api.SyncView.post, {"request": BatchSerializer, "responses": _answers(SyncAnswerSerializer, 400, 409)}),
    (api.JobVersionView.get, {"responses": _answers(JobVersionSerializer, 404)}),
    (api.LineCheckView.post, {"request": None, "responses": _answers(JsonObject, 404, 422)}),
    (api.DayView.get, {"responses": {**_answers(DaySerializer), 304: None}, "parameters": [UNCHANGED]}),
    (api.PushView.get, {"responses": PUSH_ANSWERS}),
    (api.PushView.post, {"request": SubscriptionSerializer, "responses": PUSH_ANSWERS}),
    (api.PushView.delete, {"request": SubscriptionSerializer, "responses": PUSH_ANSWERS}),
    (photo_api.PhotoView.put, {**PHOTO, "request": PICTURE}),
    (photo_api.UploadAddressView.get, ADDRESS),
    (photo_api.ConfirmUploadView.post, {**PHOTO, "request": None}),
    (photo_api.LabelView.post, {"request": PICTURE, **LABEL}),
    (location_api.PositionsView.get, {"responses": POSITIONS_ANSWERS}),
    (location_api.PositionsView.post, {"request": ConsentSerializer, "responses": POSITIONS_ANSWERS}),
    (location_api.PositionsView.delete, {"request": None, "responses": POSITIONS_ANSWERS}),
]


def document() -> dict[str, Any]:
    """The schema as the views and serializers give it. Raises for anything that the generator had to guess."""
    for method, description in DESCRIBED:
        utils.extend_schema(**description)(method)
    plumbing._load_enum_name_overrides.cache_clear()  # of another document in the same process
    with patched_settings(SETTINGS):
        generator = SchemaGenerator(patterns=[path("phone/", include("phone.urls"))])
        schema: dict[str, Any] = generator.get_schema(request=None, public=True)
        validate_schema(schema)
    if GENERATOR_STATS:
        raise ValueError("the generator warned: see what it printed")
    return schema


if __name__ == "__main__":
    PAGE.write_text(json.dumps(document(), indent=4) + "\n")
