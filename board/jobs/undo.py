"""Undo and redo of a dispatcher's changes of the plan: what is offered, in words, and the buttons' answers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from board.formatting import format_moment, format_span_with_day, format_team
from board.links import Link, engineer_links, job_link
from dispatch.models import AbsenceStep, Job, OverrunStep, PinHoldChange, PinHoldStep, PlanAction, PlanStep
from dispatch.plan_changes import plan_actions
from dispatch.plan_changes.plan_refusals import PlanRefused
from dispatch.problems import Problem
from engineers.models import Engineer, User
from engineers.shifts import TimeSpan

# so long a page that is loaded shows a change with its way back (static/js/board/day/undo.js: 15 s, and once);
# later it is behind the button in the head
SHOW_FOR = timedelta(minutes=1)
MARKS = {
    PinHoldChange.PINNED: gettext_lazy("%(place)s is pinned."),
    PinHoldChange.UNPINNED: gettext_lazy("%(place)s is no longer pinned."),
    PinHoldChange.HELD: gettext_lazy("%(place)s is on hold."),
    PinHoldChange.RELEASED: gettext_lazy("%(place)s is released."),
}
UNDONE_MARKS = {
    PinHoldChange.PINNED: gettext_lazy("%(place)s is no longer pinned."),
    PinHoldChange.UNPINNED: gettext_lazy("%(place)s is pinned again."),
    PinHoldChange.HELD: gettext_lazy("%(place)s is no longer on hold."),
    PinHoldChange.RELEASED: gettext_lazy("%(place)s is on hold again."),
}
JOBS_HELD = ngettext_lazy("%(number)d job is on hold.", "%(number)d jobs are on hold.", "number")
JOBS_RELEASED = ngettext_lazy("%(number)d job is released.", "%(number)d jobs are released.", "number")
JOBS_NOT_HELD = ngettext_lazy(
    "%(number)d job is no longer on hold.", "%(number)d jobs are no longer on hold.", "number"
)
JOBS_HELD_AGAIN = ngettext_lazy(
    "%(number)d job is on hold again.", "%(number)d jobs are on hold again.", "number"
)
VISITS_CHANGED = ngettext_lazy("%(number)d visit changed.", "%(number)d visits changed.", "number")
VISITS_AS_BEFORE = ngettext_lazy(
    "%(number)d visit is as before.", "%(number)d visits are as before.", "number"
)
VISITS_BEGUN = ngettext_lazy(
    "%(number)d visit has begun or ended and is kept.",
    "%(number)d visits have begun or ended and are kept.",
    "number",
)


@dataclass(frozen=True)
class ActionOffer:
    """One action that can be undone or redone. `change`: what was done, and a redo does again; `text`: what is so now.
    `is_new` where it is worth a message of its own."""

    action: int
    change: str
    text: str
    is_new: bool
    links: tuple[Link, ...]


def undo_offer(user: User) -> ActionOffer | None:
    """Passes over an action on all of whose jobs somebody has set off since."""
    action = plan_actions.last_action(user)
    return _offer(action, action.made_at, action_text) if action else None


def redo_offer(user: User) -> ActionOffer | None:
    action = plan_actions.last_undone(user)
    return _offer(action, action.undone_at, undone_text) if action else None


def _offer(action: PlanAction, since: datetime | None, text_of: Callable[[PlanAction], str]) -> ActionOffer:
    """New for a while after it was done or undone."""
    is_new = since is not None and timezone.now() - since < SHOW_FOR
    return ActionOffer(
        action.pk, action_text(action), text_of(action), is_new=is_new, links=action_links(action)
    )


def action_links(action: PlanAction) -> tuple[Link, ...]:
    """The jobs and the engineer that `action_text` or `undone_text` names."""
    steps, pins_and_holds = _steps_left(action), list(action.pin_hold_steps.all())
    named = pins_and_holds if len(pins_and_holds) == 1 else []
    jobs = [*(step.visit.job for step in action.overrun_steps.all()), *(step.job for step in named)]
    links = tuple(job_link(job.provider_job_id, title=job.title) for job in jobs)
    if len(steps) > 1:
        return links
    return links + tuple(
        link
        for step in steps
        for link in (
            job_link(step.job.provider_job_id, title=step.job.title),
            *engineer_links(*(who.name for who in (step.engineer_before, step.engineer_after) if who)),
        )
    )


def action_text(action: PlanAction) -> str:
    """`LS6 3AB assigned to Erin Engineer, Mon 23 Nov 08:30–10:30.`, or how many visits were changed."""
    return " ".join(_sentences(action, is_undone=False))


def undone_text(action: PlanAction) -> str:
    """What is so again: `Undone. LS6 3AB is unassigned again.`"""
    return " ".join([_("Undone."), *_sentences(action, is_undone=True)])


def _sentences(action: PlanAction, *, is_undone: bool) -> Iterator[str]:
    for absence in action.absence_steps.all():
        yield _absence_text(absence, is_undone=is_undone)
    for overrun in action.overrun_steps.all():
        yield _overrun_text(overrun, is_undone=is_undone)
    if pins_and_holds := list(action.pin_hold_steps.all()):
        yield _pins_and_holds_text(pins_and_holds, is_undone=is_undone)
    if steps := _steps_left(action):
        yield _steps_text(steps, is_undone=is_undone)
    if is_undone and (begun := len(action.steps.all()) - len(steps)):
        yield VISITS_BEGUN % {"number": begun}


def _steps_left(action: PlanAction) -> list[PlanStep]:
    """Those that undo and redo move."""
    return [step for step in action.steps.all() if not step.has_begun]


def _pins_and_holds_text(steps: Sequence[PinHoldStep], *, is_undone: bool) -> str:
    if len(steps) == 1:
        texts = UNDONE_MARKS if is_undone else MARKS
        return texts[PinHoldChange(steps[0].change)] % {"place": steps[0].job.title}
    held, released = (JOBS_NOT_HELD, JOBS_HELD_AGAIN) if is_undone else (JOBS_HELD, JOBS_RELEASED)
    return (held if steps[0].change == PinHoldChange.HELD else released) % {"number": len(steps)}


def _absence_text(step: AbsenceStep, *, is_undone: bool) -> str:
    text = (
        _("The absence of %(engineer)s from %(since)s is removed.")
        if is_undone
        else _("%(engineer)s marked absent from %(since)s.")
    )
    return text % {"engineer": step.engineer.name, "since": format_moment(step.starts_at)}


def _overrun_text(step: OverrunStep, *, is_undone: bool) -> str:
    text = (
        _("%(place)s is no longer expected to take longer.")
        if is_undone
        else _("%(place)s is expected to take longer.")
    )
    return text % {"place": step.visit.job.title}


def _steps_text(steps: Sequence[PlanStep], *, is_undone: bool) -> str:
    if len(steps) == 1:
        return _undone_step_text(steps[0]) if is_undone else _step_text(steps[0])
    return (VISITS_AS_BEFORE if is_undone else VISITS_CHANGED) % {"number": len(steps)}


def _step_text(step: PlanStep) -> str:
    job = step.job.title
    visit = _visit_text(step.job, step.engineer_after, step.second_after, step.start_after)
    if not visit:
        return _("%(place)s unassigned.") % {"place": job}
    return _("%(place)s assigned to %(visit)s.") % {"place": job, "visit": visit}


def _undone_step_text(step: PlanStep) -> str:
    job = step.job.title
    visit = _visit_text(step.job, step.engineer_before, step.second_before, step.start_before)
    if not visit:
        return _("%(place)s is unassigned again.") % {"place": job}
    return _("%(place)s is again assigned to %(visit)s.") % {"place": job, "visit": visit}


def _visit_text(job: Job, engineer: Engineer | None, second: Engineer | None, start: datetime | None) -> str:
    """Who and when; empty for an unassigned job."""
    if engineer is None or start is None:
        return ""
    span = TimeSpan(start, start + job.duration)
    return f"{format_team(engineer.name, second.name if second else '')}, {format_span_with_day(span)}"


def refusal_problems(action: PlanAction, refused: PlanRefused, *, is_undo: bool) -> list[Problem]:
    """Why an action cannot be undone or redone; each names its job where the action changed several."""
    is_of_several = action.steps.count() + action.pin_hold_steps.count() > 1
    sentence = (
        _("%(change)s Your change can't be undone.")
        if is_undo
        else _("%(change)s Your change can't be redone.")
    )
    problems = refused.named_problems if is_of_several else refused.problems
    return [replace(problem, message=sentence % {"change": problem.message}) for problem in problems]
