"""How far each planned visit of the demo's day has got by now, and how those that are over ended. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import groupby
from random import Random

from demo.living_day.day_plan import PlannedVisit
from demo.rehearsal.job_scenarios import SECONDARY_OF_SUCCESS, SUCCESS_CODES, JobScenario, PlannedOutcome
from dispatch.states import WITH_ONT_SCAN, JobType

# so many are driving at this moment
EN_ROUTE_VISITS = 3
# one engineer in so many is still at a job that should be over
OVERRUN_EVERY = 7
SUCCESS_SHARE = 0.8
FAILURES: Mapping[JobType, PlannedOutcome] = {
    JobType.INSTALLATION: PlannedOutcome("CON", "CON07"),
    JobType.REVISIT: PlannedOutcome("REVPOP", "REVPOP01"),
    JobType.EXTERNAL: PlannedOutcome("EXTCON", "EXTCON17"),
    JobType.CIVILS: PlannedOutcome("CIVCON", "CIVCON04"),
}


class Stage(StrEnum):
    CLOSED = "closed"
    ON_SITE = "on_site"
    PROVISIONING = "provisioning"
    EN_ROUTE = "en_route"
    ASSIGNED = "assigned"


@dataclass(frozen=True)
class VisitStage:
    visit: PlannedVisit
    stage: Stage


def stage_visits(planned: Iterable[PlannedVisit], *, now: datetime) -> list[VisitStage]:
    """In the order of the plan for each engineer: over, one at most under way, ahead."""
    ordered = sorted(planned, key=lambda visit: (visit.engineer.pk, visit.span.start))
    staged = [
        found
        for number, (_engineer, visits) in enumerate(groupby(ordered, key=lambda visit: visit.engineer.pk))
        for found in _stage_engineer(
            list(visits), now=now, overruns=number % OVERRUN_EVERY == OVERRUN_EVERY - 1
        )
    ]
    return _with_scans(_with_drives(staged, now=now))


def _stage_engineer(visits: list[PlannedVisit], *, now: datetime, overruns: bool) -> list[VisitStage]:
    over = [visit for visit in visits if visit.span.end <= now]
    if overruns and over:
        over.pop()
    rest = visits[len(over) :]
    is_begun = bool(rest) and rest[0].span.start <= now
    current = [VisitStage(rest[0], Stage.ON_SITE)] if is_begun else []
    return [
        *(VisitStage(visit, Stage.CLOSED) for visit in over),
        *current,
        *(VisitStage(visit, Stage.ASSIGNED) for visit in rest[len(current) :]),
    ]


def _with_drives(staged: list[VisitStage], *, now: datetime) -> list[VisitStage]:
    """Of the engineers who could be driving, those whose visit begins nearest to now, are."""
    next_visits = {
        found.visit.engineer.pk: found for found in reversed(staged) if found.stage != Stage.CLOSED
    }
    nearest = sorted(next_visits.values(), key=lambda found: abs(found.visit.span.start - now))
    driving = {found.visit.job.pk for found in nearest[:EN_ROUTE_VISITS]}
    return [
        VisitStage(found.visit, Stage.EN_ROUTE) if found.visit.job.pk in driving else found
        for found in staged
    ]


def _with_scans(staged: list[VisitStage]) -> list[VisitStage]:
    """Every other installation under way waits for its provisioning result."""
    scannable = [
        found.visit.job.pk
        for found in staged
        if found.stage == Stage.ON_SITE and found.visit.job.job_type in WITH_ONT_SCAN
    ]
    waiting = set(scannable[::2])
    return [
        VisitStage(found.visit, Stage.PROVISIONING) if found.visit.job.pk in waiting else found
        for found in staged
    ]


def scenario_of(job_type: JobType, *, number: int, chance: Random, succeeds: bool = False) -> JobScenario:
    """How a visit ends: one in five fails, unless it shall succeed."""
    is_success = succeeds or chance.random() < SUCCESS_SHARE
    success = PlannedOutcome(SUCCESS_CODES[job_type], SECONDARY_OF_SUCCESS.get(job_type, ""), succeeds=True)
    return JobScenario(
        number=number,
        job_type=job_type,
        results=(),
        outcome=success if is_success else FAILURES[job_type],
    )


def left_home_at(visit: PlannedVisit, *, chance: Random) -> datetime:
    """Some minutes earlier or later than planned."""
    return visit.span.start - visit.travel + timedelta(minutes=chance.randint(-6, 5))
