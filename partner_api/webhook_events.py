"""What webhooks tell: read from the history of the jobs, and from windows that ended without anybody on site.

An event is first a row of a job's history, written with the fact; here it becomes a body and one delivery for each
subscription, in one transaction. Reading twice makes no second one: `WebhookEvent.key` is unique. Bodies name no
customer and no person but by staff number: what more a system may know, it reads with its token.
"""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from closures.models import Closure
from dispatch.agreed_starts import latest_start, read_missed_jobs
from dispatch.event_readers import read_events
from dispatch.models import Job, JobEvent, Visit
from dispatch.states import EventKind
from engineers.areas import area_map, find_area
from engineers.models import Area
from monitoring.transaction_numbers import SETTLED_AFTER_SECONDS
from partner_api.api_view import absolute
from partner_api.job_serializers import ClosureSerializer, EventSerializer, WindowSerializer
from partner_api.models import WebhookDelivery, WebhookEvent, WebhookKind, WebhookSubscription
from partner_api.pages import UtcMomentField

READER = "webhooks"
# a window that ended longer ago than this is no news any more
MISSED_WITHIN = timedelta(days=1)


@dataclass(frozen=True)
class Occurrence:
    """One thing to tell; `key` names it for ever."""

    key: str
    kind: WebhookKind
    job: Job
    state: str
    recorded_at: datetime
    details: Mapping[str, Any]
    request_id: str = ""


def collect_job_events(*, settled_after: float = SETTLED_AFTER_SECONDS) -> None:
    """Write down what subscriptions are to be listeners of the jobs' newest events. May be called again and again."""
    if not WebhookSubscription.objects.filter(deleted_at=None).exists():
        return
    read_events(READER, _enqueue_events, settled_after=settled_after)


def _enqueue_events(events: Sequence[JobEvent]) -> None:
    closed = [event.job_id for event in events if event.kind == EventKind.CLOSED]
    found = Closure.objects.filter(job__in=closed).select_related("engineer")
    closures = {closure.job_id: closure for closure in found}
    _enqueue(_of_event(event, closures.get(event.job_id)) for event in events)


@transaction.atomic
def collect_missed_windows(now: datetime) -> None:
    """The same of windows, and of starts agreed after them, that have passed while nobody was or had been on site."""
    _enqueue(_of_missed(job, visit) for job, visit in read_missed_jobs(now=now, within=MISSED_WITHIN))


def _of_event(event: JobEvent, closure: Closure | None) -> Occurrence:
    kind = WebhookKind.JOB_CLOSED if event.kind == EventKind.CLOSED else WebhookKind.JOB_CHANGED
    details: dict[str, Any] = {"event": dict(EventSerializer(event).data)}
    if kind == WebhookKind.JOB_CLOSED and closure is not None:
        details["closure"] = dict(ClosureSerializer(closure).data)
    key, state = f"event {event.pk}", event.to_state
    return Occurrence(key, kind, event.job, state, event.recorded_at, details, event.request_id)


def _of_missed(job: Job, visit: Visit | None) -> Occurrence:
    missed_at = latest_start(job, visit)
    key = f"missed {job.pk} {missed_at.isoformat()}"
    return Occurrence(key, WebhookKind.JOB_MISSED, job, job.state, missed_at, {})


def _enqueue(found: Iterable[Occurrence]) -> None:
    occurrences = {occurrence.key: occurrence for occurrence in found}
    subscriptions = list(WebhookSubscription.objects.filter(deleted_at=None).prefetch_related("areas"))
    if not subscriptions or not occurrences:
        return
    known = set(WebhookEvent.objects.filter(key__in=list(occurrences)).values_list("key", flat=True))
    areas = area_map(Area.objects.all())
    for key, occurrence in occurrences.items():
        if key not in known and (listeners := _listeners(subscriptions, occurrence, areas)):
            _create(occurrence, listeners, find_area(occurrence.job.postcode, areas))


def _listeners(
    subscriptions: Sequence[WebhookSubscription], occurrence: Occurrence, areas: Mapping[str, Area]
) -> list[WebhookSubscription]:
    """Who wants this kind, reads the job's area, and subscribed before it happened."""
    area = find_area(occurrence.job.postcode, areas)
    return [
        subscription
        for subscription in subscriptions
        if occurrence.kind in subscription.kinds
        and occurrence.recorded_at >= subscription.created_at
        and (not subscription.is_limited_to_areas or area in subscription.areas.all())
    ]


def _create(occurrence: Occurrence, listeners: Collection[WebhookSubscription], area: Area | None) -> None:
    now, event_id = timezone.now(), uuid.uuid4()
    event = WebhookEvent.objects.create(
        key=occurrence.key,
        event_id=event_id,
        job=occurrence.job,
        kind=occurrence.kind,
        body=_body(occurrence, event_id, area),
        created_at=now,
        request_id=occurrence.request_id,
    )
    WebhookDelivery.objects.bulk_create(
        WebhookDelivery(
            subscription=subscription,
            event=event,
            job=occurrence.job,
            created_at=now,
            next_attempt_at=now,
            give_up_at=now + timedelta(hours=settings.WEBHOOKS.retry_hours),
        )
        for subscription in listeners
    )


def _body(occurrence: Occurrence, event_id: uuid.UUID, area: Area | None) -> dict[str, Any]:
    job = occurrence.job
    return {
        "id": str(event_id),
        "type": str(occurrence.kind),
        "happened_at": UtcMomentField().to_representation(occurrence.recorded_at),
        "job": {
            "number": job.provider_job_id,
            "seller_job_number": job.seller_job_id,
            "type": job.job_type,
            "state": str(occurrence.state),
            "area": area.name if area else None,
            "window": dict(WindowSerializer(job).data),
            "url": absolute(reverse("partner_api:job", args=[job.provider_job_id])),
        },
        **occurrence.details,
    }
