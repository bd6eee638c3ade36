"""Sends one push notification to one phone. Only `manage.py worker` imports it, and its tests: see push_delivery.py."""

from django.conf import settings
from django.urls import reverse
from django.utils import translation

from dispatch.models import JobEvent
from engineers import push_delivery
from engineers.models import PushSubscription
from engineers.push_delivery import PushNotification
from monitoring import task_queue
from phone import formatting
from phone.notifications import titles


@task_queue.task
def send_push(subscription_pk: int, event_pk: int) -> None:
    known = PushSubscription.objects.select_related("engineer__user")
    subscription = known.filter(pk=subscription_pk).first()
    event = JobEvent.objects.select_related("job").filter(pk=event_pk).first()
    if subscription is None or event is None:
        return
    engineer = subscription.engineer
    with translation.override(engineer.user.language or settings.LANGUAGE_CODE):
        title = titles(event).get(engineer.staff_number)
        if title:
            push_delivery.send(subscription=subscription, notice=_notice(event, title))


def _notice(event: JobEvent, title: str) -> PushNotification:
    """Short, since it stands on a locked screen: no name and no street."""
    job = event.job
    visit = job.visits.active().first()
    when = formatting.format_moment(visit.planned_start) if visit else ""
    body = " · ".join(filter(None, [job.title, job.get_job_type_display(), when]))
    return PushNotification(
        title, body, reverse("phone:job", args=[job.provider_job_id]), job.provider_job_id
    )
