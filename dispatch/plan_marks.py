"""Pins and holds as a part of a change of the plan: put on, taken off, and the other way round by undo."""

from collections.abc import Iterable

from dispatch import holds, pins
from dispatch.job_events import IllegalEvent, Performer
from dispatch.models import Job, Mark, MarkStep, PlanAction
from dispatch.plan_refusals import JobRefusal, PlanRefused
from dispatch.plan_versions import last_change
from dispatch.problems import Problem
from dispatch.states import EventKind

_OPPOSITE = {
    Mark.PINNED: Mark.UNPINNED,
    Mark.UNPINNED: Mark.PINNED,
    Mark.HELD: Mark.RELEASED,
    Mark.RELEASED: Mark.HELD,
}
_HOLDS = (EventKind.HELD, EventKind.RELEASED)


def mark_jobs(
    jobs: Iterable[Job], mark: Mark, *, by: Performer, reason: str, element: str, seen: str | None
) -> list[MarkStep]:
    """The step of each job that was not so already, to be remembered; in the transaction of the caller."""
    found = (_mark_job(job, mark, by=by, reason=reason, element=element, seen=seen) for job in _locked(jobs))
    return [step for step in found if step]


def _locked(jobs: Iterable[Job]) -> list[Job]:
    """In the order of their keys, as every other change of several does: no two wait in a ring."""
    keys = [job.pk for job in jobs]
    return list(Job.objects.select_for_update().filter(pk__in=keys).order_by("pk"))


def _mark_job(
    job: Job, mark: Mark, *, by: Performer, reason: str, element: str, seen: str | None
) -> MarkStep | None:
    before, element = hold_version(job), element or job.held_for
    if not _put_mark(job, mark, by=by, reason=reason, element=element, seen=seen):
        return None
    after = hold_version(job)
    return MarkStep(job=job, mark=mark, element=element, version_before=before, version_after=after)


def remember_marks(action: PlanAction, steps: Iterable[MarkStep]) -> None:
    """As parts of this action."""
    for step in steps:
        step.action = action
        step.save()


def hold_version(job: Job) -> int:
    """Another one after each hold and each release."""
    event = job.events.filter(kind__in=_HOLDS).order_by("-seq").first()
    return event.seq if event else 0


def repeat_marks(action: PlanAction, *, by: Performer, is_undo: bool) -> None:
    """Take off what the action put on, or put it on again. A pin that is so already stays so. Raises PlanRefused with
    the jobs that somebody held, released or began since, and those whose pinned visit has begun or gone."""
    steps = list(action.mark_steps.order_by("job"))
    jobs = {job.pk: job for job in _locked(step.job for step in steps)}
    found = [_mark_refusal(step, jobs[step.job_id], by=by, is_undo=is_undo) for step in steps]
    if refusals := [refusal for refusal in found if refusal]:
        raise PlanRefused(refusals)


def _mark_refusal(step: MarkStep, job: Job, *, by: Performer, is_undo: bool) -> JobRefusal | None:
    """None when it is done."""
    try:
        text = _repeat_mark(step, job, by=by, is_undo=is_undo)
    except IllegalEvent as refused:
        return JobRefusal.of_state(job, refused)
    return JobRefusal(job, [Problem("plan_changed", "version", text)], is_conflict=True) if text else None


def _repeat_mark(step: MarkStep, job: Job, *, by: Performer, is_undo: bool) -> str:
    """Why not; empty when it is done. Raises IllegalEvent."""
    mark = _OPPOSITE[Mark(step.mark)] if is_undo else Mark(step.mark)
    found, wanted = step.version_after, step.version_before
    if not is_undo:
        found, wanted = wanted, found
    if not mark.is_of_pin and hold_version(job) != found:
        return last_change(job, _HOLDS)
    if not _put_mark(job, mark, by=by, element=step.element) and not mark.is_of_pin:
        return last_change(job)
    _rename_version(job, was=wanted, now=hold_version(job))
    return ""


def _rename_version(job: Job, *, was: int, now: int) -> None:
    """It is held or released again by another event: older actions on this job can be undone after this one."""
    steps = MarkStep.objects.filter(job=job)
    steps.filter(version_before=was).update(version_before=now)
    steps.filter(version_after=was).update(version_after=now)


def _put_mark(
    job: Job, mark: Mark, *, by: Performer, element: str = "", reason: str = "", seen: str | None = None
) -> bool:
    """False when it is so already, or can be so no more. `reason` of a hold: the one before where none is given."""
    if mark.is_of_pin:
        return pins.pin_visit(job=job, is_pinned=mark == Mark.PINNED, by=by, seen=seen)
    if mark == Mark.RELEASED:
        return holds.release_job(job=job, by=by)
    return holds.hold_job(job=job, by=by, reason=reason or _last_reason(job), element=element)


def _last_reason(job: Job) -> str:
    event = job.events.filter(kind=EventKind.HELD).order_by("-seq").first()
    return str(event.facts.get("reason", "")) if event else ""
