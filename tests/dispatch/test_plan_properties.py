"""Whatever a day looks like in the database, its plan breaks no rule and can be booked as it is; and an engine that
cannot start, or hangs, leaves everything as it was."""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

import pytest
import time_machine
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dispatch import jobs, visits
from dispatch.models import Occasion, PlanProposal, ProposalState
from dispatch.planning import plan_runner
from dispatch.planning.comparison_making import make_comparison
from dispatch.planning.comparisons import request_comparison
from dispatch.planning.engine.plan_check import list_breaches
from dispatch.planning.engine.plan_value import plan_value
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.problem.problem_reader import read_problem
from dispatch.planning.proposal_acceptance import accept_proposal
from dispatch.planning.proposal_changes import save_plan
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposals import request_proposal
from dispatch.states import JobState
from engineers.models import Engineer
from engineers.shifts import TimeSpan, day_span
from tests import make
from tests.board.office import signed_in
from tests.dispatch.drawn_days import DrawnDay, check_plan_of, drawn_days, search
from tests.rolled_back import rolled_back

pytestmark = pytest.mark.django_db
# a usual day, and those on which the clocks change
DAYS = (make.DAY, date(2026, 3, 29), date(2026, 10, 25))
SHIFTS = (("08:00", "18:00"), ("22:00", "06:00"), ("00:00", "04:00"), ("09:00", "09:30"))
# the second ends on the next day, the last is shorter than any visit
WINDOWS = (("08:00", "13:00"), ("22:00", "02:00"), ("00:30", "03:30"), ("13:00", "13:15"))


@dataclass(frozen=True)
class DrawnJob:
    window: tuple[str, str]
    minutes: int
    # None is a job without coordinates
    latitude: float | None
    flags: tuple[str, ...]


drawn_jobs = st.builds(
    DrawnJob,
    window=st.sampled_from(WINDOWS),
    minutes=st.sampled_from([15, 60, 300, 600]),
    latitude=st.sampled_from([53.81, 53.81, 54.9, None]),
    flags=st.sampled_from([(), ("MDU",), ("CHP",), ("CHP",), ("SUR",)]),
)
drawn_engineers = st.tuples(st.sampled_from(SHIFTS), st.booleans(), st.booleans())


def receive(drawn: DrawnJob, *, day: date) -> None:
    pack = make.pack(
        day=day,
        window=drawn.window,
        flags=drawn.flags,
        duration_minutes=drawn.minutes,
        located=drawn.latitude is not None,
    )
    if drawn.latitude is not None:
        pack = replace(pack, premises=replace(pack.premises, latitude=drawn.latitude))
    if pack.window_end <= pack.window_start:
        pack = replace(pack, window_end=make.at(drawn.window[1], day=day + timedelta(days=1)))
    jobs.create_job(pack=pack)


def hire(shift: tuple[str, str], *, has_break: bool, has_home: bool) -> None:
    engineer = make.engineer(skills=("mdu", "cherry-picker"), starts=shift[0], ends=shift[1])
    if has_break and shift == SHIFTS[0]:
        make.give_break(engineer)
    if not has_home:
        Engineer.objects.filter(pk=engineer.pk).update(home_latitude=None, home_longitude=None)


@settings(max_examples=12, suppress_health_check=[*HealthCheck])
@given(st.sampled_from(DAYS), st.lists(drawn_engineers, max_size=3), st.lists(drawn_jobs, max_size=5))
def test_any_day_gives_a_plan_that_breaks_no_rule_and_is_booked_as_it_is(
    day: date, engineers: list[tuple[tuple[str, str], bool, bool]], received: list[DrawnJob]
) -> None:
    before = day - timedelta(days=1)
    with rolled_back(), time_machine.travel(make.at("12:00", day=before)):
        for shift, has_break, has_home in engineers:
            hire(shift, has_break=has_break, has_home=has_home)
        for drawn in received:
            receive(drawn, day=day)
        span = TimeSpan(day_span(day).start, day_span(day + timedelta(days=1)).end)
        read = read_problem(PlanScope(span), now=timezone.now())
        assert read
        proposal = request_proposal(scope=PlanScope(span), by=make.dispatcher())

        plan = search(read.problem)
        save_plan(proposal, read, plan)
        result = accept_proposal(proposal, by=make.office(), now=timezone.now())

        assert list_breaches(read.problem, plan) == []
        assert [refusal.problems for refusal in result.refusals] == []
        assert len(result.accepted) == plan_value(read.problem, plan).assigned


@settings(max_examples=15, suppress_health_check=[*HealthCheck])
@given(drawn_days)
def test_plan_of_any_day_under_way_adds_no_breach_and_leaves_what_it_may_not_touch(day: DrawnDay) -> None:
    """`plan_days` of `make bench` does so with many more."""
    check_plan_of(day)


def test_engine_that_cannot_start_leaves_the_plan_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    engineer = make.engineer()
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    visit, waiting = visits.current_visit(job), make.job()
    proposal = request_proposal(scope=PlanScope(day_span(make.DAY)), by=make.dispatcher(), seconds=15)
    # the engine's interpreter looks for its library there
    monkeypatch.setenv("PYTHONHOME", "/nonexistent")

    with time_machine.travel(make.at("06:00")):
        make_proposal(proposal.pk)

    failed = PlanProposal.objects.get(pk=proposal.pk)
    assert (failed.state, failed.changes.count()) == (ProposalState.FAILED, 0)
    assert "exit code 1" in failed.failure
    assert [visits.current_visit(job), visits.current_visit(waiting)] == [visit, None]
    text = signed_in().get(f"/board/plans/{proposal.pk}/").context["page"].failure
    assert text.startswith("The plan could not be made. Nothing has changed.")


def test_engine_that_hangs_leaves_the_plan_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    engineer = make.engineer()
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    visit, waiting = visits.current_visit(job), make.job()
    scope, by = PlanScope(day_span(make.DAY)), make.dispatcher()
    # the engine's interpreter reads it before anything else
    (tmp_path / "sitecustomize.py").write_text("import time; time.sleep(600)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(plan_runner, "START_SECONDS", 1.0)

    with time_machine.travel(make.at("06:00")):
        proposal = request_proposal(scope=scope, by=by, seconds=1)
        comparison = request_comparison(occasion=Occasion.URGENT_JOB, by=by, job=waiting, seconds=1)
        make_proposal(proposal.pk)
        make_comparison(comparison.pk)

    failures = set(PlanProposal.objects.values_list("state", "failure"))
    assert failures == {("failed", "no answer within 1 s"), ("failed", "no answer within 4 s")}
    assert [visits.current_visit(job), visits.current_visit(waiting)] == [visit, None]
    for address in (f"/board/plans/{proposal.pk}/", f"/board/plans/compare/{comparison.pk}/"):
        text = signed_in().get(address).context["page"].failure
        assert text.startswith("The plan could not be made. Nothing has changed.")
