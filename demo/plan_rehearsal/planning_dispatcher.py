"""A dispatcher who lets the planner propose: the whole day before it begins, and then the way that stands first each
time when “Re-plan a day under way” compares some."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from django.conf import settings
from django.utils import timezone

from board.plans.comparison_presenter import comparison_page
from demo.plan_rehearsal.day_setup import DAY
from demo.plan_rehearsal.greedy_dispatcher import GreedyDispatcher
from dispatch.job_events import Performer
from dispatch.models import Occasion, PlanProposal, ProposalState, Visit
from dispatch.planning.comparison_making import make_comparison
from dispatch.planning.comparisons import request_comparison
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.proposal_acceptance import accept_proposal
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposals import DEFAULT_RESERVE_MINUTES, request_proposal
from dispatch.states import JobState
from engineers.models import Engineer, User
from engineers.shifts import day_span

# of the first plan; a time limit must end nothing, or no two days would be the same
NEIGHBOURHOODS_PER_ENGINEER = 3
SECONDS_OF_OPTION = 30
LONGEST_MINUTES = 600


@dataclass
class PlanningDispatcher:
    by: Performer
    seed: int

    def plan_day(self) -> None:
        proposal = request_proposal(
            scope=PlanScope(day_span(DAY), reserve_minutes=DEFAULT_RESERVE_MINUTES),
            by=self._user,
            seconds=settings.PLAN_SECONDS,
            neighbourhoods=NEIGHBOURHOODS_PER_ENGINEER * Engineer.objects.count(),
            seed=self.seed,
        )
        make_proposal(proposal.pk)
        self._accept(proposal.pk)

    def replace_engineer(self, engineer: Engineer) -> None:
        self._replan(Occasion.ENGINEER_ABSENT, engineer=engineer, absent_since=timezone.now())

    def extend_visit(self, visit: Visit, *, ends_at: datetime) -> None:
        minutes = ceil((ends_at - timezone.now()) / timedelta(minutes=1))
        self._replan(Occasion.VISIT_LONGER, job=visit.job, longer_minutes=min(minutes, LONGEST_MINUTES))
        # what the planner has no place for and stays where it is, as anybody would
        GreedyDispatcher(self.by).extend_visit(visit, ends_at=ends_at)

    def fill_gap(self, visit: Visit) -> None:
        is_closed = visit.job.state == JobState.CLOSED
        self._replan(Occasion.NO_ACCESS if is_closed else Occasion.JOB_CANCELLED, job=visit.job)

    def _replan(self, occasion: Occasion, **what: Any) -> None:
        comparison = request_comparison(occasion=occasion, by=self._user, seconds=SECONDS_OF_OPTION, **what)
        make_comparison(comparison.pk)
        first = comparison_page(comparison).columns[0]
        self._accept(first.pk)

    def _accept(self, proposal_id: int) -> None:
        proposal = PlanProposal.objects.get(pk=proposal_id)
        assert proposal.state == ProposalState.READY, proposal.failure
        accept_proposal(proposal, by=self.by, now=timezone.now())

    @property
    def _user(self) -> User:
        assert self.by.user
        return self.by.user
