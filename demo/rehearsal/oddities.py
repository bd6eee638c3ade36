"""The odd side of a day: packs that nobody can work on, and what an operator does to its endpoints."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from random import Random

from demo.environment import wait_until
from demo.rehearsal.http_session import SessionError
from demo.rehearsal.sandbox_client import OddPack, SandboxClient, SellerJob
from demo.rehearsal.simulated_dispatcher import SimulatedDispatcher

SECONDS = 60
FEWEST_OF_A_KIND = 2
CANCELLED, CLOSED, REFUSED = "cancelled", "closed", "pack refused by the partner"
ENDS_OF_ACCEPTED = (CANCELLED, CLOSED)
# without a visit: installations have a code of their own for that, the other types do not
CODES = {"installation": "MBORC"}
OTHER_REASON = "OTHER"


class Unsettled(SessionError):
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
                else REFUSED
            )
            self.ends[seller_job_id] = end
            if end != REFUSED:
                self._end(self._accepted(seller_job_id), office, end, by_our_id=number % 4 < 2)
        self._wait("an answer", lambda job: job.state.lower() == self.ends[job.seller_job_id])
        for seller_job_id, end in self.ends.items():
            if end == CANCELLED:
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
        if end == CLOSED:
            office.close_without_visit(job.provider_job_id, code=CODES.get(job.job_type, OTHER_REASON))
        elif by_our_id:
            self.seller.cancel(job.seller_job_id)
        else:
            self.seller.send_odd(job.seller_job_id, "cancel_by_seller_id")

    def _wait(self, what: str, condition: Callable[[SellerJob], bool]) -> None:
        if not wait_until(lambda: all(condition(job) for job in self._jobs()), seconds=SECONDS):
            left = [
                f"{job.seller_job_id} ({job.oddity}): {job.state}"
                for job in self._jobs()
                if not condition(job)
            ]
            raise Unsettled(f"odd packs waited {SECONDS} s for {what}: {left}")

    def _jobs(self) -> list[SellerJob]:
        return [job for job in self.seller.jobs() if job.seller_job_id in self.ends]


def interrupt(seller: SandboxClient, *, finished: int) -> None:
    """What the operator does after so many jobs: never to both endpoints at once."""
    if finished == 1:
        seller.switch("A", "maintenance", seconds=3)
    elif finished == 3:
        seller.switch("B", "limit", per_minute=10)
    elif finished == 4:
        seller.change_certificate()


def end_interruptions(seller: SandboxClient) -> None:
    for endpoint in ("A", "B"):
        seller.switch(endpoint, "normal")
