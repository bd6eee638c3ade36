"""One scenario under way: its orders and reservations, its notifications, and its part of the seller's log."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property

from demo.order_scenarios.buyer import Buyer, Reservation, Slot
from demo.order_scenarios.callback import Notification
from demo.order_scenarios.engineer_visit import ScenarioVisit
from demo.order_scenarios.scenarios import Scenario
from demo.order_scenarios.sequence import Line, read_lines
from demo.order_scenarios.stage import ScenarioStage
from demo.rehearsal.app_client import SessionError
from demo.rehearsal.sandbox_client import LoggedMessage, SellerJob

UNSOLICITED = "unsolicitedCeaseRequest"


@dataclass
class ScenarioRun:
    """The state of one scenario; the functions of steps.py move it on."""

    stage: ScenarioStage
    scenario: Scenario
    uprn: str
    began_after: int
    known_threads: frozenset[str]
    known_jobs: frozenset[str]
    known_notifications: frozenset[str]
    reservation: Reservation | None = None
    # the buyer's reference of each order by its name in the scenario; the first one's is empty
    references: dict[str, str] = field(default_factory=dict)
    visit: ScenarioVisit | None = None
    release_on: date | None = None

    @cached_property
    def service(self) -> str:
        """The live service at the premises, which buyer A has."""
        return self.buyer("A").find_service(self.uprn)

    def buyer(self, short_name: str) -> Buyer:
        return self.stage.buyers[short_name]

    def new_reference(self, name: str) -> str:
        reference = f"{self.scenario.name[:27]}-{uuid.uuid4().hex[:8]}"
        self.references[name] = reference
        return reference

    def notifications(self) -> list[Notification]:
        """What the scenario's buyers were notified of, in the order of arrival."""
        return [
            found for found in self.stage.callback.all() if found.message_id not in self.known_notifications
        ]

    def seller_reference(self, name: str) -> str:
        """What the seller calls an order of the scenario, `cease` the unsolicited one. Raises SessionError."""
        for found in self.notifications():
            is_cease = name == "cease" and found.kind == UNSOLICITED
            if is_cease or found.buyer_order_reference == self.references.get(name, "-"):
                return found.seller_order_reference
        raise SessionError(f"no buyer was told of an order {name!r}")

    def maintainer_reference(self) -> str:
        """What the seller calls the scenario's ticket. Raises SessionError."""
        for found in self.notifications():
            if found.is_about_ticket:
                return found.message.text("maintainerFaultReference")
        raise SessionError("no buyer was told of a ticket")

    def appointment(self) -> datetime:
        """When the visit begins that was notified last, or the reserved one. Raises SessionError."""
        appointed = [found.message for found in self.notifications() if found.message.has("appointment")]
        if appointed:
            last = appointed[-1]
            names = ("appointmentDate", "appointmentStartTime", "appointmentEndTime")
            return Slot(*(last.text(name) for name in names)).starts_at
        if self.reservation is None:
            raise SessionError("the scenario has no appointment")
        return self.reservation.slot.starts_at

    def new_job(self) -> SellerJob:
        """The scenario's newest job that we accepted. Raises SessionError."""
        found = [job for job in self.jobs() if job.provider_job_id and not self._is_visited(job)]
        if not found:
            raise SessionError("the scenario has no job that waits for a visit")
        return found[-1]

    def jobs(self) -> list[SellerJob]:
        return [job for job in self.stage.seller.jobs() if job.seller_job_id not in self.known_jobs]

    def job(self, seller_job_id: str) -> SellerJob:
        return next(job for job in self.jobs() if job.seller_job_id == seller_job_id)

    def _is_visited(self, job: SellerJob) -> bool:
        return job.state in {"Closed", "Cancelled"}

    def passages(self) -> list[LoggedMessage]:
        """What went over the wire since the scenario began, without late messages about earlier scenarios."""
        log = self.stage.seller.message_log(since=self.began_after, speaking_with="all")
        return [passage for passage in log if passage.thread not in self.known_threads]

    def lines(self) -> list[Line]:
        named: Mapping[str, str] = {reference: name for name, reference in self.references.items()}
        return read_lines(self.passages(), own_references=named)

    def undelivered(self) -> list[str]:
        """Notifications that the seller believes delivered and no buyer has."""
        have = {found.message_id for found in self.notifications()}
        return [
            f"the buyer does not have notification {passage.message_id}"
            for passage in self.passages()
            if passage.thread_kind in {"order", "ticket"}
            and not passage.arrived
            and passage.counts
            and passage.message_id not in have
        ]


def begin_scenario(stage: ScenarioStage, scenario: Scenario) -> ScenarioRun:
    """Fresh premises, and everything that happened before is none of the scenario's."""
    stage.seller.plan_results(scenario.results)
    log = stage.seller.message_log(speaking_with="all")
    return ScenarioRun(
        stage=stage,
        scenario=scenario,
        uprn=stage.next_premises(scenario.situation),
        began_after=log[-1].number if log else 0,
        known_threads=frozenset(passage.thread for passage in log if passage.thread),
        known_jobs=frozenset(job.seller_job_id for job in stage.seller.jobs()),
        known_notifications=frozenset(found.message_id for found in stage.callback.all()),
    )
