"""The day that is planned twice: what happens is the same for both, one seed gives one day, the planner is ahead."""

from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from demo.plan_rehearsal.day_results import (
    GREEDY,
    PLANNER,
    WAYS,
    DayResult,
    is_planner_ahead,
    results_table,
)
from demo.plan_rehearsal.day_setup import hour_of
from demo.plan_rehearsal.disturbances import NO_ACCESS, SICK_HOUR, Disturbances, draw_disturbances
from demo.plan_rehearsal.rehearsed_plan import rehearse_plan
from demo.plan_rehearsal.simulated_clock import SimulatedClock, simulated_time
from dispatch.models import Visit
from engineers.models import Absence
from engineers.shifts import TimeSpan
from tests.rolled_back import rolled_back

MORNING = TimeSpan(hour_of(8), hour_of(13))
SEED = 1


def drawn(*, jobs: int, seed: int = SEED) -> Disturbances:
    return draw_disturbances([MORNING] * jobs, engineers=8, morning=hour_of(0), seed=seed)


def test_what_happens_to_a_job_depends_on_no_other_job() -> None:
    assert drawn(jobs=300).jobs[:40] == drawn(jobs=40).jobs
    assert drawn(jobs=40) != drawn(jobs=40, seed=2)
    assert drawn(jobs=40).sick_at == hour_of(SICK_HOUR)


def test_every_kind_of_disturbance_comes_up() -> None:
    found, hour = drawn(jobs=300).jobs, timedelta(hours=1)

    overruns = [disturbance for disturbance in found if disturbance.real_length(hour) > hour]
    assert 0.1 < len(overruns) / len(found) < 0.4
    assert {NO_ACCESS} == {found.real_length(hour) for found in found if found.is_without_access}
    cancelled = [disturbance.cancelled_at for disturbance in found if disturbance.cancelled_at]
    assert 0 < len(cancelled) < 30
    assert all(MORNING.start <= moment <= MORNING.end for moment in cancelled)


def test_clock_stands_where_it_was_set_and_goes_on_afterwards() -> None:
    real, clock = timezone.now, SimulatedClock(hour_of(8))
    with pytest.raises(ZeroDivisionError), simulated_time(clock):
        clock.moment = hour_of(9)
        assert timezone.now() == hour_of(9)
        1 / 0  # noqa: B018
    assert timezone.now is real


def visited_day() -> list[tuple[object, ...]]:
    names = ("job__seller_job_id", "engineer__staff_number", "planned_start", "arrived_at", "ended_at")
    return list(Visit.objects.order_by("pk").values_list(*names))


@pytest.mark.django_db
@pytest.mark.parametrize("way", WAYS)
def test_one_seed_gives_one_day(way: str) -> None:
    days, results = [], []
    for _ in range(2):
        with rolled_back():
            results.append(replace(rehearse_plan(way, engineers=3, jobs=15, seed=SEED), seconds=0))
            days.append(visited_day())
            # the dispatcher entered the absence of who is off sick
            assert [absence.starts_at for absence in Absence.objects.all()] == [hour_of(SICK_HOUR)]
    assert days[0] == days[1]
    assert results[0] == results[1]
    assert results[0].out_of_time == 0


@pytest.mark.slow
@pytest.mark.django_db
def test_planner_is_ahead_of_planning_by_hand() -> None:
    found = {}
    for way in WAYS:
        with rolled_back():
            found[way] = rehearse_plan(way, engineers=8, jobs=40, seed=SEED)
    greedy, planner = found[GREEDY], found[PLANNER]

    assert is_planner_ahead(greedy, planner), results_table(greedy, planner)


@pytest.mark.slow
def test_command_prints_the_table_and_fails_when_the_planner_is_not_ahead(tmp_path: Path) -> None:
    """With one job nobody can be ahead."""
    written = StringIO()
    with pytest.raises(CommandError, match="not ahead"):
        call_command(
            "rehearse", "--plan", "--engineers=1", "--jobs=1", f"--folder={tmp_path}", stdout=written
        )
    assert written.getvalue().startswith("of 1 jobs")


RESULT = DayResult(
    jobs=40,
    in_window=30,
    driving_seconds=72_000,
    late=2,
    behind_plan=7,
    moved=1,
    rescheduled=0,
    not_visited=5,
    cancelled=1,
    without_access=2,
    overtime_seconds=3600,
    replans=4,
    out_of_time=0,
    seconds=2,
)


@pytest.mark.parametrize(
    ("changes", "is_ahead"),
    [
        ({"in_window": 31, "driving_seconds": 71_000, "late": 1}, True),
        ({"in_window": 30, "driving_seconds": 71_000, "late": 1}, False),
        ({"in_window": 31, "driving_seconds": 72_000, "late": 1}, False),
        ({"in_window": 31, "driving_seconds": 71_000, "late": 2}, False),
    ],
)
def test_ahead_is_ahead_in_all_three_figures(changes: dict[str, int], is_ahead: bool) -> None:
    assert is_planner_ahead(RESULT, replace(RESULT, **changes)) == is_ahead


def test_as_many_late_arrivals_are_not_ahead_even_none() -> None:
    greedy = replace(RESULT, late=0)

    assert not is_planner_ahead(greedy, replace(greedy, in_window=31, driving_seconds=71_000))


def test_table_has_both_ways_side_by_side() -> None:
    lines = results_table(RESULT, replace(RESULT, in_window=35)).splitlines()

    assert lines[0].split("  ")[0] == "of 40 jobs"
    assert lines[1].split() == ["jobs", "done", "in", "their", "window", "30", "35"]
    assert "20.0 h" in lines[2]
