"""Accepting a proposal, all of it or a part: each engineer's day in one transaction, checked again by the rules of
availability and against what changed meanwhile, and undone together.

Where jobs go from one engineer to another, the day that they leave comes after the day that gets them; days that
exchange jobs, or that a team's visit is in, are one transaction. An option of a comparison is one transaction with what
it assumed.
"""

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from django.db import transaction
from django.utils import timezone

from dispatch.job_events import Performer
from dispatch.models import UNCHANGED_KINDS, Job, PlanAction, PlanProposal, ProposedChange
from dispatch.models.plan_history import PEOPLE
from dispatch.plan_changes.assignment_changes import AssignmentChange, lock_changes
from dispatch.plan_changes.plan_actions import change_plan, last_action
from dispatch.plan_changes.plan_refusals import JobRefusal, PlanRefused
from dispatch.plan_changes.plan_versions import last_change
from dispatch.planning.assumptions_entered import enter_assumption
from dispatch.problems import Problem
from dispatch.states import UNDER_WAY, EventKind
from dispatch.visit_proposals import LONGEST_DRIVE
from engineers.models import Engineer
from engineers.shifts import TimeSpan, local_time

DEPARTURES = (EventKind.EN_ROUTE, EventKind.ON_SITE)
# an engineer (key) and a local day
Day = tuple[int, date]


@dataclass
class Acceptance:
    """What was accepted, and why the rest was not: each day as a whole or not at all. `left`: changes whose turn did
    not come within the time. `action` undoes all of it. `absent`, `unassigned`, `longer`: what the comparison assumed
    and is entered now."""

    accepted: list[ProposedChange] = field(default_factory=list)
    left: list[ProposedChange] = field(default_factory=list)
    refusals: list[JobRefusal] = field(default_factory=list)
    not_accepted: list[ProposedChange] = field(default_factory=list)
    action: PlanAction | None = None
    absent: Engineer | None = None
    unassigned: Job | None = None
    longer: Job | None = None


def accept_proposal(
    proposal: PlanProposal,
    *,
    by: Performer,
    now: datetime,
    only: Collection[int] | None = None,
    override_reason: str = "",
    absence_reason: str = "",
    seconds: float | None = None,
) -> Acceptance:
    """Accept the changes with these keys, or all that are not accepted yet; of a comparison, what it assumed is entered
    with them (assumptions_entered). Never raises for a refused day: it stays as it is, and its reasons are in the
    answer. No day is begun after so many `seconds`, since whoever waits for a whole region would give up; the options
    of a comparison are of one day and have no such limit."""
    result = Acceptance(action=_action_to_extend(proposal, by=by))
    changes = proposal.changes.filter(accepted_at=None).exclude(kind__in=UNCHANGED_KINDS)
    if only is not None:
        changes = changes.filter(pk__in=only)
    related = list(changes.select_related("job", *PEOPLE))
    if proposal.comparison is None:
        _accept_groups(result, related, by=by, now=now, override_reason=override_reason, seconds=seconds)
    else:
        with transaction.atomic():
            _lock_all(proposal, related)
            _enter_assumption(result, proposal, by=by, reason=absence_reason)
            _accept_groups(result, related, by=by, now=now, override_reason=override_reason)
    if result.action:
        PlanProposal.objects.filter(pk=proposal.pk).update(action=result.action)
    return result


def _action_to_extend(proposal: PlanProposal, *, by: Performer) -> PlanAction | None:
    """What was accepted of it before, where that is what the next undo would take back; otherwise this is an action of
    its own: it is undone before anything older is."""
    assert by.user, "only a person accepts a proposal"
    last = last_action(by.user)
    return last if last and last.pk == proposal.action_id else None


def _lock_all(proposal: PlanProposal, changes: Sequence[ProposedChange]) -> None:
    """At once and in order: group after group in one transaction could wait in a ring with another change."""
    assumed = proposal.comparison.job if proposal.comparison else None
    lock_changes([*map(_assignment_change, changes), *([AssignmentChange(assumed)] if assumed else [])])


def _enter_assumption(result: Acceptance, proposal: PlanProposal, *, by: Performer, reason: str) -> None:
    entered = enter_assumption(proposal, by=by, reason=reason, action=result.action)
    result.action, result.absent, result.unassigned = entered.action, entered.absent, entered.unassigned
    result.longer = entered.longer
    result.refusals += entered.refusals


def _accept_groups(
    result: Acceptance,
    changes: Iterable[ProposedChange],
    *,
    by: Performer,
    now: datetime,
    override_reason: str,
    seconds: float | None = None,
) -> None:
    begun = time.monotonic()
    for group in groups_of_days(changes):
        if seconds is not None and result.accepted and time.monotonic() - begun > seconds:
            result.left += group
        else:
            _accept_group(result, group, by=by, now=now, override_reason=override_reason)


def _accept_group(
    result: Acceptance,
    changes: Sequence[ProposedChange],
    *,
    by: Performer,
    now: datetime,
    override_reason: str,
) -> None:
    try:
        with transaction.atomic():
            moves = list(map(_assignment_change, changes))
            _refuse_under_way(moves)
            action = change_plan(moves, by=by, not_before=now, reason=override_reason, action=result.action)
            action = action or result.action
            keys = [change.pk for change in changes]
            ProposedChange.objects.filter(pk__in=keys).update(accepted_at=timezone.now(), action=action)
    except PlanRefused as refused:
        result.refusals += refused.refusals
        result.not_accepted += changes
    else:
        result.action = action
        result.accepted += changes


def _refuse_under_way(moves: Sequence[AssignmentChange]) -> None:
    """Whoever has set off since the plan was made goes on: only a dispatcher hands such a job over, by name. Raises
    PlanRefused; locks the jobs."""
    lock_changes(moves)
    refusals = [
        JobRefusal(
            move.job, [Problem("under_way", "job", last_change(move.job, DEPARTURES))], is_conflict=True
        )
        for move in moves
        if move.job.state in UNDER_WAY
    ]
    if refusals:
        raise PlanRefused(refusals)


def _assignment_change(change: ProposedChange) -> AssignmentChange:
    return AssignmentChange(
        change.job, change.engineer_after, change.start_after, change.version, change.second_after
    )


def groups_of_days(changes: Iterable[ProposedChange]) -> list[list[ProposedChange]]:
    """The changes by the day that they fill, or that they leave if they fill none; days that exchange jobs together,
    and each day after those that take jobs from it. A night shift is one day."""
    changes = list(changes)
    shift_days = _shift_days(changes)
    by_day: dict[Day, list[ProposedChange]] = {}
    waits_for: dict[Day, set[Day]] = {}
    for change in changes:
        first, *others = (shift_days[day] for day in _days_filled(change))
        by_day.setdefault(first, []).append(change)
        waits_for.setdefault(first, set()).update(others)
        for other in others:
            by_day.setdefault(other, [])
            waits_for.setdefault(other, set()).add(first)
    for day, own in by_day.items():
        for left in (shift_days[left] for change in own for left in _days_left(change)):
            if left != day and left in by_day:
                waits_for[left].add(day)
    return [
        sorted((change for day in days for change in by_day[day]), key=lambda change: change.pk)
        for days in _in_order(waits_for)
    ]


def _shift_days(changes: Iterable[ProposedChange]) -> dict[Day, Day]:
    """By each day that changes fill or leave the one with which it counts: that of the evening before, where visits of
    both lie within the longest drive of each other."""
    spans: dict[Day, list[TimeSpan]] = {}
    for change in changes:
        before, after = (change.start_before, _days_left(change)), (change.start_after, _days_taken(change))
        for start, days in (before, after):
            if start:
                span = TimeSpan(start, start + change.job.duration)
                for day in days:
                    spans.setdefault(day, []).append(span)
    found: dict[Day, Day] = {}
    for day in sorted(spans):
        evening = (day[0], day[1] - timedelta(days=1))
        begins, ended = min(spans[day]).start, [span.end for span in spans.get(evening, ())]
        goes_on = bool(ended) and begins - max(ended) <= LONGEST_DRIVE
        found[day] = found[evening] if goes_on else day
    return found


def _days_left(change: ProposedChange) -> list[Day]:
    return _days(change.start_before, change.engineer_before_id, change.second_before_id)


def _days_filled(change: ProposedChange) -> list[Day]:
    """Those that it leaves where it fills none."""
    return _days_taken(change) or _days_left(change)


def _days_taken(change: ProposedChange) -> list[Day]:
    return _days(change.start_after, change.engineer_after_id, change.second_after_id)


def _days(start: datetime | None, *engineers: int | None) -> list[Day]:
    return [(engineer, local_time(start).date()) for engineer in engineers if engineer and start]


def _in_order(waits_for: Mapping[Day, Collection[Day]]) -> Iterator[list[Day]]:
    """Days after those that they wait for; those that wait for each other together."""
    reached = {day: _reached_from(day, waits_for) for day in waits_for}
    remaining = sorted(waits_for)
    while remaining:
        left = {*remaining}
        # whoever waits for the fewest others waits for nobody who is left, or for those that wait for it too
        first = min(remaining, key=lambda day: len(reached[day] & left - {day}))
        together = [
            day for day in remaining if day == first or (day in reached[first] and first in reached[day])
        ]
        yield together
        remaining = [day for day in remaining if day not in together]


def _reached_from(start: Day, waits_for: Mapping[Day, Collection[Day]]) -> set[Day]:
    reached: set[Day] = set()
    ahead = [start]
    while ahead:
        for day in waits_for[ahead.pop()]:
            if day not in reached:
                reached.add(day)
                ahead.append(day)
    return reached
