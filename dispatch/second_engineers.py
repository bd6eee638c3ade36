"""Who accompanies a visit that is under way: changed alone, for the engineer who is there goes on working."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from dispatch import availability, job_events, teams
from dispatch.availability import NotBookable
from dispatch.job_events import IllegalEvent, Performer
from dispatch.models import Job, Visit
from dispatch.occupied_time import blocking_visits
from dispatch.plan_changes.plan_versions import refuse_changed_plan
from dispatch.problems import Problem, blocking_problems, overridden_facts
from dispatch.quarter_hours import QUARTER
from dispatch.states import UNDER_WAY, EventKind, JobState
from dispatch.teams import RequestedSecondEngineer, Unchanged
from dispatch.visit_proposals import VisitProposal
from dispatch.visits import current_visit
from engineers.models import Engineer
from engineers.shifts import TimeSpan


@transaction.atomic
def change_second_engineer(
    *,
    job: Job,
    second: RequestedSecondEngineer,
    by: Performer,
    seen: str | None = None,
    override_reason: str = "",
) -> Visit:
    """Let `second` accompany whoever is en route or on site from now on, or nobody.

    The visit stays as it is, with its moments; the history says who accompanied before. The new one's time is checked
    from now until the planned end. `seen` and `override_reason` as for visits.assign. Raises PlanChanged, NotBookable,
    IllegalEvent.
    """
    job = job_events.lock_job(job)
    visit = current_visit(job)
    refuse_changed_plan(job, visit=visit, seen=seen)
    if visit is None or job.state not in UNDER_WAY:
        raise IllegalEvent(job=job, kind=EventKind.SECOND_ENGINEER_CHANGED, state=JobState(job.state))
    before = visit.second_engineer
    if isinstance(second, Unchanged) or second == before:
        return visit
    engineer, second = teams.lock_team(visit.engineer, second)
    problems = _problems(job, visit, engineer=engineer, second=second, now=timezone.now())
    if any(not (override_reason and problem.can_override) for problem in problems):
        raise NotBookable(problems)
    visit.second_engineer = second
    visit.save(update_fields=["second_engineer"])
    facts = {**teams.engineer_facts(engineer), **teams.second_engineer_facts(second, before=before)}
    facts |= overridden_facts(problems, override_reason)
    job_events.record_event(job=job, kind=EventKind.SECOND_ENGINEER_CHANGED, by=by, facts=facts)
    return visit


def _problems(
    job: Job, visit: Visit, *, engineer: Engineer, second: Engineer | None, now: datetime
) -> list[Problem]:
    """Of the team as it would be; only who is new is asked for time."""
    starts_at = max(now, visit.planned_start)
    span = TimeSpan(starts_at, max(visit.planned_end, starts_at + QUARTER))
    proposal = VisitProposal(job, engineer, span, is_begun=True, not_before=now, second_engineer=second)
    problems = teams.team_problems(proposal, held=list(engineer.held_skills.select_related("skill")))
    if second and not problems:
        person = VisitProposal(job, second, span, is_begun=True, not_before=now, second_engineer=engineer)
        others = blocking_visits(
            Visit.objects.attended_by([second]).exclude(job=job), span=person.neighbourhood
        )
        problems = availability.attendance_problems(person, others=others.select_related("job"))
    return blocking_problems(problems)
