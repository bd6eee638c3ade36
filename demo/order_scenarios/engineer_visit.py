"""A visit of a scenario: assigned by the simulated dispatcher, done by a simulated engineer on the moved clock."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from threading import Event

from demo.order_scenarios.stage import ScenarioStage
from demo.rehearsal.app_client import SessionError
from demo.rehearsal.job_scenarios import JobScenario, PlannedOutcome
from demo.rehearsal.sandbox_client import SellerJob
from demo.rehearsal.simulated_engineers import Order, SimulatedEngineer, SimulatedVisit
from dispatch.states import JobState, JobType

# into the slot: nobody has to be there at its first second
INTO_SLOT = timedelta(minutes=30)
FROM_HERE = {"": JobState.ASSIGNED, "on_site": JobState.ON_SITE, "en_route": JobState.EN_ROUTE}
ON_SITE, EN_ROUTE = "on_site", "en_route"
STATE_WORDS = {ON_SITE: "Engineer on site", EN_ROUTE: "Engineer en route"}


@dataclass
class ScenarioVisit:
    """One job with the engineer who has it; `reached` is how far a visit got that was stopped."""

    stage: ScenarioStage
    job: SellerJob
    staff_number: str
    reached: str = ""

    def go(self, outcome: PlannedOutcome, *, slot: datetime, until: str = "") -> None:
        """From where it stands to its end, or until the step `until` (en_route, on_site)."""
        if not self.reached:
            self.stage.move_to(slot + INTO_SLOT)
        scenario = JobScenario(number=0, job_type=JobType(self.job.job_type), results=(), outcome=outcome)
        visit = SimulatedVisit(
            self._engineer(),
            Order(self.job.seller_job_id, self.job.provider_job_id, scenario),
            clock=self.stage.clock,
            state=FROM_HERE[self.reached],
            stop_after=until,
        )
        visit.run()
        self.reached = until
        self._wait_for_seller(STATE_WORDS.get(until, "Closed"))

    def _engineer(self) -> SimulatedEngineer:
        return SimulatedEngineer(
            name=self.staff_number,
            phone=self.stage.phone_of(self.staff_number),
            seller=self.stage.seller,
            orders={},
            finished=lambda _order: None,
            over=Event(),
            chance=Random(self.job.seller_job_id),  # noqa: S311  # label digits, not keys
        )

    def _wait_for_seller(self, state: str) -> None:
        """The seller knows it too, and has done what follows from it."""
        self.stage.wait(lambda: self._seller_state() == state, f"{self.job.seller_job_id} to be {state}")
        self.stage.rest()

    def _seller_state(self) -> str:
        jobs = self.stage.seller.jobs()
        return next(job.state for job in jobs if job.seller_job_id == self.job.seller_job_id)


def assign(stage: ScenarioStage, job: SellerJob) -> ScenarioVisit:
    """Give the job to whoever is free, and wait until the seller knows. Raises SessionError."""
    staff_number = stage.office().assign(job.provider_job_id)
    if not staff_number:
        raise SessionError(f"nobody is free for {job.seller_job_id}")
    visit = ScenarioVisit(stage, job, staff_number)
    _wait(stage, job, lambda state: state != "Accepted, no engineer yet")
    return visit


def close_without_visit(stage: ScenarioStage, job: SellerJob, *, code: str) -> None:
    """The office closes a job that nobody could attend."""
    stage.office().close_without_visit(job.provider_job_id, code=code)
    _wait(stage, job, lambda state: state == "Closed")


def _wait(stage: ScenarioStage, job: SellerJob, condition: Callable[[str], bool]) -> None:
    def is_so() -> bool:
        return any(
            condition(found.state)
            for found in stage.seller.jobs()
            if found.seller_job_id == job.seller_job_id
        )

    stage.wait(is_so, f"the seller to know of {job.seller_job_id}")
    stage.rest()
