"""A job as other systems read it. What tells of a customer comes only with the scope `customers:read`."""

from typing import Any

from rest_framework import serializers

from dispatch.models import Job
from dispatch.states import Actor, EventKind, JobState, JobType
from engineers.areas import find_area
from partner_api.pages import UtcMomentField


class WindowSerializer(serializers.Serializer[Any]):
    start = UtcMomentField(source="window_start")
    end = UtcMomentField(source="window_end")


class VisitSerializer(serializers.Serializer[Any]):
    """`unassigned_at`: since when the engineer has the job no more."""

    engineer = serializers.CharField(source="engineer.staff_number", help_text="Staff number.")
    second_engineer = serializers.CharField(
        source="second_engineer.staff_number", default=None, allow_null=True, help_text="Staff number."
    )
    planned_start = UtcMomentField()
    planned_end = UtcMomentField()
    travel_started_at = UtcMomentField(allow_null=True)
    arrived_at = UtcMomentField(allow_null=True)
    ended_at = UtcMomentField(allow_null=True)
    unassigned_at = UtcMomentField(allow_null=True)


class OrderReferencesSerializer(serializers.Serializer[Any]):
    buyer = serializers.CharField(source="buyer_order_reference", allow_blank=True)
    seller = serializers.CharField(source="seller_order_reference", allow_blank=True)


class CustomerSerializer(serializers.Serializer[Any]):
    """Whom and where; empty once the job was anonymised."""

    name = serializers.CharField(source="contact_name", allow_blank=True)
    phone = serializers.CharField(source="contact_phone", allow_blank=True)
    email = serializers.CharField(source="contact_email", allow_blank=True)
    uprn = serializers.CharField(allow_blank=True)
    address_lines = serializers.ListField(child=serializers.CharField())
    town = serializers.CharField(allow_blank=True)
    latitude = serializers.FloatField(allow_null=True)
    longitude = serializers.FloatField(allow_null=True)
    access = serializers.CharField(source="access_restrictions", allow_blank=True)
    hazards = serializers.CharField(allow_blank=True)
    notes = serializers.CharField(source="site_notes", allow_blank=True)


class JobSummarySerializer(serializers.Serializer[Any]):
    """One job of a list. `changed_at` is when its newest event was recorded here, `event_number` the number of that."""

    number = serializers.CharField(source="provider_job_id")
    seller_job_number = serializers.CharField(source="seller_job_id")
    type = serializers.ChoiceField(JobType.choices, source="job_type")
    state = serializers.ChoiceField(JobState.choices)
    event_number = serializers.IntegerField(source="last_event_seq")
    received_at = UtcMomentField()
    changed_at = UtcMomentField(allow_null=True)
    window = WindowSerializer(source="*", help_text="The appointment window.")
    duration_minutes = serializers.IntegerField()
    postcode = serializers.CharField(allow_blank=True)
    area = serializers.SerializerMethodField(help_text="Name; null where the job lies in no area.")
    product = serializers.CharField(source="product_name")
    flags = serializers.ListField(child=serializers.CharField(), help_text="Property flags.")
    on_hold_since = UtcMomentField(allow_null=True)
    order_references = OrderReferencesSerializer(source="*")
    visit = serializers.SerializerMethodField(help_text="The one that counts now; null while unassigned.")
    customer = serializers.SerializerMethodField(
        help_text="Only with the scope customers:read, otherwise null."
    )

    def get_area(self, job: Job) -> str | None:
        area = find_area(job.postcode, self.context["areas"])
        return area.name if area else None

    def get_visit(self, job: Job) -> dict[str, Any] | None:
        active = [visit for visit in job.visits.all() if visit.unassigned_at is None]
        return dict(VisitSerializer(active[0]).data) if active else None

    def get_customer(self, job: Job) -> dict[str, Any] | None:
        return dict(CustomerSerializer(job).data) if self.context["with_customers"] else None


class EventSerializer(serializers.Serializer[Any]):
    """`occurred_at` is when it happened by the clock of who reports it, `recorded_at` when we learned of it."""

    number = serializers.IntegerField(source="seq")
    kind = serializers.ChoiceField(EventKind.choices)
    from_state = serializers.ChoiceField(JobState.choices, allow_blank=True)
    to_state = serializers.ChoiceField(JobState.choices)
    actor = serializers.ChoiceField(Actor.choices)
    occurred_at = UtcMomentField()
    recorded_at = UtcMomentField()


class ClosureSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    description = serializers.CharField()
    secondary_code = serializers.CharField(allow_blank=True)
    secondary_description = serializers.CharField(allow_blank=True)
    closed_at = UtcMomentField()
    engineer = serializers.CharField(
        source="engineer.staff_number",
        default=None,
        allow_null=True,
        help_text="Null: by the dispatch office.",
    )
    without_visit = serializers.BooleanField()


class EvidenceSerializer(serializers.Serializer[Any]):
    """One photo or signature; `sha256` is that of the file that is kept, empty until it has arrived."""

    id = serializers.UUIDField()
    question = serializers.CharField(source="question_code")
    taken_at = UtcMomentField()
    stored_at = UtcMomentField(allow_null=True)
    sha256 = serializers.CharField(source="stored_sha256", allow_blank=True)
    content_type = serializers.CharField(allow_blank=True)
    size_bytes = serializers.IntegerField(allow_null=True)
    purged_at = UtcMomentField(allow_null=True, help_text="Since when the file is deleted.")


class JobDetailSerializer(JobSummarySerializer):
    visits = VisitSerializer(many=True)
    events = EventSerializer(many=True)
    closure = ClosureSerializer(allow_null=True, default=None)
    evidence = EvidenceSerializer(many=True, source="photos")
