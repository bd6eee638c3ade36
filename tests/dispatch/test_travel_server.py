"""The drives of a travel server: asked of a real HTTP server that speaks OSRM and Valhalla, well and badly."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
import time_machine
from django.utils import timezone
from pytest_django import Settings

from background.forecast_tasks import fetch_drives
from background.personal_data import purge
from config.connections import TravelServer
from dispatch.driving.drive_times import ESTIMATES, pair_code, position_code, read_drive_times
from dispatch.driving.travel import Coordinates
from dispatch.models import Job, PlanProposal, RoadDrive, TravelNote, TravelServerHealth
from dispatch.planning import road_drives
from dispatch.planning.engine.travel_matrix import travel_matrix
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.proposal_making import make_proposal
from dispatch.planning.proposals import request_proposal
from dispatch.planning.road_drives import read_road_drives
from dispatch.retention import delete_drives
from engineers.shifts import day_span
from monitoring.alarms import open_alarms
from monitoring.coded_texts import reason_text
from monitoring.models import AlarmKind
from tests import make
from tests.servers import travel_server
from tests.servers.travel_server import BODY_FAULTS, Roads

pytestmark = pytest.mark.django_db
LEEDS: list[Coordinates] = [(53.80 + 0.01 * number, -1.55) for number in range(7)]
KINDS = ["osrm", "valhalla"]


@pytest.fixture(params=KINDS)
def roads(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Roads]:
    with travel_server.running() as found:
        settings.TRAVEL_SERVER = TravelServer(found.url, request.param, locations=6, seconds=5)
        found.most_locations = 6
        yield found


def unreachable_alarms() -> list[str]:
    alarms = open_alarms().filter(kind=AlarmKind.TRAVEL_SERVER_UNREACHABLE)
    return [reason_text(alarm.parameters["reason"]) for alarm in alarms]


def test_table_is_asked_in_parts_of_the_servers_limit_and_stored(roads: Roads) -> None:
    found = read_road_drives([*LEEDS, None, LEEDS[0]], seconds=5)

    assert found.note is None
    assert found.seconds is not None
    expected = [[round(roads.seconds(start, end) or 0) for end in LEEDS] for start in LEEDS]
    assert found.seconds[:7, :7].tolist() == expected
    assert np.isnan(found.seconds[7]).all()
    assert found.seconds[8, :7].tolist() == expected[0]
    # 7 positions in groups of at most 3: 3 groups, 9 tables
    assert len(roads.asked) == 9
    assert all(starts + ends <= 6 for starts, ends in roads.asked)
    stored = RoadDrive.objects.get(pair=pair_code(LEEDS[0], LEEDS[1]))
    assert (stored.seconds, stored.metres) == (222, 1112)


def test_stored_drives_are_not_asked_again_until_they_are_old(roads: Roads, settings: Settings) -> None:
    first = read_road_drives(LEEDS[:3], seconds=5).seconds
    read_road_drives(LEEDS[:3], seconds=5)
    assert len(roads.asked) == 1

    RoadDrive.objects.update(fetched_at=timezone.now() - timedelta(days=settings.TRAVEL_KEPT_DAYS, minutes=1))
    again = read_road_drives(LEEDS[:3], seconds=5).seconds

    assert len(roads.asked) == 2
    assert np.array_equal(first, again)  # type: ignore[arg-type]


def test_drive_without_a_road_stays_estimated_and_is_stored_as_such(roads: Roads) -> None:
    roads.unreachable = {position_code(LEEDS[1])}

    found = read_road_drives(LEEDS[:3], seconds=5)

    assert found.seconds is not None
    assert np.isnan(found.seconds).tolist() == [
        [False, True, False],
        [True, True, True],
        [False, True, False],
    ]
    assert found.note is None
    assert RoadDrive.objects.filter(seconds=None).count() == 5
    assert (
        ESTIMATES.seconds(*LEEDS[:2], at=make.at("12:00"))
        == travel_matrix(LEEDS[:3], road_seconds=found.seconds)[0, 1]
    )


@pytest.mark.parametrize(
    "fault", [*BODY_FAULTS, "half", "too many requests", "broken", "not found", "refused", "unstorable"]
)
def test_bad_answer_leaves_estimates_with_a_note_and_an_alarm(roads: Roads, fault: str) -> None:
    roads.fault = fault

    found = read_road_drives(LEEDS[:3], seconds=5)

    assert found.seconds is not None
    assert np.isnan(found.seconds).all()
    assert found.note == TravelNote.UNREACHABLE
    assert len(unreachable_alarms()) == 1
    assert not RoadDrive.objects.exists()


def test_negative_time_is_no_answer(roads: Roads) -> None:
    roads.fault = "negative"

    assert read_road_drives(LEEDS[:2], seconds=5).note == TravelNote.UNREACHABLE


@pytest.mark.parametrize("fault", ["silent", "slow"])
def test_server_that_takes_too_long_is_given_up(
    roads: Roads, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(road_drives, "REQUEST_SECONDS", 0.3)
    roads.fault = fault

    assert read_road_drives(LEEDS, seconds=5).note == TravelNote.UNREACHABLE

    # the first table told it: the others were not asked
    assert len(roads.asked) == 1
    assert unreachable_alarms() == ["no complete answer within 0.3 s"]


def test_end_of_our_own_time_is_no_failure_of_the_server(roads: Roads) -> None:
    roads.fault = "slow"

    assert read_road_drives(LEEDS, seconds=0.2).note == TravelNote.INCOMPLETE

    assert not TravelServerHealth.objects.exists()


def test_server_that_failed_is_left_alone_and_asked_again_later(roads: Roads) -> None:
    roads.fault = "broken"
    read_road_drives(LEEDS[:3], seconds=5)
    # each failing table is tried twice
    assert len(roads.asked) == 2
    roads.fault = ""

    assert read_road_drives(LEEDS[:3], seconds=5).note == TravelNote.UNREACHABLE
    assert len(roads.asked) == 2
    with time_machine.travel(timezone.now() + timedelta(seconds=31)):
        found = read_road_drives(LEEDS[:3], seconds=5)

    assert found.note is None
    assert unreachable_alarms() == []


def test_pause_grows_with_each_failure_up_to_ten_minutes(roads: Roads) -> None:
    roads.fault = "broken"
    now = timezone.now()
    pauses = []
    for _failure in range(7):
        with time_machine.travel(now, tick=False):
            read_road_drives(LEEDS[:2], seconds=5)
            until = TravelServerHealth.objects.get().open_until
        assert until
        pauses.append((until - now).total_seconds())
        now = until

    assert pauses == [30, 60, 120, 240, 480, 600, 600]


def test_one_refused_table_leaves_the_others(roads: Roads, settings: Settings) -> None:
    """A server whose limit is lower than ours refuses the large tables only."""
    settings.TRAVEL_SERVER = replace(settings.TRAVEL_SERVER, locations=8)

    found = read_road_drives(LEEDS, seconds=5)

    assert found.note == TravelNote.INCOMPLETE
    assert found.seconds is not None
    assert 0 < np.isnan(found.seconds).sum() < found.seconds.size
    assert unreachable_alarms() == []


def test_nothing_is_asked_without_time(roads: Roads) -> None:
    assert read_road_drives(LEEDS, seconds=0).note == TravelNote.INCOMPLETE
    assert roads.asked == []


def test_server_that_is_down_is_noticed(settings: Settings) -> None:
    with travel_server.running() as gone:
        pass
    settings.TRAVEL_SERVER = TravelServer(gone.url, "osrm", locations=100, seconds=5)

    assert read_road_drives(LEEDS, seconds=5).note == TravelNote.UNREACHABLE
    assert len(unreachable_alarms()) == 1


def test_nothing_is_known_without_a_server(django_assert_num_queries: object) -> None:
    with django_assert_num_queries(0):  # type: ignore[operator]
        found = read_road_drives(LEEDS, seconds=5)

    assert (found.seconds, found.note) == (None, None)


def test_page_reads_what_is_stored_and_estimates_the_rest(
    roads: Roads, django_assert_num_queries: object
) -> None:
    read_road_drives(LEEDS[:2], seconds=5)
    asked = len(roads.asked)

    with django_assert_num_queries(2):  # type: ignore[operator]
        drives = read_drive_times([(LEEDS[0], LEEDS[1]), (LEEDS[0], LEEDS[5]), (None, LEEDS[0])])

    noon = make.at("12:00")
    # 1112 m at 5 m/s, and parking
    assert drives.seconds(LEEDS[0], LEEDS[1], at=noon) == 222 + 240
    assert drives.seconds(LEEDS[0], LEEDS[5], at=noon) == ESTIMATES.seconds(LEEDS[0], LEEDS[5], at=noon)
    assert len(roads.asked) == asked


def test_page_and_plan_expect_the_same(roads: Roads) -> None:
    road_seconds = read_road_drives(LEEDS, seconds=5).seconds
    pairs = [(start, end) for start in LEEDS for end in LEEDS]
    drives = read_drive_times(pairs)

    single = [[drives.seconds(start, end, at=make.at("12:00")) for end in LEEDS] for start in LEEDS]

    assert travel_matrix(LEEDS, road_seconds=road_seconds).tolist() == single


def proposed() -> PlanProposal:
    make.engineer()
    make.job(duration_minutes=60)
    scope = PlanScope(day_span(make.DAY))
    proposal = request_proposal(scope=scope, by=make.dispatcher(), seconds=10, neighbourhoods=2)
    make_proposal(proposal.pk)
    proposal.refresh_from_db()
    return proposal


def test_plan_drives_as_the_server_says(roads: Roads, day_before: None) -> None:
    proposal = proposed()

    assert (proposal.state, proposal.travel_note) == ("ready", "")
    assert proposal.changes.count() == 1
    assert len(roads.asked) == 1


def test_plan_of_estimates_says_so(roads: Roads, day_before: None) -> None:
    roads.fault = "broken"

    proposal = proposed()

    assert (proposal.state, proposal.travel_note) == ("ready", TravelNote.UNREACHABLE)
    assert proposal.changes.count() == 1


def test_worker_fetches_the_drives_of_today_and_tomorrow(roads: Roads, day_before: None) -> None:
    make.engineer()
    make.job()

    fetch_drives()

    # of home and the job
    assert RoadDrive.objects.count() == 4


@pytest.mark.parametrize("url", ["", "http://127.0.0.1:9"])
def test_alarm_about_a_server_that_is_no_longer_set_is_over(
    roads: Roads, settings: Settings, url: str
) -> None:
    roads.fault = "broken"
    read_road_drives(LEEDS[:2], seconds=5)
    fetch_drives()
    assert len(unreachable_alarms()) == 1

    settings.TRAVEL_SERVER = replace(settings.TRAVEL_SERVER, url=url)
    fetch_drives()

    assert unreachable_alarms() == []


def test_drives_are_purged_with_their_time_and_with_their_customer(roads: Roads, settings: Settings) -> None:
    read_road_drives(LEEDS[:3], seconds=5)
    job = make.job()
    Job.objects.filter(pk=job.pk).update(latitude=LEEDS[0][0], longitude=LEEDS[0][1])

    assert delete_drives(Job.objects.filter(pk=job.pk)) == 5
    assert not RoadDrive.objects.filter(pair__contains=position_code(LEEDS[0])).exists()
    assert purge(timezone.now() + timedelta(days=settings.TRAVEL_KEPT_DAYS - 1))["drives"] == 0
    assert purge(timezone.now() + timedelta(days=settings.TRAVEL_KEPT_DAYS + 1))["drives"] == 4
    assert not RoadDrive.objects.exists()
