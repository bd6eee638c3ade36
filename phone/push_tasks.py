"""Sends one push notification to one phone. Only `manage.py worker` imports it, and its tests: see push_delivery.py."""

from datetime import timedelta

from django.conf import settings
from django.urls import reverse
from django.utils import timezone, translation

from dispatch.models import JobEvent
from engineers import push_delivery
from engineers.models import Engineer, PushSubscription
from engineers.push_delivery import PushNotification
from monitoring import task_queue
from phone import formatting
from phone.notifications import NOTIFIED_EVENTS, titles


@task_queue.task
def send_push(subscription_pk: int, event_pk: int) -> None:
    known = PushSubscription.objects.select_related("engineer__user")
    subscription = known.filter(pk=subscription_pk).first()
    event = JobEvent.objects.select_related("job").filter(pk=event_pk).first()
    if subscription is None or event is None:
        return
    engineer = subscription.engineer
    if _is_too_old(event) or _is_replaced(event, engineer):
        return
    with translation.override(engineer.user.language or settings.LANGUAGE_CODE):
        title = titles(event).get(engineer.staff_number)
        if title:
            push_delivery.send(subscription=subscription, notice=_notice(event, title))


def _is_too_old(event: JobEvent) -> bool:
    """As the push service would drop it: after the worker was down, nobody gets the notifications of that time."""
    return event.recorded_at < timezone.now() - timedelta(seconds=push_delivery.TTL_SECONDS)


def _is_replaced(event: JobEvent, engineer: Engineer) -> bool:
    """Whether the engineer is notified of something later about this job: this one would replace it on the phone."""
    later = JobEvent.objects.filter(job=event.job_id, seq__gt=event.seq, kind__in=NOTIFIED_EVENTS)
    return any(engineer.staff_number in titles(each) for each in later.select_related("job"))


def _notice(event: JobEvent, title: str) -> PushNotification:
    """Short, since it stands on a locked screen: no name and no street."""
    job = event.job
    visit = job.visits.active().first()
    when = formatting.format_moment(visit.planned_start) if visit else ""
    body = " · ".join(filter(None, [job.title, job.get_job_type_display(), when]))
    return PushNotification(
        title, body, reverse("phone:job", args=[job.provider_job_id]), job.provider_job_id
    )
