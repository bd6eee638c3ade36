"""The rest of a day, simulated: plain values in, probabilities out."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from dispatch.on_time_forecast.causes import Cause
from dispatch.on_time_forecast.day_simulation import VisitAhead, simulate_day
from dispatch.on_time_forecast.spreads import (
    DEFAULT_LENGTH,
    DEFAULT_TRAVEL,
    SHARES,
    JobKind,
    Spread,
    Spreads,
    spread_of,
)

HOUR = 3600
AS_PLANNED = Spread((1.0,) * len(SHARES))
EXACT = Spreads(travel=AS_PLANNED, lengths={("PD", "", ""): AS_PLANNED}, no_access={"PD": 0.0})
FIRST = VisitAhead(1, 1, JobKind("PD"), 8 * HOUR, HOUR, 900, 13 * HOUR)
SECOND = VisitAhead(2, 1, JobKind("PD"), 10 * HOUR, HOUR, 1800, 13 * HOUR)


def test_day_that_runs_as_planned_is_kept() -> None:
    outcome = simulate_day([FIRST, SECOND], EXACT, now=7 * HOUR)

    assert [visit.probability for visit in outcome.visits.values()] == [1.0, 1.0]
    assert [visit.start for visit in outcome.visits.values()] == [8 * HOUR, 10 * HOUR]
    assert outcome.engineers[1].finish == 11 * HOUR
    assert (outcome.misses, outcome.most_misses) == (0.0, 0)


def test_visit_that_cannot_be_reached_is_missed_because_of_the_plan() -> None:
    late = replace(SECOND, window_end=9 * HOUR)

    outcome = simulate_day([FIRST, late], EXACT, now=7 * HOUR)

    assert outcome.visits[2].probability == 0.0
    assert outcome.visits[2].cause == Cause.PLAN
    assert outcome.misses == 1.0


def test_work_that_takes_longer_is_named_as_the_cause() -> None:
    """Half of the visits of this type take three times as long."""
    slow = Spread(tuple(1.0 if share < 0.5 else 3.0 for share in SHARES))
    spreads = replace(EXACT, lengths={("PD", "", ""): slow})
    tight = replace(SECOND, window_end=10 * HOUR)

    found = simulate_day([FIRST, tight], spreads, now=7 * HOUR).visits[2]

    assert found.probability == pytest.approx(0.5, abs=0.06)
    assert (found.cause, found.cause_key) == (Cause.WORK, FIRST.key)


def test_drive_that_takes_longer_is_named_as_the_cause() -> None:
    slow = Spread(tuple(1.0 if share < 0.8 else 6.0 for share in SHARES))
    alone = replace(SECOND, window_end=10 * HOUR)

    found = simulate_day([alone], replace(EXACT, travel=slow), now=9 * HOUR + 1800).visits[2]

    assert found.probability == pytest.approx(0.8, abs=0.06)
    assert (found.cause, found.cause_key) == (Cause.DRIVE, alone.key)


def test_visit_under_way_ends_no_earlier_than_now() -> None:
    """On site for three hours instead of one: nobody knows how much longer, but it is not over."""
    working = replace(FIRST, arrived=8 * HOUR)

    outcome = simulate_day([working, SECOND], Spreads(), now=11 * HOUR)

    assert outcome.visits[1].probability is None
    assert outcome.visits[1].start == 8 * HOUR
    assert outcome.visits[2].start >= 11 * HOUR
    assert outcome.visits[2].probability == 1.0


def test_drive_under_way_goes_on_from_where_it_is() -> None:
    driving = replace(SECOND, travel_started=9 * HOUR, travel_seconds=HOUR)

    found = simulate_day([driving], EXACT, now=9 * HOUR + 1800).visits[2]

    assert found.start == 10 * HOUR


def test_premises_without_access_leave_time_for_the_next() -> None:
    nobody_opens = replace(EXACT, no_access={"PD": 1.0})
    later = replace(SECOND, planned_start=8 * HOUR + 1800)

    found = simulate_day([FIRST, later], nobody_opens, now=7 * HOUR).visits[2]

    assert found.start == 8 * HOUR + round(0.3 * HOUR) + 1800


def test_same_day_has_the_same_chances_and_a_new_visit_changes_no_other() -> None:
    other = replace(FIRST, key=3, engineer=2)

    alone = simulate_day([FIRST, SECOND], Spreads(), now=7 * HOUR)
    again = simulate_day([FIRST, SECOND], Spreads(), now=7 * HOUR)
    both = simulate_day([FIRST, SECOND, other], Spreads(), now=7 * HOUR)

    assert alone == again
    assert {key: both.visits[key] for key in alone.visits} == alone.visits


def test_empty_day() -> None:
    outcome = simulate_day([], Spreads(), now=0)

    assert (outcome.visits, outcome.engineers, outcome.misses) == ({}, {}, 0.0)


VISITS = some.lists(
    some.builds(
        VisitAhead,
        key=some.integers(1, 10**9),
        engineer=some.integers(1, 3),
        kind=some.just(JobKind("PD")),
        planned_start=some.integers(0, 48 * HOUR),
        length_seconds=some.integers(0, 12 * HOUR),
        travel_seconds=some.integers(0, 6 * HOUR),
        window_end=some.integers(0, 48 * HOUR),
        travel_started=some.none() | some.integers(0, 24 * HOUR),
        arrived=some.none() | some.integers(0, 24 * HOUR),
    ),
    max_size=6,
    unique_by=lambda visit: visit.key,
)


@settings(max_examples=60, deadline=None)
@given(visits=VISITS, now=some.integers(0, 48 * HOUR))
def test_any_day_has_chances_from_nothing_to_certain(visits: list[VisitAhead], now: int) -> None:
    visits.sort(key=lambda visit: visit.engineer)

    outcome = simulate_day(visits, Spreads(), now=now, runs=50)

    assert outcome.visits.keys() == {visit.key for visit in visits}
    for visit in visits:
        found = outcome.visits[visit.key]
        assert (found.probability is None) == (visit.arrived is not None)
        assert found.probability is None or 0 <= found.probability <= 1
        assert found.start <= found.late_start
        assert visit.arrived is not None or found.start >= now
    assert 0 <= outcome.misses <= len(visits)


@pytest.mark.parametrize("spread", [DEFAULT_LENGTH, DEFAULT_TRAVEL])
@given(ratio=some.floats(0, 10), random=some.floats(0, 0.999))
def test_what_has_taken_longer_goes_on(spread: Spread, ratio: float, random: float) -> None:
    assert spread.draw_longer_than(ratio, np.array([random]))[0] >= ratio


def test_spread_has_the_quantiles_of_what_it_was_learned_from() -> None:
    seen = np.random.default_rng(1).lognormal(0, 0.3, 5000)

    learned = spread_of(seen.tolist())

    drawn = learned.draw(np.random.default_rng(2).random(20_000))
    assert np.quantile(drawn, [0.1, 0.5, 0.9]) == pytest.approx(np.quantile(seen, [0.1, 0.5, 0.9]), rel=0.02)
