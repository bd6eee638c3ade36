"""Where jobs are to go, several at once: locked in one order, and moved together or not at all."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from django.utils.translation import gettext as _

from dispatch import visits
from dispatch.job_events import IllegalEvent, Performer
from dispatch.models import Job, Visit
from dispatch.models.plan_history import NOT_BEGUN
from dispatch.plan_changes.plan_refusals import JobRefusal, PlanRefused
from dispatch.plan_changes.plan_versions import PlanChanged
from dispatch.problems import ActionRefused, Problem, with_other_job
from dispatch.teams import RequestedSecondEngineer, Unchanged, lock_engineers
from engineers.models import Engineer
from engineers.shifts import TimeSpan
from monitoring.coded_texts import Reason


@dataclass(frozen=True)
class AssignmentChange:
    """Where a job is to go: to an engineer from `starts_at`, or to nobody (both None). `seen`: the plan version that
    was decided on. `second_engineer`: who accompanies, unless it is whoever does so now."""

    job: Job
    engineer: Engineer | None = None
    starts_at: datetime | None = None
    seen: str | None = None
    second_engineer: RequestedSecondEngineer = Unchanged.SECOND_ENGINEER

    def meets(self, visit: Visit) -> bool:
        """Whether somebody would be at two places at once; the `visit` as it is planned."""
        if self.engineer is None or self.starts_at is None:
            return False
        people = {self.engineer.pk}
        if isinstance(self.second_engineer, Engineer):
            people.add(self.second_engineer.pk)
        span = TimeSpan(self.starts_at, self.starts_at + self.job.duration)
        return bool(people & {*visit.people_keys}) and span.overlaps(visit.span)


def lock_changes(changes: Sequence[AssignmentChange], *, engineers: Collection[int] = ()) -> dict[int, Visit]:
    """Jobs before engineers and each in the order of their keys, as every other change does: no two wait in a ring.
    Gives the jobs' visits by the job's key: nobody changes one without the lock of its job. `engineers`: keys of others
    about whom something changes."""
    jobs = Job.objects.select_for_update().filter(pk__in=[change.job.pk for change in changes]).order_by("pk")
    fresh = {job.pk: job for job in jobs}
    for change in changes:
        change.job.state = fresh[change.job.pk].state
    current = Visit.objects.current_by_job(list(fresh))
    lock_engineers({*engineers, *_engineers_of(changes, current.values())})
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


def list_blocked(
    changes: Iterable[AssignmentChange], visits: Mapping[int, Visit], staying: Iterable[Visit]
) -> list[JobRefusal]:
    """Of changes back to an earlier plan those whose place a visit of `staying` has, and those whose place another one
    of these has, which stays therefore as well. `visits`: of the jobs, by their keys."""
    left, refusals, ahead = list(changes), list[JobRefusal](), list(staying)
    while ahead:
        in_the_way = ahead.pop()
        for change in [change for change in left if change.meets(in_the_way)]:
            left.remove(change)
            refusals.append(JobRefusal(change.job, [_place_taken(in_the_way)], is_conflict=True))
            ahead += [visits[change.job.pk]] if change.job.pk in visits else []
    return refusals


def _place_taken(visit: Visit) -> Problem:
    text = (
        _("Another job of this change, which can't go back, has its earlier time now.")
        if visit.job.state in NOT_BEGUN
        else _("Work has begun on another job of this change, which has its earlier time now.")
    )
    return with_other_job(Problem("plan_changed", "version", text), visit)


def move_all(
    changes: Sequence[AssignmentChange], *, by: Performer, not_before: datetime | None, reason: Reason
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
    reason: Reason,
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
