"""Several visits of a day in one press: each job for itself to whoever fits best, to one engineer or to nobody, and two
engineers' days against each other."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from django.utils.translation import gettext as _

from dispatch import plan_actions, visits
from dispatch.job_events import Performer
from dispatch.models import Job, PlanAction, Visit
from dispatch.plan_actions import PlanChange
from dispatch.plan_refusals import JobRefusal, PlanRefused
from dispatch.plan_versions import last_change
from dispatch.problems import Problem
from dispatch.slot_suggestions import suggest_slots
from dispatch.states import JobState
from engineers.models import Engineer
from engineers.shifts import day_window

# the version of a visit that the dispatcher did not see
UNSEEN = ""


@dataclass(frozen=True)
class SeenJob:
    """A job, and the plan version that the dispatcher saw."""

    job: Job
    version: str | None = None


@dataclass(frozen=True)
class RowResult:
    """What became of one job: its visit, None when it is unassigned; with problems nothing has changed."""

    job: Job
    visit: Visit | None = None
    problems: list[Problem] = field(default_factory=list)


def reassign_each(
    rows: Iterable[SeenJob], *, by: Performer, now: datetime, to: Engineer | None = None
) -> list[RowResult]:
    """Each job to the nearest engineer who is free, or `to` this one, at the earliest time that fits. One action for
    undo; a job that cannot go anywhere says why and stops no other."""
    changes = _Changes(by, now)
    return [changes.make(row, _slot_change(row, to=to, now=now)) for row in rows]


def unassign_each(rows: Iterable[SeenJob], *, by: Performer, now: datetime) -> list[RowResult]:
    """Take each job off its engineer; as reassign_each otherwise."""
    changes = _Changes(by, now)
    return [changes.make(row, PlanChange(row.job, seen=row.version)) for row in rows]


@dataclass
class _Changes:
    """Changes one after the other, which are undone together."""

    by: Performer
    now: datetime
    action: PlanAction | None = None

    def make(self, row: SeenJob, change: PlanChange | None) -> RowResult:
        if change is None:
            text = _("No engineer with the required skills is free in this window.")
            return RowResult(row.job, problems=[Problem("nobody_free", "engineer", text)])
        try:
            made = plan_actions.change_plan([change], by=self.by, not_before=self.now, action=self.action)
        except PlanRefused as refused:
            return RowResult(row.job, problems=refused.problems)
        self.action = self.action or made
        return RowResult(row.job, visits.current_visit(row.job))


def _slot_change(row: SeenJob, *, to: Engineer | None, now: datetime) -> PlanChange | None:
    slots = suggest_slots(row.job, most=1, not_before=now, only=to)
    if not slots:
        return None
    return PlanChange(row.job, slots[0].engineer, slots[0].starts_at, row.version, slots[0].second_engineer)


def swap_days(
    first: Engineer, second: Engineer, *, day: date, seen: Mapping[str, str], by: Performer
) -> PlanAction | None:
    """What the two have still to begin on that day, each visit at its time with the other, also where one of them
    accompanies; None where there is nothing. `seen`: by job number the plan version of each visit that the dispatcher
    saw. Raises PlanRefused with every visit that the other cannot take, or that has come, gone or changed since;
    nothing has changed then."""
    other = {first.pk: second, second.pk: first}
    movable = movable_visits([first, second], day=day)
    refuse_gone_visits(seen, present={visit.job.provider_job_id for visit in movable})
    changes = [
        PlanChange(
            visit.job,
            other.get(visit.engineer_id, visit.engineer),
            visit.planned_start,
            seen.get(visit.job.provider_job_id, UNSEEN),
            second_engineer=visit.second_engineer
            and other.get(visit.second_engineer.pk, visit.second_engineer),
        )
        for visit in movable
    ]
    return plan_actions.change_plan(changes, by=by) if changes else None


def refuse_gone_visits(seen: Collection[str], *, present: Collection[str]) -> None:
    """Raises PlanRefused with who moved or began what was seen and is not among the present any more."""
    gone = Job.objects.filter(provider_job_id__in=set(seen) - set(present))
    refusals = [
        JobRefusal(job, [Problem("plan_changed", "version", last_change(job))], is_conflict=True)
        for job in gone
    ]
    if refusals:
        raise PlanRefused(refusals)


def movable_visits(engineers: Iterable[Engineer], *, day: date) -> list[Visit]:
    """Visits of that day for which nobody has set off yet, in the order of the plan."""
    visits_of_day = Visit.objects.current().overlapping(day_window(day)).attended_by(engineers)
    movable = visits_of_day.filter(job__state=JobState.ASSIGNED)
    return list(movable.select_related("job", "engineer__user", "second_engineer__user"))
