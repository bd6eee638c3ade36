"""Simulated engineers who work on: each does the jobs of the day as they come up, by the phone's own addresses."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from threading import Event
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_datetime

from demo.living_day.day_stages import scenario_of
from demo.rehearsal.app_client import PhoneClient, SessionError, signed_in_phone
from demo.rehearsal.sandbox_client import SandboxClient
from demo.rehearsal.simulated_engineers import POSITION, Order, SimulatedEngineer, SimulatedVisit
from demo.rehearsal.visit_clock import DayOver, LiveTime
from dispatch.states import JobState, JobType

LOOK_SECONDS = 2
LEAVES_EARLY = timedelta(minutes=20)
MINUTES_OF_TRAVEL = 15
# what is left of a visit that somebody else has begun
SHARE_LEFT = 0.5
UNDER_WAY = (JobState.ON_SITE, JobState.EN_ROUTE)
WORKABLE = (*UNDER_WAY, JobState.ASSIGNED)


@dataclass
class DayWork:
    """Until `over` is set; with a `speed` of 10 an hour of the engineers passes in six minutes."""

    board_url: str
    console_url: str
    password: str
    speed: float
    over: Event
    say: Callable[[str], None]
    started_at: datetime = field(default_factory=timezone.now)

    def run(self, usernames: Iterable[str]) -> None:
        names = list(usernames)
        with ThreadPoolExecutor(max(1, len(names))) as people:
            list(people.map(self._work, names))

    def _work(self, username: str) -> None:
        phone = signed_in_phone(self.board_url, username=username, password=self.password)
        worker = SimulatedEngineer(
            name=username,
            phone=phone,
            seller=SandboxClient(self.console_url),
            orders={},
            finished=lambda _order: None,
            over=self.over,
            chance=Random(username),  # noqa: S311  # label digits, not keys
        )
        while not self.over.is_set():
            job = self._next(phone, done=worker.done)
            if job is None:
                self.over.wait(LOOK_SECONDS)
                continue
            self._visit(worker, job)

    def _next(self, phone: PhoneClient, *, done: set[str]) -> dict[str, Any] | None:
        """What is under way, or the first visit for which it is time to leave."""
        try:
            jobs = [job for job in phone.day() if job["state"] in WORKABLE and job["id"] not in done]
        except SessionError as problem:
            # a web process that is being replaced
            self.say(str(problem))
            return None
        begun = [job for job in jobs if job["state"] in UNDER_WAY]
        due = [job for job in jobs if planned_start(job) - LEAVES_EARLY <= self._now()]
        return next(iter([*begun, *sorted(due, key=planned_start)]), None)

    def _now(self) -> datetime:
        """The engineers' time, which goes faster than ours."""
        return self.started_at + (timezone.now() - self.started_at) * self.speed

    def _visit(self, worker: SimulatedEngineer, job: dict[str, Any]) -> None:
        worker.done.add(job["id"])
        length = (parse_planned(job, "end") - planned_start(job)).total_seconds() / 60
        share = SHARE_LEFT if job["state"] == JobState.ON_SITE else worker.chance.uniform(0.7, 1.15)
        scenario = scenario_of(JobType(job["type"]), number=len(worker.done), chance=worker.chance)
        visit = SimulatedVisit(
            worker,
            Order("", job["id"], scenario),
            clock=LiveTime(self.speed, self.over),
            state=job["state"],
            position=_position(job),
            minutes_of_travel=MINUTES_OF_TRAVEL,
            minutes_on_site=length * share,
            answers=dict(job["answers"]),
        )
        try:
            visit.run()
        except DayOver:
            return
        except SessionError as problem:
            # cancelled or reassigned meanwhile: the office has decided, and the engineer goes on
            self.say(f"{worker.name}: {problem}")
        else:
            self.say(f"{worker.name} has closed {job['id']} {scenario.outcome.code}")


def planned_start(job: dict[str, Any]) -> datetime:
    return parse_planned(job, "start")


def parse_planned(job: dict[str, Any], end: str) -> datetime:
    found = parse_datetime(job["planned"][end])
    if found is None:
        raise SessionError(f"{job['id']} has no planned {end}")
    return found


def _position(job: dict[str, Any]) -> dict[str, Any]:
    if job["latitude"] is None:
        return dict(POSITION)
    return {**POSITION, "latitude": job["latitude"], "longitude": job["longitude"]}
