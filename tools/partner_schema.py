"""Writes docs/partner-api.openapi.json, for the partner's other systems: `python -m tools.partner_schema`.

A tool of its own, so that no server loads the generator, which brings Django's test client with it.
"""

import json
import os
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

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

from alerting.models import AlarmEvent  # noqa: E402
from dispatch.states import JobState, JobType  # noqa: E402
from partner_api import api_urls, export_api, job_api, people_api  # noqa: E402
from partner_api.job_serializers import (  # noqa: E402
    ClosureSerializer,
    EventSerializer,
    JobDetailSerializer,
    JobSummarySerializer,
    WindowSerializer,
)
from partner_api.models import WebhookKind  # noqa: E402
from partner_api.pages import PageQuerySerializer, UtcMomentField  # noqa: E402

PAGE = Path(__file__).resolve().parent.parent / "docs" / "partner-api.openapi.json"
# the address that answers for those that are none is no address
ADDRESSES = [pattern for pattern in api_urls.urlpatterns if pattern.name != "unknown"]
INTERFACE = [path("api/v1/", include(ADDRESSES))]
api_settings.DEFAULT_SCHEMA_CLASS = AutoSchema
SETTINGS = {
    "TITLE": "Fibre dispatch for the partner's other systems",
    "VERSION": "1",
    "DESCRIPTION": "Read jobs, engineers and shifts. docs/partner-api.md explains tokens, pages and examples. Within "
    "version 1 members are added and never removed: ignore those that you do not know.",
    "OAS_VERSION": "3.1.0",
    "ENUM_NAME_OVERRIDES": {"JobState": JobState.choices},
}


class BearerScheme(OpenApiAuthenticationExtension):
    """Found by the generator through its base class."""

    target_class = "partner_api.api_view.BearerToken"
    name = "accessToken"

    def get_security_definition(self, _auto_schema: object) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A supervisor creates tokens, with scopes.",
        }


class JsonBodySerializer(serializers.Serializer[Any]):
    """A JSON object."""


class WrongFieldSerializer(JsonBodySerializer):
    where = serializers.CharField(help_text="The parameter.")
    message = serializers.CharField()


class ProblemDetailsSerializer(JsonBodySerializer):
    """RFC 9457."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField(help_text="For programs.")
    detail = serializers.CharField(help_text="What is wrong and what to do.")
    problems = WrongFieldSerializer(many=True, required=False)


class BrokenJobSerializer(JsonBodySerializer):
    number = serializers.CharField()
    reason = serializers.CharField()


class JobListSerializer(JsonBodySerializer):
    jobs = JobSummarySerializer(many=True)
    broken = BrokenJobSerializer(
        many=True, help_text="Jobs of this page whose stored data cannot be put into an answer."
    )
    next = serializers.CharField(allow_null=True, help_text="Address of the next page; null after the last.")
    as_of = UtcMomentField(
        help_text="For `changed_since` of the next time; what changed since comes at least once."
    )


class EngineerListSerializer(JsonBodySerializer):
    engineers = people_api.EngineerSerializer(many=True)
    next = serializers.CharField(allow_null=True, help_text="Address of the next page; null after the last.")


class AreaListSerializer(JsonBodySerializer):
    areas = people_api.AreaSerializer(many=True)


class ShiftListSerializer(JsonBodySerializer):
    shifts = people_api.EngineerShiftsSerializer(many=True)
    next = serializers.CharField(allow_null=True, help_text="Address of the next page; null after the last.")


class WebhookJobSerializer(JsonBodySerializer):
    number = serializers.CharField()
    seller_job_number = serializers.CharField()
    type = serializers.ChoiceField(JobType.choices)
    state = serializers.ChoiceField(JobState.choices)
    area = serializers.CharField(allow_null=True, help_text="Name; null where the job lies in no area.")
    window = WindowSerializer(help_text="The appointment window.")
    url = serializers.CharField(help_text="Where the job is read.")


class JobWebhookSerializer(JsonBodySerializer):
    """Something about a job."""

    id = serializers.UUIDField(help_text="The same in each repetition.")
    type = serializers.ChoiceField(WebhookKind.choices)
    happened_at = UtcMomentField()
    job = WebhookJobSerializer()
    event = EventSerializer(required=False, help_text="Not with job.missed.")
    closure = ClosureSerializer(required=False, help_text="With job.closed.")


class WebhookAlarmSerializer(JsonBodySerializer):
    id = serializers.IntegerField(help_text="The same when it is raised and when it is cleared.")
    kind = serializers.CharField(help_text="docs/operating.md, Alarms.")
    topic = serializers.ChoiceField(["system", "jobs"])
    level = serializers.IntegerField(help_text="Of the contact.")
    title = serializers.CharField()
    details = serializers.CharField(allow_blank=True)
    raised_at = serializers.DateTimeField()
    cleared_at = serializers.DateTimeField(allow_null=True, help_text="Null while it is open.")


class AlarmWebhookSerializer(JsonBodySerializer):
    """Alarms that were raised or cleared, or a test."""

    delivery_id = serializers.UUIDField(help_text="The same in each repetition.")
    type = serializers.ChoiceField(AlarmEvent.choices)
    is_test = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    title = serializers.CharField()
    url = serializers.CharField(help_text="The page of alarms.")
    alarms = WebhookAlarmSerializer(many=True)


def _answers(
    serializer: type[JsonBodySerializer] | type[JobDetailSerializer], *refused: int
) -> dict[Any, Any]:
    problems = {
        (status, "application/problem+json"): ProblemDetailsSerializer for status in (401, 403, *refused, 429)
    }
    return {200: serializer, 304: None, **problems}


EXPORT_ANSWERS = {
    **{
        status: found
        for status, found in _answers(JsonBodySerializer, 400, 404).items()
        if status not in {200, 304}
    },
    (200, "text/csv"): str,
    (200, "application/jsonl"): str,
}
UNCHANGED = utils.OpenApiParameter(
    "If-None-Match", str, "header", description="The ETag of an earlier answer."
)
DESCRIBED: list[tuple[str, Any, Any, dict[Any, Any]]] = [
    ("list_jobs", job_api.JobListView, job_api.JobQuerySerializer, _answers(JobListSerializer, 400)),
    ("read_job", job_api.JobView, None, _answers(JobDetailSerializer, 404, 409)),
    (
        "list_engineers",
        people_api.EngineerListView,
        PageQuerySerializer,
        _answers(EngineerListSerializer, 400),
    ),
    ("export", export_api.ExportView, export_api.ExportQuerySerializer, EXPORT_ANSWERS),
    ("list_areas", people_api.AreaListView, None, _answers(AreaListSerializer)),
    (
        "list_shifts",
        people_api.ShiftListView,
        people_api.ShiftQuerySerializer,
        _answers(ShiftListSerializer, 400),
    ),
]


def _webhook(event: WebhookKind | AlarmEvent, body: type[JsonBodySerializer]) -> utils.OpenApiWebhook:
    described = utils.extend_schema(
        request=body, responses={204: None}, description="Signed by `X-Signature`. Answer with any 2xx."
    )
    return utils.OpenApiWebhook(str(event), described)


# a view of a dict: the generator would take the members of a list for names to import
WEBHOOKS = {
    **{str(kind): _webhook(kind, JobWebhookSerializer) for kind in WebhookKind},
    **{str(event): _webhook(event, AlarmWebhookSerializer) for event in AlarmEvent},
}


def document() -> dict[str, Any]:
    """The schema as the views and serializers give it. Raises for anything that the generator had to guess."""
    for name, view, query, responses in DESCRIBED:
        parameters = [*([] if view is export_api.ExportView else [UNCHANGED]), *([query] if query else [])]
        scope = f"Scope `{view.scope}`. {view.get.__doc__}"
        utils.extend_schema(operation_id=name, parameters=parameters, responses=responses, description=scope)(
            view.get
        )
    # of another document in the same process
    plumbing._load_enum_name_overrides.cache_clear()
    with patched_settings({**SETTINGS, "WEBHOOKS": WEBHOOKS.values()}):
        schema: dict[str, Any] = SchemaGenerator(patterns=INTERFACE).get_schema(request=None, public=True)
        validate_schema(schema)
    if GENERATOR_STATS:
        raise ValueError("the generator warned: see what it printed")
    return schema


if __name__ == "__main__":
    PAGE.write_text(json.dumps(document(), indent=4) + "\n")
