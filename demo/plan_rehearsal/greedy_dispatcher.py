"""A dispatcher who plans by hand with the slot suggestions of the board: job by job in the order in which the board
lists them, each to the nearest engineer who is free."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from demo.plan_rehearsal.day_setup import DAY
from dispatch.driving.drive_times import ESTIMATES
from dispatch.driving.travel import job_coordinates
from dispatch.job_events import Performer
from dispatch.models import Job, Visit
from dispatch.plan_changes.plan_versions import plan_version
from dispatch.reassignment import RowResult, SeenJob, movable_visits, reassign_each, unassign_each
from engineers import rota
from engineers.models import Engineer
from engineers.shifts import day_span


@dataclass
class GreedyDispatcher:
    by: Performer

    def plan_day(self) -> None:
        self._assign(self._waiting())

    def replace_engineer(self, engineer: Engineer) -> None:
        """Enters the absence; whoever is free takes the visits, and for the others the customer is called."""
        now = timezone.now()
        assert self.by.user
        rota.add_absence(
            engineer=engineer, starts_at=now, ends_at=day_span(DAY).end, reason="", by=self.by.user
        )
        self._give_away(movable_visits([engineer], day=DAY))

    def extend_visit(self, visit: Visit, *, ends_at: datetime) -> None:
        """Visits that the engineer would begin after their windows go to whoever is free; the others are called off."""
        free_at, position = ends_at, job_coordinates(visit.job)
        for later in movable_visits([visit.engineer], day=DAY):
            starts_at = max(
                later.planned_start,
                free_at + ESTIMATES.time(position, job_coordinates(later.job), at=free_at),
            )
            if starts_at >= later.job.window_end:
                self._give_away([later])
                continue
            free_at, position = starts_at + later.job.duration, job_coordinates(later.job)

    def fill_gap(self, visit: Visit) -> None:
        """The engineer who has time now gets what is unassigned and fits."""
        self._assign(self._waiting(), to=visit.engineer)

    def _give_away(self, visits: Iterable[Visit]) -> None:
        left = [SeenJob(result.job) for result in self._assign(_seen(visits)) if result.problems]
        unassign_each(left, by=self.by, now=timezone.now())

    def _waiting(self) -> list[SeenJob]:
        return [SeenJob(job) for job in Job.objects.unassigned().on_day(DAY)]

    def _assign(self, rows: Iterable[SeenJob], *, to: Engineer | None = None) -> list[RowResult]:
        return reassign_each(rows, by=self.by, now=timezone.now(), to=to)


def _seen(visits: Iterable[Visit]) -> list[SeenJob]:
    return [SeenJob(visit.job, plan_version(visit)) for visit in visits]
