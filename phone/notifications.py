"""Which engineer is notified of which event of a job by web push; queued after the commit, one task for each phone."""

from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dispatch.models import Job, JobEvent
from dispatch.states import Actor, EventKind, JobState
from engineers.models import PushSubscription
from monitoring import task_queue

# only the worker loads its module
SEND_TASK = "phone.push_tasks.send_push"
NOTIFIED_EVENTS = frozenset(
    {
        EventKind.ENGINEER_ASSIGNED,
        EventKind.MOVED,
        EventKind.UNASSIGNED,
        EventKind.CANCELLED,
        EventKind.CLOSED,
        EventKind.HELD,
        EventKind.RELEASED,
        EventKind.SENT_BACK,
        EventKind.NOTE_ADDED,
    }
)


# who has the job now is told
TITLES_FOR_PRESENT = {
    EventKind.CANCELLED: gettext_lazy("Job cancelled"),
    EventKind.SENT_BACK: gettext_lazy("Sent back by the office"),
    EventKind.CLOSED: gettext_lazy("Job closed by the office"),
    EventKind.HELD: gettext_lazy("Job on hold: call the office"),
    EventKind.RELEASED: gettext_lazy("Job released"),
    EventKind.NOTE_ADDED: gettext_lazy("Note from the office"),
}


def on_job_event(*, event: JobEvent, **_kwargs: Any) -> None:
    """A queue that is away is no reason to undo the fact: the phone sees it anyway when it opens."""
    if settings.VAPID_PRIVATE_KEY and event.kind in NOTIFIED_EVENTS:
        transaction.on_commit(partial(_queue, event.pk), robust=True)


def _queue(event_pk: int) -> None:
    event = JobEvent.objects.select_related("job").get(pk=event_pk)
    titles_by_engineer = titles(event)
    wanting = PushSubscription.objects.filter(engineer__staff_number__in=titles_by_engineer).select_related(
        "engineer"
    )
    for subscription in wanting:
        task_queue.enqueue_by_name(SEND_TASK, subscription.pk, event.pk)


def titles(event: JobEvent) -> dict[str, str]:
    """Staff number → the notification for that engineer."""
    facts, kind = event.facts, EventKind(event.kind)
    if kind == EventKind.ENGINEER_ASSIGNED:
        return _of_assignment(facts)
    if kind == EventKind.NOTE_ADDED and not facts.get("is_for_engineer"):
        return {}
    # an approved closure is the engineer's own
    is_closed_by_office = event.actor == Actor.DISPATCHER and not facts.get("reviewed")
    if kind in TITLES_FOR_PRESENT and (kind != EventKind.CLOSED or is_closed_by_office):
        return dict.fromkeys(_present(event.job), str(TITLES_FOR_PRESENT[kind]))
    words_of = {EventKind.MOVED: _("Visit rescheduled"), EventKind.UNASSIGNED: _("Job unassigned")}
    number = facts.get("engineer_number")
    return {number: words_of[kind]} if number and kind in words_of else {}


def _of_assignment(facts: dict[str, Any]) -> dict[str, str]:
    is_half_done = facts.get("state_then") == JobState.ON_SITE
    titles_by_engineer = {
        facts["engineer_number"]: _("Job handed over to you") if is_half_done else _("New job")
    }
    before = facts.get("instead_of_number")
    return {before: _("Job reassigned"), **titles_by_engineer} if before else titles_by_engineer


def _present(job: Job) -> list[str]:
    return list(job.visits.active().values_list("engineer__staff_number", flat=True))
