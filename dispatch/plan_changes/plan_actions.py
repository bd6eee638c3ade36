"""Changes of the plan by a dispatcher: of several jobs at once, remembered, undone and redone.

A change moves all its jobs or none. What somebody changed since is never overwritten: undo and redo carry the plan
that they left, as every other change does.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain

from django.db import transaction
from django.utils import timezone

from dispatch import visits
from dispatch.job_events import IllegalEvent, Performer
from dispatch.models import Job, Mark, PlanAction, PlanActionQuerySet, PlanStep, ProposedChange, Visit
from dispatch.models.plan_history import PEOPLE
from dispatch.plan_changes import plan_absences, plan_marks, plan_overruns
from dispatch.plan_changes.plan_refusals import JobRefusal, PlanRefused
from dispatch.plan_changes.plan_versions import PlanChanged, plan_version, rename_version
from dispatch.problems import ActionRefused
from dispatch.states import UNDER_WAY
from dispatch.teams import Second, SecondEngineer, lock_engineers
from engineers.models import Engineer, User
from engineers.shifts import TimeSpan

MAX_STORED = 20
# a plan of this morning is not put back in the evening
MAX_AGE = timedelta(hours=12)


@dataclass(frozen=True)
class AssignmentChange:
    """Where a job is to go: to an engineer from `starts_at`, or to nobody (both None). `seen`: the plan version that
    was decided on. `second_engineer`: who accompanies, unless it is whoever does so now."""

    job: Job
    engineer: Engineer | None = None
    starts_at: datetime | None = None
    seen: str | None = None
    second_engineer: SecondEngineer = Second.AS_PLANNED


class NothingToUndo(Exception):
    """No action of this dispatcher is left to undo or to redo."""


@transaction.atomic
def change_plan(
    changes: Sequence[AssignmentChange],
    *,
    by: Performer,
    not_before: datetime | None = None,
    reason: str = "",
    action: PlanAction | None = None,
) -> PlanAction | None:
    """Move these jobs together and remember it, as a part of `action` where one is given; None where no job of them
    has changed or could be put back. A `reason` is recorded, and overrides what may be overridden. Raises PlanRefused
    with the reasons of every job; nothing has changed then."""
    current = lock_changes(changes)
    # an undo puts nobody back on the way or on site
    before = [
        None if change.job.state in UNDER_WAY else _step_before(change, current.get(change.job.pk))
        for change in changes
    ]
    planned = _move_all(changes, by=by, not_before=not_before, reason=reason)
    pairs = zip(before, planned, strict=True)
    steps = [(step, visit) for step, visit in pairs if step and step.version_before != plan_version(visit)]
    if not steps:
        return None
    remembered = action or new_action(_user(by))
    for step, visit in steps:
        step.action, step.version_after = remembered, plan_version(visit)
        step.engineer_after, step.second_after, step.start_after = _assignment(visit)
        step.save()
    return remembered


@transaction.atomic
def mark_absent(engineer: Engineer, *, span: TimeSpan, reason: str, by: Performer) -> PlanAction | None:
    """Enter an absence as an action of its own, which can be undone; None where one has these times already. The
    `reason` stays in the absence alone."""
    lock_engineers([engineer.pk])  # two people who enter it at once: the second finds it
    if plan_absences.has_absence(engineer, span):
        return None
    action = new_action(_user(by))
    plan_absences.enter_absence(action, engineer=engineer, span=span, reason=reason, by=_user(by))
    return action


@transaction.atomic
def mark_jobs(
    jobs: Iterable[Job],
    mark: Mark,
    *,
    by: Performer,
    reason: str = "",
    element: str = "",
    seen: str | None = None,
) -> PlanAction | None:
    """Pin or unpin, hold or release these jobs as one action of its own, with a step for each that was not so already;
    None when all were. `element` as for holds.hold_job, `seen` and what it raises as for plan_marks.mark_jobs."""
    steps = plan_marks.mark_jobs(jobs, mark, by=by, reason=reason, element=element, seen=seen)
    if not steps:
        return None
    action = new_action(_user(by))
    plan_marks.remember_marks(action, steps)
    return action


def lock_changes(changes: Sequence[AssignmentChange]) -> dict[int, Visit]:
    """Jobs before engineers and each in the order of their keys, as every other change does: no two wait in a ring.
    Gives the jobs' visits by the job's key: nobody changes one without the lock of its job."""
    jobs = Job.objects.select_for_update().filter(pk__in=[change.job.pk for change in changes]).order_by("pk")
    fresh = {job.pk: job for job in jobs}
    for change in changes:
        change.job.state = fresh[change.job.pk].state
    current = Visit.objects.current_by_job(list(fresh))
    lock_engineers(_engineers_of(changes, current.values()))
    return current


def _engineers_of(changes: Sequence[AssignmentChange], current: Iterable[Visit]) -> set[int]:
    """Whoever gets a visit (keys), also those who accompany today and still will."""
    wanted = [
        person.pk
        for change in changes
        for person in (change.engineer, change.second_engineer)
        if isinstance(person, Engineer)
    ]
    present = [visit.people_keys for visit in current if visit.second_engineer_id]
    return {*wanted, *chain.from_iterable(present)}


def _step_before(change: AssignmentChange, visit: Visit | None) -> PlanStep:
    return PlanStep(
        job=change.job,
        engineer_before_id=visit.engineer_id if visit else None,
        second_before_id=visit.second_engineer_id if visit else None,
        start_before=visit.planned_start if visit else None,
        version_before=plan_version(visit),
    )


def _assignment(visit: Visit | None) -> tuple[Engineer | None, Engineer | None, datetime | None]:
    return (visit.engineer, visit.second_engineer, visit.planned_start) if visit else (None, None, None)


def _move_all(
    changes: Sequence[AssignmentChange], *, by: Performer, not_before: datetime | None, reason: str
) -> list[Visit | None]:
    """The visits that the jobs have afterwards. Each is checked against those already moved, and against none that is
    still to go elsewhere."""
    planned: list[Visit | None] = []
    refusals: list[JobRefusal] = []
    for number, change in enumerate(changes):
        # who cannot go where it should is in nobody's way either: each job has its own reasons
        leaving = {later.job.pk for later in changes[number + 1 :]} | {refusal.job.pk for refusal in refusals}
        try:
            planned.append(_move(change, by=by, not_before=not_before, reason=reason, leaving=leaving))
        except ActionRefused as refused:
            refusals.append(JobRefusal(change.job, refused.problems, isinstance(refused, PlanChanged)))
        except IllegalEvent as refused:
            refusals.append(JobRefusal.of_state(change.job, refused))
    if refusals:
        raise PlanRefused(refusals)
    return planned


def _move(
    change: AssignmentChange,
    *,
    by: Performer,
    not_before: datetime | None,
    reason: str,
    leaving: Collection[int],
) -> Visit | None:
    if change.engineer is None or change.starts_at is None:
        visits.unassign(job=change.job, by=by, reason=reason, seen=change.seen)
        return None
    return visits.assign(
        job=change.job,
        engineer=change.engineer,
        starts_at=change.starts_at,
        by=by,
        not_before=not_before,
        seen=change.seen,
        override_reason=reason,
        leaving=leaving,
        second_engineer=change.second_engineer,
    )


def new_action(user: User) -> PlanAction:
    """What was undone can be redone until something new is done; older actions than the last twenty are forgotten."""
    user.plan_actions.undone().delete()
    action = PlanAction.objects.create(user=user, made_at=timezone.now())
    stored = user.plan_actions.done().values_list("pk", flat=True)[:MAX_STORED]
    user.plan_actions.exclude(pk__in=list(stored)).delete()
    return action


def _user(by: Performer) -> User:
    assert by.user, "only a person changes the plan by hand"
    return by.user


def last_action(user: User) -> PlanAction | None:
    """What an undo would take back, with its steps: not the one of a job that has begun since, but one before it."""
    return _fresh_actions(user).done().first()


def take_back_absence(key: int, *, engineer: Engineer, by: Performer) -> None:
    """Undo the action of this key, also a colleague's, that entered an absence of this engineer and nothing else;
    otherwise raises NothingToUndo."""
    recent = PlanAction.objects.filter(pk=key, made_at__gt=timezone.now() - MAX_AGE)
    action = recent.done().filter(steps=None, absence_steps__engineer=engineer).first()
    if action is None:
        raise NothingToUndo
    undo(action, by=by)


def last_undone(user: User) -> PlanAction | None:
    """What a redo would do again, with its steps."""
    return _fresh_actions(user).undone().first()


def _fresh_actions(user: User) -> PlanActionQuerySet:
    recent = user.plan_actions.filter(made_at__gt=timezone.now() - MAX_AGE)
    return recent.in_scope().still_possible().with_steps()


def undo(action: PlanAction, *, by: Performer) -> None:
    """Put the jobs where they were before. Raises NothingToUndo when it was undone already, and PlanRefused."""
    _repeat(action, by=by, is_undo=True)


def redo(action: PlanAction, *, by: Performer) -> None:
    """Do again what was undone. Raises NothingToUndo when it was done again already, and PlanRefused."""
    _repeat(action, by=by, is_undo=False)


def _repeat(action: PlanAction, *, by: Performer, is_undo: bool) -> None:
    try:
        with transaction.atomic():
            _repeat_all(action, by=by, is_undo=is_undo)
    except PlanRefused as refused:
        _drop_conflicts(action, refused)
        raise


def _repeat_all(action: PlanAction, *, by: Performer, is_undo: bool) -> None:
    found = PlanAction.objects.in_scope().select_for_update()
    current = found.filter(pk=action.pk, undone_at__isnull=is_undo)
    if not current.exists():
        raise NothingToUndo
    steps = list(action.steps.select_related("job", *PEOPLE))
    changes = [_back(step) if is_undo else _again(step) for step in steps]
    lock_changes([*changes, *map(AssignmentChange, plan_overruns.longer_jobs(action))])
    plan_absences.repeat_absences(action, by=_user(by), is_undo=is_undo)
    plan_marks.repeat_marks(action, by=by, is_undo=is_undo)
    # the reason is recorded; what was planned before counts again although a rule may be against it by now
    planned = _move_all(changes, by=by, not_before=None, reason="Undone" if is_undo else "Redone")
    # a moved job has another visit by now, which takes as long as the one before it
    plan_overruns.repeat_overruns(action, is_undo=is_undo)
    for step, visit in zip(steps, planned, strict=True):
        was = step.version_before if is_undo else step.version_after
        rename_version(step.job, was=was, now=plan_version(visit))
        _mark_proposed(step, is_undo=is_undo)
    current.update(undone_at=timezone.now() if is_undo else None)


def _mark_proposed(step: PlanStep, *, is_undo: bool) -> None:
    """A change of a proposal that the action accepted is accepted as long as it stands."""
    proposed = ProposedChange.objects.filter(action=step.action_id, job=step.job)
    proposed.filter(accepted_at__isnull=not is_undo).update(accepted_at=None if is_undo else timezone.now())


def _back(step: PlanStep) -> AssignmentChange:
    return AssignmentChange(
        step.job, step.engineer_before, step.start_before, step.version_after, step.second_before
    )


def _again(step: PlanStep) -> AssignmentChange:
    return AssignmentChange(
        step.job, step.engineer_after, step.start_after, step.version_before, step.second_after
    )


def _drop_conflicts(action: PlanAction, refused: PlanRefused) -> None:
    """What somebody else has changed is reported once; the rest and older actions can be undone after it."""
    conflicts = [refusal.job.pk for refusal in refused.refusals if refusal.is_conflict]
    action.steps.filter(job__in=conflicts).delete()
    action.mark_steps.filter(job__in=conflicts).delete()
    left = PlanAction.objects.get(pk=action.pk)  # the steps of `action` were fetched before
    kinds = (left.steps, left.absence_steps, left.mark_steps, left.overrun_steps)
    if not any(steps.exists() for steps in kinds):
        left.delete()
