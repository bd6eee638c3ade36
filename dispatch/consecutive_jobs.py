"""Several jobs to one engineer, one after another from an hour."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from dispatch import visits
from dispatch.availability import hold_problems
from dispatch.driving.travel import job_coordinates
from dispatch.job_events import Performer
from dispatch.models import Job
from dispatch.pins import refuse_pinned
from dispatch.plan_changes import plan_actions
from dispatch.plan_changes.assignment_changes import AssignmentChange
from dispatch.plan_changes.plan_refusals import PlanRefused
from dispatch.plan_changes.plan_versions import refuse_changed_plan
from dispatch.problems import ActionRefused, Problem
from dispatch.reassignment import RowResult, SeenJob, change_to, no_time_from, row_results
from dispatch.slots.busy_visits import BusyVisit
from dispatch.slots.free_slots import SlotSuggestion, read_day
from dispatch.slots.slot_data import SlotData, read_for_jobs
from dispatch.slots.slot_suggestions import suggest_slots
from engineers.models import Engineer
from engineers.shifts import TimeSpan, day_span, local_time


def assign_in_turn(
    rows: Sequence[SeenJob], *, to: Engineer, begins: datetime, by: Performer, now: datetime
) -> list[RowResult]:
    """All to one engineer, one after another from that moment on: whose window ends first goes first, and each begins
    at the earliest quarter hour of that day at which it fits after the former with the drive between them. One action
    for undo; a job that finds no time, or that somebody changed, says why and stays where it is."""
    problems = _find_problems(rows)
    reading = read_for_jobs([row.job for row in rows], now=now, only=to)
    for changes in _possible_turns(rows, problems, to=to, begins=begins, now=now, reading=reading):
        try:
            plan_actions.change_plan(changes, by=by, not_before=now)
            break
        except PlanRefused as refused:
            problems |= {refusal.job.pk: refusal.problems for refusal in refused.refusals}
    return row_results(rows, problems)


def count_in_turn(rows: Sequence[SeenJob], *, to: Engineer, begins: datetime, now: datetime) -> int:
    """How many of them would find their time so; changes nothing."""
    reading = read_for_jobs([row.job for row in rows], now=now, only=to)
    turns = _possible_turns(rows, _find_problems(rows), to=to, begins=begins, now=now, reading=reading)
    return len(next(turns, []))


def _possible_turns(
    rows: Sequence[SeenJob],
    problems: dict[int, list[Problem]],
    *,
    to: Engineer,
    begins: datetime,
    now: datetime,
    reading: SlotData,
) -> Iterator[list[AssignmentChange]]:
    """Where all those would go that have no `problems` (by the job's key), to which those are added that find no time;
    again where more have been added meanwhile."""
    while moving := [row for row in rows if row.job.pk not in problems]:
        # what cannot go stays in the way of the others, so these look for their time again
        changes, without_time = _in_turn(moving, to=to, begins=max(begins, now), reading=reading)
        problems |= {job.pk: [no_time_from(begins, engineer=to)] for job in without_time}
        if not without_time:
            yield changes


def _find_problems(rows: Sequence[SeenJob]) -> dict[int, list[Problem]]:
    return {row.job.pk: found for row in rows if (found := _timeless_problems(row))}


def _timeless_problems(row: SeenJob) -> list[Problem]:
    """Why it can go nowhere, whatever the time."""
    visit = visits.current_visit(row.job)
    try:
        refuse_changed_plan(row.job, visit=visit, seen=row.version)
        refuse_pinned(row.job, visit)
    except ActionRefused as refused:
        return refused.problems
    return hold_problems(row.job)


def _in_turn(
    rows: Sequence[SeenJob], *, to: Engineer, begins: datetime, reading: SlotData
) -> tuple[list[AssignmentChange], list[Job]]:
    """Where each would go, and those that find no time; changes nothing."""
    day, leaving = day_span(local_time(begins).date()), {row.job.pk for row in rows}
    changes: list[AssignmentChange] = []
    without_time: list[Job] = []
    coming: list[BusyVisit] = []
    for row in sorted(rows, key=lambda row: row.job.window_end):
        free = read_day(row.job, begins, leaving=leaving, coming=coming, reading=reading)
        slots = suggest_slots(row.job, most=1, only=to, day=free) if free else []
        if not slots or slots[0].starts_at >= day.end:
            without_time.append(row.job)
            continue
        coming.append(_intended_visit(row.job, slots[0]))
        begins = coming[-1].held.end
        changes.append(change_to(row, slots[0]))
    return changes, without_time


def _intended_visit(job: Job, slot: SlotSuggestion) -> BusyVisit:
    people = [slot.engineer, slot.second_engineer] if slot.second_engineer else [slot.engineer]
    held = TimeSpan(slot.starts_at, slot.starts_at + job.duration)
    return BusyVisit(tuple(engineer.pk for engineer in people), held, job_coordinates(job))
