"""Visits that take longer than planned as a part of a change of the plan: entered, taken back and entered again."""

from datetime import datetime, timedelta

from dispatch.models import Job, JobQuerySet, OverrunStep, PlanAction, Visit


def overrun_with(visit: Visit | None, longer: timedelta, *, now: datetime) -> timedelta:
    """What the visit, or one that is still to be planned, takes beyond its planned length if it takes so much longer
    than expected: whoever says that on site says it from now, or from when it would have ended."""
    if visit is None:
        return longer
    overdue = now - (visit.arrived_at + visit.expected_length) if visit.arrived_at else timedelta()
    return visit.overrun + longer + max(overdue, timedelta())


def enter_overrun(action: PlanAction, *, visit: Visit, overrun: timedelta) -> None:
    """As a part of this action, in the transaction of the caller, which has locked the job."""
    OverrunStep.objects.create(action=action, visit=visit, before=visit.overrun, after=overrun)
    Visit.objects.filter(pk=visit.pk).update(overrun=overrun)


def overrun_of_next(visit: Visit | None) -> timedelta:
    """What the visit that comes after this one, also after a time with nobody, takes beyond its planned length: the job
    takes as long whoever has it, but what was begun on site goes on with what is left of it."""
    return visit.overrun if visit and visit.arrived_at is None else timedelta()


def longer_jobs(action: PlanAction) -> JobQuerySet:
    """Of which the action says that they take longer."""
    return Job.objects.filter(visits__in=action.overrun_steps.values("visit"))


def repeat_overruns(action: PlanAction, *, is_undo: bool) -> None:
    """Take back what the action entered, or enter it again, in the visits that its jobs have now: in the transaction of
    the caller, which has locked and moved them. What somebody has changed meanwhile stays so."""
    for step in action.overrun_steps.select_related("visit"):
        was, now = (step.after, step.before) if is_undo else (step.before, step.after)
        Visit.objects.current().filter(job=step.visit.job_id, overrun=was).update(overrun=now)
