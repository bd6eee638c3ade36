"""Fills the demo's day: packs from the sandbox seller, a plan by our dispatcher, and what the phones report of it."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from random import Random
from threading import Event

from demo.environment import wait_until
from demo.living_day.day_plan import PlannedVisit, appointment_windows, plan_visits
from demo.living_day.day_stages import Stage, VisitStage, left_home_at, scenario_of, stage_visits
from demo.rehearsal.app_client import PhoneClient, SessionError, signed_in_phone
from demo.rehearsal.sandbox_client import SandboxClient
from demo.rehearsal.simulated_engineers import Order, SimulatedEngineer, SimulatedVisit, position_at
from demo.rehearsal.visit_clock import PastTime
from dispatch import visits
from dispatch.availability import NotBookable
from dispatch.job_events import Performer
from dispatch.models import Job
from dispatch.states import Actor, JobType
from engineers.models import Engineer, Role, User
from engineers.shifts import local_time
from seller_link import outbox
from seller_link.models import OutboundMessage

SEED = 20261123
INSTALLATION, REVISIT = JobType.INSTALLATION.value, JobType.REVISIT.value
# taken in turn
TYPES = [
    *[INSTALLATION] * 3,
    REVISIT,
    *[INSTALLATION] * 3,
    JobType.EXTERNAL.value,
    REVISIT,
    JobType.CIVILS.value,
]
# on a machine that is busy with other work; elsewhere it is seconds
ARRIVAL_SECONDS = SENT_SECONDS = 120
# the board must stay quick for whoever opens it meanwhile
PHONES_AT_ONCE = 3
PROVISIONING_FAILED, PROVISIONED = 5, 1
# the phones of seeded visits do not wait for a result
WAITING_SECONDS, USUAL_SECONDS = 24 * 3600, 3
REJECTED = 422
OVERRIDE_REASON = "The seller's planner has agreed by telephone"
STEP_OF_STAGE = {Stage.EN_ROUTE: "en_route", Stage.ON_SITE: "on_site", Stage.PROVISIONING: "scan"}


@dataclass
class DaySeeding:
    """One filling of the day; `say` gets a line for each step."""

    board_url: str
    console_url: str
    password: str
    now: datetime
    say: Callable[[str], None]
    seller: SandboxClient = field(init=False)
    seller_ids: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    phones: dict[str, PhoneClient] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.seller = SandboxClient(self.console_url)

    def fill(self, *, jobs: int) -> None:
        """What is under way first, since that is what a dispatcher looks at; the closed visits with their photos last.

        Raises SessionError when the seller or our own side does not answer.
        """
        packs = self._receive_packs(jobs)
        self.say(f"{len(packs)} job packs have arrived")
        engineers = Engineer.objects.filter(user__is_active=True).select_related("user")
        people = list(engineers.prefetch_related("skills", "shifts", "absences"))
        planned = sorted(plan_visits(packs, people, now=self.now), key=lambda visit: visit.span.start)
        staged = stage_visits(planned[:-1], now=self.now)
        ahead = [found for found in staged if found.stage != Stage.CLOSED and self._assign(found.visit)]
        self.say(f"{len(ahead)} jobs are assigned")
        self.seller.answer_scans_after(seconds=WAITING_SECONDS)
        self._report(found for found in ahead if found.stage != Stage.ASSIGNED)
        self._have_trouble(ahead, held=planned[-1])
        self.say("engineers are on their way and on site")
        self.seller.answer_scans_after(seconds=0)
        # assigned no sooner than it is closed: nobody's row is late meanwhile
        self._report(found for found in staged if found.stage == Stage.CLOSED)
        self.seller.answer_scans_after(seconds=USUAL_SECONDS)

    # --- packs and plan -------------------------------------------------------------------------------------
    def _receive_packs(self, jobs: int) -> list[Job]:
        ids = [
            seller_job_id
            for number, (window, count) in enumerate(appointment_windows(self.now, jobs=jobs))
            for seller_job_id in self.seller.send_packs(
                count=count,
                day=local_time(self.now).date(),
                seed=SEED + number,
                types=TYPES,
                window={"start": window.start.isoformat(), "end": window.end.isoformat()},
            )
        ]
        found = Job.objects.filter(seller_job_id__in=ids)
        if not wait_until(lambda: found.count() == len(ids), seconds=ARRIVAL_SECONDS):
            raise SessionError(f"{len(ids) - found.count()} job packs did not arrive")
        packs = sorted(found, key=lambda job: ids.index(job.seller_job_id))
        self.seller_ids = {job.provider_job_id: job.seller_job_id for job in packs}
        self.numbers = {job.provider_job_id: number for number, job in enumerate(packs)}
        return packs

    def _assign(self, visit: PlannedVisit) -> bool:
        office = Performer(Actor.DISPATCHER, User.objects.filter(role=Role.DISPATCHER).first())
        try:
            visits.assign(
                job=visit.job,
                engineer=visit.engineer,
                starts_at=visit.span.start,
                by=office,
                # packs of today keep no lead time; everything else the plan keeps
                override_reason=OVERRIDE_REASON,
            )
        except NotBookable:
            return False
        return True

    # --- what the phones report -----------------------------------------------------------------------------
    def _report(self, staged: Iterable[VisitStage]) -> None:
        """Each engineer's visits in their order, some engineers at a time."""
        by_engineer = [
            list(visits) for _key, visits in groupby(staged, key=lambda found: found.visit.engineer.pk)
        ]
        with ThreadPoolExecutor(PHONES_AT_ONCE) as phones:
            for reported in phones.map(self._report_engineer, by_engineer):
                self.say(reported)

    def _report_engineer(self, staged: list[VisitStage]) -> str:
        engineer = staged[0].visit.engineer
        worker = SimulatedEngineer(
            name=engineer.name,
            phone=self._phone_of(engineer.user.username),
            seller=self.seller,
            orders={},
            finished=lambda _order: None,
            over=Event(),
            chance=Random(engineer.pk),  # noqa: S311  # label digits, not keys
        )
        for found in staged:
            self._report_visit(worker, found)
        return f"{engineer.name}: {len(staged)} reported"

    def _phone_of(self, username: str) -> PhoneClient:
        if username not in self.phones:
            self.phones[username] = signed_in_phone(self.board_url, username=username, password=self.password)
        return self.phones[username]

    def _report_visit(self, worker: SimulatedEngineer, found: VisitStage) -> None:
        visit, job_id = found.visit, found.visit.job.provider_job_id
        is_open = found.stage != Stage.CLOSED
        if not is_open and not self._assign(visit):
            return
        scenario = scenario_of(
            JobType(visit.job.job_type),
            number=self.numbers[job_id],
            chance=worker.chance,
            succeeds=found.stage == Stage.PROVISIONING,
        )
        SimulatedVisit(
            worker,
            Order(self.seller_ids[job_id], job_id, scenario),
            clock=PastTime(left_home_at(visit, chance=worker.chance), latest=self.now),
            stop_after=STEP_OF_STAGE[found.stage] if is_open else "",
            position=position_at(visit.job),
            minutes_of_travel=visit.travel.total_seconds() / 60,
            minutes_on_site=visit.span.length.total_seconds() / 60,
        ).run()

    # --- what needs a person --------------------------------------------------------------------------------
    def _have_trouble(self, staged: list[VisitStage], *, held: PlannedVisit) -> None:
        """One cancellation on the way, one failed provisioning and one message that the seller rejected."""
        wait_until(self._all_sent, seconds=SENT_SECONDS)
        driving = [found for found in staged if found.stage == Stage.EN_ROUTE]
        for found in driving[:1]:
            self.seller.cancel(self._seller_id(found))
        # the first fails, the second still waits for its result, all others have theirs
        results = [PROVISIONING_FAILED, None, *[PROVISIONED] * len(staged)]
        waiting = [found for found in staged if found.stage == Stage.PROVISIONING]
        for found, result in zip(waiting, results, strict=False):
            if result:
                self.seller.provision(self._seller_id(found), result=result)
        self._have_message_held(held)

    def _have_message_held(self, visit: PlannedVisit) -> None:
        for endpoint in ("A", "B"):
            self.seller.switch(endpoint, "fail", status=REJECTED, times=1)
        self._assign(visit)
        wait_until(lambda: outbox.stuck_messages().exists(), seconds=SENT_SECONDS)
        for endpoint in ("A", "B"):
            self.seller.switch(endpoint, "normal")

    def _all_sent(self) -> bool:
        return not OutboundMessage.objects.unsent().exists()

    def _seller_id(self, found: VisitStage) -> str:
        return self.seller_ids[found.visit.job.provider_job_id]
