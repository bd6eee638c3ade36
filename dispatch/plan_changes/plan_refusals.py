"""Why a change of several jobs was refused, job by job."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from dispatch.job_events import IllegalEvent
from dispatch.models import Job
from dispatch.problems import ActionRefused, Problem


@dataclass(frozen=True)
class JobRefusal:
    """Why one job of a change cannot go where it should. `is_conflict`: somebody changed it since."""

    job: Job
    problems: list[Problem]
    is_conflict: bool

    @classmethod
    def of_state(cls, job: Job, refused: IllegalEvent) -> Self:
        """The job has moved on since."""
        return cls(job, [Problem("illegal_now", "job", str(refused))], is_conflict=True)


class PlanRefused(ActionRefused):
    """At least one job cannot go where it should, so none has."""

    def __init__(self, refusals: Sequence[JobRefusal]) -> None:
        super().__init__([problem for refusal in refusals for problem in refusal.problems])
        self.refusals = list(refusals)

    @property
    def named_problems(self) -> list[Problem]:
        """Each with the job whose it is, for whoever changed several."""
        return [
            replace(problem, job=refusal.job.provider_job_id, title=refusal.job.title)
            for refusal in self.refusals
            for problem in refusal.problems
        ]
