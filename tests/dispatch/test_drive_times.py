"""How long a drive takes by the hour in which it begins, and what real drives have taught."""

from datetime import datetime, timedelta

import pytest

from dispatch.driving.drive_corrections import FEWEST_DRIVES, DriveSample
from dispatch.driving.drive_times import (
    ESTIMATES,
    hours_of,
    position_code,
    read_drive_times,
    read_hour_factors,
)
from dispatch.driving.travel_profile import DEFAULT_PROFILE, slowest_factor
from dispatch.models import DriveCorrection, DriveSource
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.problem.problem_reader import LoadedProblem, read_problem
from dispatch.states import JobState
from engineers.models import Engineer
from engineers.shifts import TimeSpan
from tests import make
from tests.learning import learn_corrections

NOON, RUSH_HOUR, NIGHT = make.at("12:00"), make.at("08:10"), make.at("22:00")
START, END = (53.80, -1.55), (53.90, -1.55)


def test_drive_takes_longer_in_the_rush_hour_and_less_at_night() -> None:
    seconds = {at: ESTIMATES.seconds(START, END, at=at) for at in (NOON, RUSH_HOUR, NIGHT)}

    # 11.1 km of straight line, 30 % more over roads, 9 m/s, four minutes to park
    assert seconds == {NOON: 1846, RUSH_HOUR: 2123, NIGHT: 1662}


def test_slowest_of_a_time_is_that_of_its_slowest_hour() -> None:
    morning, midday = TimeSpan(make.at("07:30"), NOON), TimeSpan(make.at("09:00"), NOON)

    assert ESTIMATES.slowest_seconds(START, END, during=morning) == 2123
    assert ESTIMATES.slowest_seconds(START, END, during=midday) == 1846


@pytest.mark.parametrize(
    ("start", "length", "expected"),
    [
        ("09:00", timedelta(hours=2), [9, 10]),
        ("09:30", timedelta(hours=2), [9, 10, 11]),
        ("09:30", timedelta(minutes=10), [9]),
        ("23:30", timedelta(hours=1), [23, 24]),
        ("10:00", timedelta(), [10]),
        ("10:15", timedelta(days=40), list(range(10, 34))),
    ],
)
def test_hours_of_a_time(start: str, length: timedelta, expected: list[int]) -> None:
    span = TimeSpan(make.at(start), make.at(start) + length)

    assert list(hours_of(span)) == expected


def test_night_goes_on_into_the_next_day() -> None:
    assert slowest_factor(DEFAULT_PROFILE.hour_factors, range(20, 29)) == 0.9


def test_place_is_known_to_ten_metres_and_has_no_minus_zero() -> None:
    assert position_code((53.80004, -0.00001)) == "53.8000,0.0000"


def samples(ratio: float, *, hour: int = 8, number: int = FEWEST_DRIVES) -> list[DriveSample]:
    return [DriveSample(DriveSource.ESTIMATE, hour, ratio)] * number


@pytest.mark.django_db
class TestCorrections:
    NIGHT_OF_LEARNING = make.at("20:00")

    def learn(self, *groups: list[DriveSample]) -> list[float]:
        return learn_corrections([sample for group in groups for sample in group], now=self.NIGHT_OF_LEARNING)

    def seconds(self, at: datetime) -> int:
        return read_drive_times([]).seconds(START, END, at=at)

    def test_hour_with_enough_drives_has_its_own_and_the_others_that_of_all(self) -> None:
        self.learn(samples(1.5, hour=8), samples(1.2, hour=10, number=FEWEST_DRIVES + 1))

        assert (self.seconds(RUSH_HOUR), self.seconds(NOON)) == (3185, 2215)

    def test_few_drives_teach_nothing(self) -> None:
        self.learn(samples(1.5, number=FEWEST_DRIVES - 1))

        assert not DriveCorrection.objects.exists()
        assert self.seconds(NOON) == 1846

    def test_outliers_do_not_count(self) -> None:
        self.learn(samples(9.0))

        assert set(DriveCorrection.objects.values_list("hour", "factor")) == {(None, 2.5), (8, 2.5)}

    def test_estimates_teach_nothing_about_the_travel_server(self) -> None:
        self.learn(samples(1.5))

        estimate, road = read_hour_factors()
        assert (estimate[8], road[8]) == (1.15 * 1.5, 1.15)

    def test_what_is_switched_off_stays_so_and_corrects_nothing(self) -> None:
        self.learn(samples(1.5))
        DriveCorrection.objects.update(is_used=False)

        assert self.learn(samples(1.4)) == samples_ratios(1.4)

        assert DriveCorrection.objects.filter(factor=1.4, is_used=False).count() == 2
        assert self.seconds(RUSH_HOUR) == 2123

    def test_what_is_switched_off_stays_so_after_a_night_with_too_few_drives(self) -> None:
        self.learn(samples(1.5))
        DriveCorrection.objects.update(is_used=False)

        self.learn(samples(1.5, number=FEWEST_DRIVES - 1))
        self.learn(samples(1.4))

        assert DriveCorrection.objects.filter(factor=1.4, is_used=False).count() == 2
        assert self.seconds(RUSH_HOUR) == 2123

    def test_what_is_used_ends_with_a_night_of_too_few_drives(self) -> None:
        self.learn(samples(1.5))

        self.learn(samples(1.5, number=FEWEST_DRIVES - 1))

        assert not DriveCorrection.objects.exists()

    def test_ratios_are_to_what_is_expected_from_now_on(self) -> None:
        assert self.learn(samples(1.5)) == samples_ratios(1.0)

    @pytest.mark.usefixtures("day_before")
    def test_plan_counts_the_slowest_hour_of_its_scope(self) -> None:
        engineer = make.engineer()
        Engineer.objects.filter(pk=engineer.pk).update(home_latitude=53.9, home_longitude=-1.55)
        make.job(at_state=JobState.UNASSIGNED)
        self.learn(samples(2.0, hour=8), samples(1.0, hour=10, number=FEWEST_DRIVES + 1))

        usual, slow = longest_drive("10:00", "13:00"), longest_drive("08:00", "13:00")
        # 1.15 × 2.0, in steps of five minutes
        assert usual < slow
        assert abs(slow - usual * 2.3) <= 300 * 2.3

    @pytest.mark.usefixtures("day_before")
    @pytest.mark.parametrize(("hour", "is_longer"), [(21, False), (7, False), (12, False), (17, True)])
    def test_plan_counts_only_hours_in_which_somebody_works(self, hour: int, is_longer: bool) -> None:
        """From eight to six, but not from noon to one."""
        engineer = make.give_break(make.engineer(), "12:00", "13:00")
        Engineer.objects.filter(pk=engineer.pk).update(home_latitude=53.9, home_longitude=-1.55)
        make.job(at_state=JobState.UNASSIGNED)
        usual = longest_drive("00:00", "23:59")
        learned = {"source": DriveSource.ESTIMATE, "learned_from": 50, "learned_at": make.now()}
        DriveCorrection.objects.create(hour=hour, factor=2.5, **learned)

        assert (longest_drive("00:00", "23:59") > usual) == is_longer


def longest_drive(first: str, last: str) -> int:
    read = read_problem(PlanScope(TimeSpan(make.at(first), make.at(last))), now=make.at("00:00"))
    assert isinstance(read, LoadedProblem)
    return int(read.problem.travel_seconds.max())


def samples_ratios(ratio: float) -> list[float]:
    return [ratio] * FEWEST_DRIVES
