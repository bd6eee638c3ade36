"""Pins and holds as a part of a change of the plan: put on, taken off, and the other way round by undo."""

from collections.abc import Iterable

from dispatch import holds, pins
from dispatch.job_events import IllegalEvent, Performer
from dispatch.models import Job, PinHoldChange, PinHoldStep, PlanAction
from dispatch.plan_changes.plan_refusals import JobRefusal, PlanRefused
from dispatch.plan_changes.plan_versions import (
    KINDS,
    PlanChanged,
    last_change,
    plan_version,
    refuse_changed_plan,
)
from dispatch.problems import Problem
from dispatch.states import EventKind
from monitoring.coded_texts import Reason

_OPPOSITE = {
    PinHoldChange.PINNED: PinHoldChange.UNPINNED,
    PinHoldChange.UNPINNED: PinHoldChange.PINNED,
    PinHoldChange.HELD: PinHoldChange.RELEASED,
    PinHoldChange.RELEASED: PinHoldChange.HELD,
}
_HOLDS = (EventKind.PUT_ON_HOLD, EventKind.RELEASED)
_PINS = (EventKind.PINNED, EventKind.UNPINNED)


def pin_or_hold_jobs(
    jobs: Iterable[Job],
    change: PinHoldChange,
    *,
    by: Performer,
    reason: Reason,
    element: str,
    seen: str | None,
) -> list[PinHoldStep]:
    """The step of each job that was not so already, to be remembered; in the transaction of the caller. `seen`: the
    plan version of a visit to pin or of a job to hold, the hold_version of one to release. Raises PlanChanged, as
    pins.pin_visit does."""
    found = (
        _change_job(job, change, by=by, reason=reason, element=element, seen=seen) for job in _locked(jobs)
    )
    return [step for step in found if step]


def _locked(jobs: Iterable[Job]) -> list[Job]:
    """In the order of their keys, as every other change of several does: no two wait in a ring."""
    keys = [job.pk for job in jobs]
    return list(Job.objects.select_for_update().filter(pk__in=keys).order_by("pk"))


def _change_job(
    job: Job, change: PinHoldChange, *, by: Performer, reason: Reason, element: str, seen: str | None
) -> PinHoldStep | None:
    before, element = _version(job, change), element or job.on_hold_for
    if not _apply(job, change, by=by, reason=reason, element=element, seen=seen):
        return None
    return PinHoldStep(
        job=job,
        change=change,
        element=element,
        plan=_plan_of(job, change),
        version_before=before,
        version_after=_version(job, change),
    )


def remember_steps(action: PlanAction, steps: Iterable[PinHoldStep]) -> None:
    """As parts of this action."""
    for step in steps:
        step.action = action
        step.save()


def hold_version(job: Job) -> int:
    """Another one after each hold and each release."""
    return _version(job, PinHoldChange.HELD)


def _version(job: Job, change: PinHoldChange) -> int:
    """Another one each time that this or its opposite is put on the job."""
    event = job.events.filter(kind__in=_PINS if change.is_pin_change else _HOLDS).order_by("-seq").first()
    return event.seq if event else 0


def _plan_of(job: Job, change: PinHoldChange) -> str:
    """The visit that a pin is about; a hold is about the job, whatever its plan."""
    return plan_version(job.visits.current().first()) if change.is_pin_change else ""


def repeat_steps(action: PlanAction, *, by: Performer, is_undo: bool) -> None:
    """Take off what the action put on, or put it on again. Raises PlanRefused with the jobs that somebody held,
    released or began since, and those whose visit somebody pinned, unpinned or planned anew."""
    steps = list(action.pin_hold_steps.order_by("job"))
    jobs = {job.pk: job for job in _locked(step.job for step in steps)}
    found = [_refusal(step, jobs[step.job_id], by=by, is_undo=is_undo) for step in steps]
    if refusals := [refusal for refusal in found if refusal]:
        raise PlanRefused(refusals)


def _refusal(step: PinHoldStep, job: Job, *, by: Performer, is_undo: bool) -> JobRefusal | None:
    """None when it is done."""
    try:
        text = _repeat(step, job, by=by, is_undo=is_undo)
    except IllegalEvent as refused:
        return JobRefusal.of_state(job, refused)
    return JobRefusal(job, [Problem("plan_changed", "version", text)], is_conflict=True) if text else None


def _repeat(step: PinHoldStep, job: Job, *, by: Performer, is_undo: bool) -> str:
    """Why not; empty when it is done. Raises IllegalEvent."""
    change = _OPPOSITE[PinHoldChange(step.change)] if is_undo else PinHoldChange(step.change)
    found, wanted = step.version_after, step.version_before
    if not is_undo:
        found, wanted = wanted, found
    if _version(job, change) != found or _plan_of(job, change) != step.plan:
        return last_change(job, (*_PINS, *KINDS) if change.is_pin_change else _HOLDS)
    if not _apply(job, change, by=by, element=step.element):
        return last_change(job)
    _rename_version(job, change, was=wanted, now=_version(job, change))
    return ""


def _rename_version(job: Job, change: PinHoldChange, *, was: int, now: int) -> None:
    """It is so again by another event: older actions on this job can be undone after this one."""
    steps = PinHoldStep.objects.filter(job=job, change__in=(change, _OPPOSITE[change]))
    steps.filter(version_before=was).update(version_before=now)
    steps.filter(version_after=was).update(version_after=now)


def _apply(
    job: Job,
    change: PinHoldChange,
    *,
    by: Performer,
    element: str = "",
    reason: Reason = "",
    seen: str | None = None,
) -> bool:
    """False when it is so already, or can be so no more. `reason` of a hold: the one before where none is given."""
    if change.is_pin_change:
        return pins.pin_visit(job=job, is_pinned=change == PinHoldChange.PINNED, by=by, seen=seen)
    if change == PinHoldChange.RELEASED:
        _refuse_newer_hold(job, seen)
        return holds.release_job(job=job, by=by)
    refuse_changed_plan(job, visit=job.visits.current().first(), seen=seen)
    return holds.hold_job(job=job, by=by, reason=reason or holds.last_reason(job), element=element)


def _refuse_newer_hold(job: Job, seen: str | None) -> None:
    """Raises PlanChanged where somebody released it and put it on hold again since; None asks for nothing."""
    if job.on_hold_since and seen not in {None, str(hold_version(job))}:
        raise PlanChanged([Problem("plan_changed", "hold", last_change(job, _HOLDS))])
