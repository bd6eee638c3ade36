"""Jobs that the office holds back, as while the network is down at their node: they stay on the board, and nobody
assigns them until they are released. An engineer who starts one all the same is not stopped, since the start is a fact:
the office is alerted (dispatch.attention). The seller hears nothing of a hold."""

from django.db import transaction
from django.utils import timezone

from dispatch import job_events
from dispatch.job_events import Performer
from dispatch.models import Job
from dispatch.states import EVENTS, EventKind, JobState, is_legal
from monitoring import alarms
from monitoring.coded_texts import Reason, reason_json, stored_reason
from monitoring.models import AlarmKind

# whoever is on site goes on
HOLDABLE = EVENTS[EventKind.PUT_ON_HOLD].legal_in


@transaction.atomic
def hold_job(*, job: Job, by: Performer, reason: Reason, element: str = "") -> bool:
    """Hold it back with its visit; False when it is on hold already, or somebody is on site or done. `element`: the
    subject of the alarm for which it is held. An engineer who is en route is warned, not stopped."""
    job = job_events.lock_job(job)
    if job.on_hold_since or job.state not in HOLDABLE:
        return False
    job.on_hold_since, job.on_hold_for = timezone.now(), element
    facts = {"reason": reason_json(reason)}
    job_events.record_event(
        job=job, kind=EventKind.PUT_ON_HOLD, by=by, facts=facts, changed=["on_hold_since", "on_hold_for"]
    )
    return True


def last_reason(job: Job) -> Reason:
    """Why it is on hold, or was last."""
    event = job.events.filter(kind=EventKind.PUT_ON_HOLD).order_by("-seq").first()
    return stored_reason(event.facts.get("reason")) if event else ""


@transaction.atomic
def release_job(*, job: Job, by: Performer) -> bool:
    """It may be assigned and started again, at the time that was planned; False when it was not on hold."""
    job = job_events.lock_job(job)
    if job.on_hold_since is None or not is_legal(EventKind.RELEASED, state=JobState(job.state)):
        return False
    job.on_hold_since, job.on_hold_for = None, ""
    job_events.record_event(job=job, kind=EventKind.RELEASED, by=by, changed=["on_hold_since", "on_hold_for"])
    alarms.clear_alarm(AlarmKind.STARTED_ON_HOLD, job.provider_job_id)
    return True
