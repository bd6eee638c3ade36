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
        EventKind.RESCHEDULED,
        EventKind.SECOND_ENGINEER_CHANGED,
        EventKind.UNASSIGNED,
        EventKind.CANCELLED,
        EventKind.CLOSED,
        EventKind.PUT_ON_HOLD,
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
    EventKind.PUT_ON_HOLD: gettext_lazy("Job on hold: call the office"),
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
    if kind == EventKind.SECOND_ENGINEER_CHANGED:
        return _of_second_engineer(facts)
    if kind == EventKind.NOTE_ADDED and not facts.get("is_for_engineer"):
        return {}
    # an approved closure is the engineer's own
    is_closed_by_office = event.actor == Actor.DISPATCHER and not facts.get("reviewed")
    if kind in TITLES_FOR_PRESENT and (kind != EventKind.CLOSED or is_closed_by_office):
        return dict.fromkeys(_present(event.job), str(TITLES_FOR_PRESENT[kind]))
    words_of = {EventKind.RESCHEDULED: _("Visit rescheduled"), EventKind.UNASSIGNED: _("Job unassigned")}
    numbers = [facts[name] for name in ("engineer_number", "second_number") if facts.get(name)]
    titles_by_engineer = dict.fromkeys(numbers, words_of[kind]) if kind in words_of else {}
    return titles_by_engineer | (_of_second_engineer(facts) if kind == EventKind.RESCHEDULED else {})


def _of_assignment(facts: dict[str, Any]) -> dict[str, str]:
    is_half_done = facts.get("state_then") == JobState.ON_SITE
    before, accompanies = facts.get("instead_of_number"), facts.get("second_number")
    return {
        **({before: _("Job reassigned")} if before else {}),
        **({accompanies: _("You accompany another colleague")} if accompanies else {}),
        **_of_second_engineer(facts),
        facts["engineer_number"]: _("Job handed over to you") if is_half_done else _("New job"),
    }


def _of_second_engineer(facts: dict[str, Any]) -> dict[str, str]:
    """Who accompanies from now on, and who no longer does."""
    before, number = facts.get("second_before_number"), facts.get("second_number")
    titles_by_engineer = {before: _("You no longer accompany this job")} if before else {}
    return titles_by_engineer | ({number: _("New job: you accompany")} if facts.get("second_is_new") else {})


def _present(job: Job) -> list[str]:
    numbers = ("engineer__staff_number", "second_engineer__staff_number")
    return [number for row in job.visits.active().values_list(*numbers) for number in row if number]
