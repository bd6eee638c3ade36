"""When the work of a visit ended, as the database finds it for learned lengths, reports and exports."""

from django.db.models import Case, DateTimeField, Exists, F, OuterRef, Subquery, When
from django.db.models.functions import Coalesce

from dispatch.models import JobEvent
from dispatch.states import EventKind

# of visits; `ended_at` is when we heard of it: a phone without signal closed the job before
WORK_END = Case(
    When(job__closure__closed_at__lt=F("ended_at"), then=F("job__closure__closed_at")),
    default=F("ended_at"),
    output_field=DateTimeField(),
)
# of visits: between two closures nobody may have been on site, so their length says nothing
WAS_SENT_BACK = Exists(JobEvent.objects.filter(job=OuterRef("job"), kind=EventKind.SENT_BACK))
_SINCE_BEGUN = JobEvent.objects.filter(
    job=OuterRef("job"), occurred_at__gte=Coalesce(OuterRef("arrived_at"), OuterRef("travel_started_at"))
)
_LEFT_TO_OTHERS = _SINCE_BEGUN.filter(
    kind__in=[EventKind.HANDOVER_REQUESTED, EventKind.SUBMITTED], occurred_at__lt=OuterRef("unassigned_at")
)
# of visits that were unassigned: when the engineer last left the job to others. The office may unassign it much later
LEFT_AT = Subquery(_LEFT_TO_OTHERS.order_by("-occurred_at").values("occurred_at")[:1])
_SUBMITTED = _SINCE_BEGUN.filter(kind=EventKind.SUBMITTED)
# of visits whose closure was sent back: when the first one was submitted
FIRST_SUBMITTED_AT = Subquery(_SUBMITTED.order_by("occurred_at").values("occurred_at")[:1])
