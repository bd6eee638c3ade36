"""Several visits of a day in one press: each job for itself to whoever fits best, to one engineer or to nobody, and two
engineers' days against each other. One after another: consecutive_jobs."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from django.db import transaction
from django.utils.translation import gettext as _

from dispatch import availability, visits
from dispatch.drive_problems import PLANNED
from dispatch.job_events import Performer
from dispatch.models import Job, PlanAction, Visit
from dispatch.other_visits import read_others
from dispatch.plan_changes import plan_actions
from dispatch.plan_changes.assignment_changes import AssignmentChange, lock_changes
from dispatch.plan_changes.plan_refusals import JobRefusal, PlanRefused
from dispatch.plan_changes.plan_versions import last_change, plan_version
from dispatch.problems import Problem, blocking_problems
from dispatch.quarter_hours import next_quarter
from dispatch.slots.free_slots import SlotSuggestion
from dispatch.slots.slot_data import SlotData, read_for_jobs
from dispatch.slots.slot_suggestions import suggest_slots
from dispatch.states import UNDER_WAY, JobState
from dispatch.visit_proposals import VisitProposal
from engineers.models import Engineer
from engineers.moment_texts import format_time
from engineers.shifts import day_span

# the version of a visit that the dispatcher did not see
UNSEEN = ""
PEOPLE_OF_VISIT = ("engineer__user", "second_engineer__user")


@dataclass(frozen=True)
class SeenJob:
    """A job, and the plan version that the dispatcher saw."""

    job: Job
    version: str | None = None


@dataclass(frozen=True)
class RowResult:
    """What became of one job: its visit, None when it is unassigned; with problems nothing has changed. `is_unchanged`:
    the visit was planned so already."""

    job: Job
    visit: Visit | None = None
    problems: list[Problem] = field(default_factory=list)
    is_unchanged: bool = False


def reassign_each(
    rows: Iterable[SeenJob], *, by: Performer, now: datetime, to: Engineer | None = None
) -> list[RowResult]:
    """Each job to the nearest engineer who is free, or `to` this one, at the earliest time that fits. One action for
    undo; a job that cannot go anywhere says why and stops no other."""
    rows, changes = list(rows), _Changes(by, now)
    reading = read_for_jobs([row.job for row in rows], now=now, only=to)
    for row in rows:
        change = _slot_change(row, to=to, now=now, reading=reading)
        if change is None:
            changes.problems[row.job.pk] = _slotless_problems(row.job, to=to, now=now)
        else:
            changes.make(row, change)
    return row_results(rows, changes.problems)


def no_time_from(begins: datetime, *, engineer: Engineer) -> Problem:
    text = _("%(engineer)s has no time for it in its window from %(at)s on.")
    parameters = {"engineer": engineer.name, "at": format_time(begins)}
    return Problem("nobody_free", "starts_at", text % parameters)


def row_results(rows: Sequence[SeenJob], problems: Mapping[int, list[Problem]]) -> list[RowResult]:
    """By the job's key what it was refused for. One query."""
    visits_read = Visit.objects.select_related(*PEOPLE_OF_VISIT)
    current = visits_read.current_by_job([row.job.pk for row in rows])
    return [_row_result(row, current.get(row.job.pk), problems.get(row.job.pk)) for row in rows]


def _row_result(row: SeenJob, visit: Visit | None, problems: list[Problem] | None) -> RowResult:
    if problems:
        return RowResult(row.job, problems=problems)
    return RowResult(row.job, visit, is_unchanged=plan_version(visit) == row.version)


def unassign_each(rows: Iterable[SeenJob], *, by: Performer, now: datetime) -> list[RowResult]:
    """Take each job off its engineer; as reassign_each otherwise. One that has none is as it shall be."""
    rows, changes = list(rows), _Changes(by, now)
    assigned = [row for row in rows if row.job.state != JobState.UNASSIGNED]
    for row in assigned:
        changes.make(row, AssignmentChange(row.job, seen=row.version))
    found = {result.job.pk: result for result in row_results(assigned, changes.problems)}
    return [found.get(row.job.pk, RowResult(row.job)) for row in rows]


@dataclass
class _Changes:
    """Changes one after the other, which are undone together. `problems`: by the key of each job that was refused."""

    by: Performer
    now: datetime
    action: PlanAction | None = None
    problems: dict[int, list[Problem]] = field(default_factory=dict)

    def make(self, row: SeenJob, change: AssignmentChange) -> None:
        try:
            made = plan_actions.change_plan([change], by=self.by, not_before=self.now, action=self.action)
        except PlanRefused as refused:
            self.problems[row.job.pk] = refused.problems
            return
        self.action = self.action or made


def _slot_change(
    row: SeenJob, *, to: Engineer | None, now: datetime, reading: SlotData
) -> AssignmentChange | None:
    # whoever has set off already cannot be planned for it again
    gone = visits.current_visit(row.job) if to is None and row.job.state in UNDER_WAY else None
    slots = suggest_slots(row.job, most=2 if gone else 1, not_before=now, only=to, reading=reading)
    free = [slot for slot in slots if not (gone and slot.engineer == gone.engineer)]
    return change_to(row, free[0]) if free else None


def _slotless_problems(job: Job, *, to: Engineer | None, now: datetime) -> list[Problem]:
    """Why a job goes to nobody, or not to this engineer: without a skill, or without time in the window."""
    if to is None:
        text = _("No engineer with the required skills is free in this window.")
        return [Problem("nobody_free", "engineer", text)]
    begins = max(next_quarter(now), job.window_start)
    found = visits.assignment_problems(job, to, starts_at=begins, not_before=now)
    lasting = [problem for problem in found if problem.code in {"skill_missing", "skill_expired"}]
    return lasting or [no_time_from(begins, engineer=to)]


def change_to(row: SeenJob, slot: SlotSuggestion) -> AssignmentChange:
    return AssignmentChange(row.job, slot.engineer, slot.starts_at, row.version, slot.second_engineer)


@transaction.atomic
def swap_days(
    first: Engineer, second: Engineer, *, day: date, seen: Mapping[str, str], by: Performer
) -> PlanAction | None:
    """What the two have still to begin on that day and whoever asks may see, each visit at its time with the other,
    also where one of them accompanies; None where there is nothing. `seen`: by job number the plan version of each
    visit that the dispatcher saw. Raises PlanRefused with every visit that the other cannot take, or drive to and from,
    or that has come, gone or changed since; nothing has changed then."""
    other = {first.pk: second, second.pk: first}
    movable = movable_visits([first, second], day=day)
    refuse_gone_visits(seen, present={visit.job.provider_job_id for visit in movable})
    proposals = [_with_the_other(visit, other) for visit in movable]
    changes = [
        AssignmentChange(
            proposal.job,
            proposal.engineer,
            proposal.span.start,
            seen.get(proposal.job.provider_job_id, UNSEEN),
            second_engineer=proposal.second_engineer,
        )
        for proposal in proposals
    ]
    if not changes:
        return None
    lock_changes(changes)
    _refuse_drives(movable, proposals)
    return plan_actions.change_plan(changes, by=by)


def _with_the_other(visit: Visit, other: Mapping[int, Engineer]) -> VisitProposal:
    second = visit.second_engineer
    return VisitProposal(
        visit.job,
        other.get(visit.engineer_id, visit.engineer),
        visit.span,
        not_before=visit.planned_start,
        second_engineer=second and other.get(second.pk, second),
    )


def _refuse_drives(movable: Sequence[Visit], proposals: Sequence[VisitProposal]) -> None:
    """Drives of whoever is new to one of these visits, between it and those that stay: all others were planned so
    before. Where the two are now, which a reason would override, refuses no swap: what will be late the board shows."""
    moving = [visit.job_id for visit in movable]
    refusals: list[JobRefusal] = []
    for visit, proposal in zip(movable, proposals, strict=True):
        newcomers = [each for each in proposal.for_each_person() if each.engineer.pk not in visit.people_keys]
        drives = [problem for person in newcomers for problem in _drive_problems(person, leaving=moving)]
        if drives:
            refusals.append(JobRefusal(proposal.job, drives, is_conflict=False))
    if refusals:
        raise PlanRefused(refusals)


def _drive_problems(person: VisitProposal, *, leaving: Collection[int]) -> list[Problem]:
    """Of the proposal's first engineer."""
    others, today = read_others(person, [person.engineer], leaving=leaving)
    found = availability.attendance_problems(person, others=others, today=today)
    return [problem for problem in blocking_problems(found) if problem.code == PLANNED]


def refuse_gone_visits(seen: Collection[str], *, present: Collection[str]) -> None:
    """Raises PlanRefused with who moved or began what was seen and is not among the present any more."""
    gone = Job.objects.in_scope().filter(provider_job_id__in=set(seen) - set(present))
    refusals = [
        JobRefusal(job, [Problem("plan_changed", "version", last_change(job))], is_conflict=True)
        for job in gone
    ]
    if refusals:
        raise PlanRefused(refusals)


def movable_visits(engineers: Iterable[Engineer], *, day: date) -> list[Visit]:
    """Visits of that day that whoever asks may see and for which nobody has set off yet, in the order of the plan."""
    visits_of_day = Visit.objects.current().in_scope().overlapping(day_span(day)).attended_by(engineers)
    movable = visits_of_day.filter(job__state=JobState.ASSIGNED)
    return list(movable.select_related("job", *PEOPLE_OF_VISIT))
