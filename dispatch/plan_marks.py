"""Pins and holds as a part of a change of the plan: put on, taken off, and the other way round by undo."""

from dispatch import holds, pins
from dispatch.job_events import Performer
from dispatch.models import Job, Mark, MarkStep, PlanAction
from dispatch.states import EventKind

_OPPOSITE = {
    Mark.PINNED: Mark.UNPINNED,
    Mark.UNPINNED: Mark.PINNED,
    Mark.HELD: Mark.RELEASED,
    Mark.RELEASED: Mark.HELD,
}


def repeat_marks(action: PlanAction, *, by: Performer, is_undo: bool) -> None:
    """Take off what the action put on, or put it on again. What is so already stays so. Raises IllegalEvent where the
    visit has begun or gone."""
    for step in action.mark_steps.select_related("job"):
        mark = Mark(step.mark)
        put_mark(step.job, _OPPOSITE[mark] if is_undo else mark, by=by, element=step.element)


def put_mark(
    job: Job, mark: Mark, *, by: Performer, element: str = "", reason: str = "", seen: str | None = None
) -> bool:
    """False when it is so already, or can be so no more. `reason` of a hold: the one before where none is given."""
    if mark in {Mark.PINNED, Mark.UNPINNED}:
        return pins.pin_visit(job=job, is_pinned=mark == Mark.PINNED, by=by, seen=seen)
    if mark == Mark.RELEASED:
        return holds.release_job(job=job, by=by)
    return holds.hold_job(job=job, by=by, reason=reason or _last_reason(job), element=element)


def _last_reason(job: Job) -> str:
    event = job.events.filter(kind=EventKind.HELD).order_by("-seq").first()
    return str(event.facts.get("reason", "")) if event else ""


def remember_mark(action: PlanAction, job: Job, mark: Mark, *, element: str) -> None:
    MarkStep.objects.create(action=action, job=job, mark=mark, element=element)
