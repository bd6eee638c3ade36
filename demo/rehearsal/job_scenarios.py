"""What shall happen to each of the forty jobs: type, provisioning results, outcome, who cancels it when, what is odd.

Beside the forty: packs that nobody can work on. The names of odd packs and odd messages are those of the sandbox seller
(`GET /api/odd` on its console).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from random import Random

from demo.environment import wait_until
from demo.rehearsal.app_client import SessionError
from demo.rehearsal.sandbox_client import OddPack, SandboxClient, SellerJob
from demo.rehearsal.simulated_dispatcher import SimulatedDispatcher
from dispatch.states import WITH_ONT_SCAN, JobType

INSTALLATION, REVISIT = JobType.INSTALLATION, JobType.REVISIT
EXTERNAL, CIVILS = JobType.EXTERNAL, JobType.CIVILS
JOBS = 40
SEED = 20261123
# taken in turn
TYPES = (INSTALLATION, REVISIT, INSTALLATION, EXTERNAL, INSTALLATION, REVISIT, INSTALLATION, CIVILS)
# of the scans of one job, one after the other: every result from 1 to 7 comes up, each ends in 1 or 2
PLANS = ((1,), (2,), (4, 1), (5, 1), (6, 2), (7, 1), (3, 2), (4, 4, 2))
# packs that an engineer can work on though they are odd, an empty name for a usual one; by seed and number
ODD_PACKS = ("", "strange_texts", "", "null_members", "", "long_texts", "unknown_members", "", "minimal", "")
ODD_PACKS_OF_REVISITS = ("fault", "")
# what the seller sends behind the first success of a scan
ODD_RESULTS: tuple[tuple[str, ...], ...] = (
    ("older_failure", "result_again"),
    (),
    ("false_success", "older_retry"),
    ("foreign_scan", "false_failure"),
    ("unknown_event", "result_8"),
)
# what it sends when the job is over
AFTER_THE_END = ("", "pack_again", "result_again", "pack_changed")
SUCCESS_CODES = {INSTALLATION: "SP", REVISIT: "REVCOMP", EXTERNAL: "EXTCOMP", CIVILS: "CIVCOMP"}
SECONDARY_OF_SUCCESS = {CIVILS: "CIVCOMP01"}


@dataclass(frozen=True)
class PlannedOutcome:
    """How the engineer closes the job; `succeeds` asks for the whole checklist."""

    code: str
    secondary: str = ""
    succeeds: bool = False
    remarks: str = ""


@dataclass(frozen=True)
class JobScenario:
    """What the rehearsal does with one job. `cancelled_when`: "assigned" or "en_route", by the seller."""

    number: int
    job_type: JobType
    results: tuple[int, ...]
    outcome: PlannedOutcome
    cancelled_when: str = ""
    odd_pack: str = ""
    odd_results: tuple[str, ...] = ()
    after_the_end: str = ""


# one in eight fails, as it really does: number of the job → closure
FAILURES = {
    2: PlannedOutcome("RNA/NA"),
    13: PlannedOutcome("REVPOP", "REVPOP01"),
    19: PlannedOutcome("EXTCON", "EXTCON17"),
    23: PlannedOutcome("CIVCON", "CIVCON04"),
    32: PlannedOutcome("CON", "CON07"),
}
# what some of them end with in every other rehearsal
OTHER_FAILURES = {
    2: PlannedOutcome("OTHER", remarks="Road closed by the police, nobody gets through"),
    13: PlannedOutcome("REVNA", "REVNA02"),
    32: PlannedOutcome("POP", "POP02"),
}
CANCELLED = {10: "assigned", 28: "en_route"}


def plan_scenarios(jobs: int = JOBS, *, seed: int = 0) -> list[JobScenario]:
    """One for each job, in the order in which the seller sends them; the seed moves what is odd."""
    return [_plan_scenario(number, seed=seed) for number in range(jobs)]


def _plan_scenario(number: int, *, seed: int) -> JobScenario:
    job_type = TYPES[number % len(TYPES)]
    success = PlannedOutcome(SUCCESS_CODES[job_type], SECONDARY_OF_SUCCESS.get(job_type, ""), succeeds=True)
    return JobScenario(
        number=number,
        job_type=job_type,
        results=_results(number) if job_type in WITH_ONT_SCAN else (),
        outcome=_failure(number, seed=seed) or success,
        cancelled_when=CANCELLED.get(number, ""),
        odd_pack=_odd_pack(job_type, number + seed),
        odd_results=ODD_RESULTS[(number + seed) % len(ODD_RESULTS)] if job_type in WITH_ONT_SCAN else (),
        after_the_end=AFTER_THE_END[(number + seed) % len(AFTER_THE_END)],
    )


def _failure(number: int, *, seed: int) -> PlannedOutcome | None:
    usual = FAILURES.get(number)
    return OTHER_FAILURES.get(number, usual) if seed % 2 else usual


def _odd_pack(job_type: JobType, turn: int) -> str:
    if job_type == REVISIT and ODD_PACKS_OF_REVISITS[turn // 2 % len(ODD_PACKS_OF_REVISITS)]:
        return "fault"
    return ODD_PACKS[turn % len(ODD_PACKS)]


def _results(number: int) -> tuple[int, ...]:
    """In turn over the jobs that have a scan, so that no plan falls only to types without one."""
    scanned = [index for index in range(number) if TYPES[index % len(TYPES)] in WITH_ONT_SCAN]
    return PLANS[len(scanned) % len(PLANS)]


ODD_PACK_SECONDS = 180
FEWEST_OF_A_KIND = 2
END_CANCELLED, END_CLOSED, END_REFUSED = "cancelled", "closed", "pack refused by the partner"
ENDS_OF_ACCEPTED = (END_CANCELLED, END_CLOSED)
# without a visit: installations have a code of their own for that, the other types do not
CODES_WITHOUT_VISIT = {"installation": "MBORC"}
OTHER_REASON = "OTHER"


class OddPackUnsettled(SessionError):
    """An odd pack was not answered as it should be."""


@dataclass
class OddPacks:
    """Packs that nobody can work on: we refuse them, the seller cancels them, or the office closes them."""

    seller: SandboxClient
    seed: int
    ends: dict[str, str] = field(default_factory=dict)

    def play(self, office: SimulatedDispatcher, *, day: date, jobs: int) -> None:
        """Send a share of them by seed, end what was accepted, and send each cancelled one again."""
        cases = {name: case for name, case in self.seller.odd_packs().items() if not case.is_workable}
        names = self._share(cases, number=max(FEWEST_OF_A_KIND, jobs // 8))
        ids = self.seller.send_packs(count=len(names), day=day, seed=self.seed, odd=names)
        for number, (seller_job_id, name) in enumerate(zip(ids, names, strict=True)):
            end = (
                ENDS_OF_ACCEPTED[(number + self.seed) % len(ENDS_OF_ACCEPTED)]
                if cases[name].is_due
                else END_REFUSED
            )
            self.ends[seller_job_id] = end
            if end != END_REFUSED:
                self._end(self._accepted(seller_job_id), office, end, by_our_id=number % 4 < 2)
        self._wait("an answer", lambda job: job.state.lower() == self.ends[job.seller_job_id])
        for seller_job_id, end in self.ends.items():
            if end == END_CANCELLED:
                self.seller.send_odd(seller_job_id, "pack_after_cancel")

    def _share(self, cases: dict[str, OddPack], *, number: int) -> list[str]:
        """So many that we should accept, and so many that we should refuse."""
        chance = Random(self.seed)  # noqa: S311  # which cases, not keys
        kinds = [sorted(name for name, case in cases.items() if case.is_due == due) for due in (True, False)]
        return [name for kind in kinds for name in chance.sample(kind, min(len(kind), number))]

    def findings(self) -> list[str]:
        """Odd packs that did not end as they should."""
        return [
            f"{job.seller_job_id} ({job.oddity}): should be {self.ends[job.seller_job_id]}, is {job.state.lower()}"
            for job in self._jobs()
            if job.state.lower() != self.ends[job.seller_job_id]
        ]

    def _accepted(self, seller_job_id: str) -> SellerJob:
        self._wait("our job id", lambda job: bool(job.provider_job_id) or job.seller_job_id != seller_job_id)
        return next(job for job in self._jobs() if job.seller_job_id == seller_job_id)

    def _end(self, job: SellerJob, office: SimulatedDispatcher, end: str, *, by_our_id: bool) -> None:
        if end == END_CLOSED:
            office.close_without_visit(
                job.provider_job_id, code=CODES_WITHOUT_VISIT.get(job.job_type, OTHER_REASON)
            )
        elif by_our_id:
            self.seller.cancel(job.seller_job_id)
        else:
            self.seller.send_odd(job.seller_job_id, "cancel_by_seller_id")

    def _wait(self, what: str, condition: Callable[[SellerJob], bool]) -> None:
        if not wait_until(lambda: all(condition(job) for job in self._jobs()), seconds=ODD_PACK_SECONDS):
            left = [
                f"{job.seller_job_id} ({job.oddity}): {job.state}"
                for job in self._jobs()
                if not condition(job)
            ]
            raise OddPackUnsettled(f"odd packs waited {ODD_PACK_SECONDS} s for {what}: {left}")

    def _jobs(self) -> list[SellerJob]:
        return [job for job in self.seller.jobs() if job.seller_job_id in self.ends]
