"""Days under way for comparisons: jobs at places, visits at times, and the options that the planner makes."""

from dataclasses import replace

from dispatch import jobs, visits
from dispatch.models import Job, Occasion, PlanComparison, PlanOption, PlanProposal, ProposalState
from dispatch.planning.comparison_making import make_comparison
from dispatch.planning.comparisons import request_comparison
from engineers.models import Engineer
from tests import make


def job_at(latitude: float, **fields: object) -> Job:
    pack = make.pack(**{"duration_minutes": 60, **fields})  # type: ignore[arg-type]
    return jobs.create_job(pack=replace(pack, premises=replace(pack.premises, latitude=latitude))).job


def planned(
    engineer: Engineer, at: str, *, latitude: float = 53.82, second: Engineer | None = None, **fields: object
) -> Job:
    job = job_at(latitude, **fields)
    starts_at = make.at(at)
    visits.assign(job=job, engineer=engineer, starts_at=starts_at, by=make.office(), second_engineer=second)
    return job


def compared(occasion: Occasion, **what: object) -> PlanComparison:
    comparison = request_comparison(occasion=occasion, by=make.dispatcher(), **what)  # type: ignore[arg-type]
    make_comparison(comparison.pk)
    states = set(comparison.proposals.values_list("state", "failure"))
    assert states == {(ProposalState.READY, "")}
    return comparison


def proposal_of(comparison: PlanComparison, option: PlanOption = PlanOption.NEAREST) -> PlanProposal:
    return comparison.proposals.get(option=option)


def kinds(proposal: PlanProposal) -> dict[int, str]:
    return {change.job_id: change.kind for change in proposal.changes.all()}
