"""Changes of the plan by a dispatcher: of several jobs at once, remembered, undone and redone.

A change moves all its jobs or none. What somebody changed since is never overwritten: undo and redo carry the plan
that they left, as every other change does.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from dispatch.job_events import Performer
from dispatch.models import (
    Job,
    PinHoldChange,
    PlanAction,
    PlanActionQuerySet,
    PlanStep,
    ProposedChange,
    Visit,
)
from dispatch.models.plan_history import PEOPLE
from dispatch.plan_changes import pin_hold_steps, plan_absences, plan_overruns
from dispatch.plan_changes.assignment_changes import AssignmentChange, list_blocked, lock_changes, move_all
from dispatch.plan_changes.plan_refusals import JobRefusal, PlanRefused
from dispatch.plan_changes.plan_versions import plan_version, rename_version
from dispatch.states import UNDER_WAY
from dispatch.teams import lock_engineers
from engineers import rota
from engineers.models import Engineer, User
from engineers.shifts import TimeSpan
from monitoring.coded_texts import Reason, coded_text

MAX_STORED = 20
# a plan of this morning is not put back in the evening
MAX_AGE = timedelta(hours=12)


class NothingToUndo(Exception):
    """No action of this dispatcher is left to undo or to redo."""


@transaction.atomic
def change_plan(
    changes: Sequence[AssignmentChange],
    *,
    by: Performer,
    not_before: datetime | None = None,
    reason: Reason = "",
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
    planned = move_all(changes, by=by, not_before=not_before, reason=reason)
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
    """Enter an absence as an action of its own, which can be undone; None where one has these times already, which
    takes the reason where it had none. The `reason` stays in the absence alone. Raises rota.OtherReason."""
    lock_engineers([engineer.pk])  # two people who enter it at once: the second finds it
    if plan_absences.has_absence(engineer, span):
        rota.add_absence(
            engineer=engineer, starts_at=span.start, ends_at=span.end, reason=reason, by=_user(by)
        )
        return None
    action = new_action(_user(by))
    plan_absences.enter_absence(action, engineer=engineer, span=span, reason=reason, by=_user(by))
    return action


@transaction.atomic
def pin_or_hold_jobs(
    jobs: Iterable[Job],
    change: PinHoldChange,
    *,
    by: Performer,
    reason: Reason = "",
    element: str = "",
    seen: str | None = None,
) -> PlanAction | None:
    """Pin or unpin, hold or release these jobs as one action of its own, with a step for each that was not so already;
    None when all were. `element` as for holds.hold_job, `seen` and what it raises as for
    pin_hold_steps.pin_or_hold_jobs."""
    steps = pin_hold_steps.pin_or_hold_jobs(jobs, change, by=by, reason=reason, element=element, seen=seen)
    if not steps:
        return None
    action = new_action(_user(by))
    pin_hold_steps.remember_steps(action, steps)
    return action


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


def new_action(user: User) -> PlanAction:
    """What was undone can be redone until something new is done; older actions than the last twenty are forgotten."""
    _forget(user.plan_actions.undone())
    action = PlanAction.objects.create(user=user, made_at=timezone.now())
    stored = user.plan_actions.done().values_list("pk", flat=True)[:MAX_STORED]
    _forget(user.plan_actions.exclude(pk__in=list(stored)))
    return action


def _forget(actions: PlanActionQuerySet) -> None:
    """Locked before their steps are deleted: whoever repeats one changes the steps under its lock."""
    locked = list(actions.order_by("pk").select_for_update().values_list("pk", flat=True))
    if locked:
        PlanAction.objects.filter(pk__in=locked).delete()


def _user(by: Performer) -> User:
    assert by.user, "only a person changes the plan by hand"
    return by.user


def last_action(user: User) -> PlanAction | None:
    """What an undo would take back, with its steps: not one whose jobs have all begun since, but one before it."""
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


def undo(action: PlanAction, *, by: Performer) -> list[JobRefusal]:
    """Put the jobs where they were before, but those that have begun since; the others that cannot go there stay, and
    are forgotten: why. Raises NothingToUndo when it was undone already, and PlanRefused where nothing can go back."""
    return _repeat(action, by=by, is_undo=True)


def redo(action: PlanAction, *, by: Performer) -> list[JobRefusal]:
    """Do again what was undone; gives and raises what undo does."""
    return _repeat(action, by=by, is_undo=False)


def _repeat(action: PlanAction, *, by: Performer, is_undo: bool) -> list[JobRefusal]:
    refusals, is_repeated = _repeat_possible(action, by=by, is_undo=is_undo)
    if not is_repeated:
        raise PlanRefused(refusals)
    return refusals


@transaction.atomic
def _repeat_possible(action: PlanAction, *, by: Performer, is_undo: bool) -> tuple[list[JobRefusal], bool]:
    """Why some jobs stay where they are, and whether anything else was repeated."""
    # locked until the end: with the jobs that are refused, others stay that were to have their places
    visits = _lock_all(action, _moves(action, is_undo=is_undo).values())
    # after jobs and engineers, as a new action, which forgets others
    found = PlanAction.objects.in_scope().select_for_update()
    current = found.filter(pk=action.pk, undone_at__isnull=is_undo).first()
    if current is None:
        raise NothingToUndo
    refusals: list[JobRefusal] = []
    while True:
        staying = [visits[refusal.job.pk] for refusal in refusals if refusal.job.pk in visits]
        try:
            with transaction.atomic():
                _repeat_all(current, visits, staying, by=by, is_undo=is_undo)
        except PlanRefused as refused:
            refusals += refused.refusals
            _drop_refused(current, refused)
        except NothingToUndo:
            if not refusals:
                raise
            return refusals, False
        else:
            return refusals, True


def _moves(action: PlanAction, *, is_undo: bool) -> dict[PlanStep, AssignmentChange]:
    """Read anew each time: a move that is taken back leaves its job in memory as it was to be."""
    steps = action.steps.select_related("job", *PEOPLE)
    return {step: _back(step) if is_undo else _again(step) for step in steps}


def _repeat_all(
    action: PlanAction, visits: Mapping[int, Visit], staying: Iterable[Visit], *, by: Performer, is_undo: bool
) -> None:
    moves = _possible_moves(action, _moves(action, is_undo=is_undo), visits, staying)
    plan_absences.repeat_absences(action, by=_user(by), is_undo=is_undo)
    pin_hold_steps.repeat_steps(action, by=by, is_undo=is_undo)
    reason = coded_text("plan_undone" if is_undo else "plan_redone")
    # the reason is recorded; what was planned before counts again although a rule may be against it by now
    planned = move_all([*moves.values()], by=by, not_before=None, reason=reason)
    # a moved job has another visit by now, which takes as long as the one before it
    plan_overruns.repeat_overruns(action, is_undo=is_undo)
    for step, visit in zip(moves, planned, strict=True):
        was = step.version_before if is_undo else step.version_after
        rename_version(step.job, was=was, now=plan_version(visit))
        _mark_proposed(step, is_undo=is_undo)
    action.undone_at = timezone.now() if is_undo else None
    action.save(update_fields=["undone_at"])


def _lock_all(action: PlanAction, changes: Iterable[AssignmentChange]) -> dict[int, Visit]:
    """Whatever the action is about: the visits that its jobs have, by the job's key."""
    longer = map(AssignmentChange, plan_overruns.longer_jobs(action))
    marked = [AssignmentChange(step.job) for step in action.pin_hold_steps.select_related("job")]
    absent = action.absence_steps.values_list("engineer", flat=True)
    return lock_changes([*changes, *longer, *marked], engineers=absent)


def _possible_moves(
    action: PlanAction,
    moves: Mapping[PlanStep, AssignmentChange],
    visits: Mapping[int, Visit],
    staying: Iterable[Visit],
) -> dict[PlanStep, AssignmentChange]:
    """Those of jobs on which nobody has set off since. Raises NothingToUndo where the action has nothing else, and
    PlanRefused with those whose earlier time a visit has that stays: one that has begun, one of `staying`, or one that
    cannot go back because of another of these."""
    left = {step: change for step, change in moves.items() if not step.has_begun}
    others = (action.absence_steps, action.pin_hold_steps, action.overrun_steps)
    if not left and not any(kind.exists() for kind in others):
        raise NothingToUndo
    begun = [visits[step.job_id] for step in moves if step.has_begun and step.job_id in visits]
    if blocked := list_blocked(left.values(), visits, [*begun, *staying]):
        raise PlanRefused(blocked)
    return left


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


def _drop_refused(action: PlanAction, refused: PlanRefused) -> None:
    """What somebody else has changed, or a rule is against by now, is reported once; the rest and older actions can be
    undone after it."""
    jobs = [refusal.job.pk for refusal in refused.refusals]
    action.steps.filter(job__in=jobs).delete()
    action.pin_hold_steps.filter(job__in=jobs).delete()
    kinds = (action.steps, action.absence_steps, action.pin_hold_steps, action.overrun_steps)
    if not any(steps.exists() for steps in kinds):
        PlanAction.objects.filter(pk=action.pk).delete()
