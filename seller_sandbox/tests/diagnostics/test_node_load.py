"""Load in samples of five minutes and its colours (fault-decisions.md, D10, D11; docs/adr/0022)."""

import os
import subprocess
import sys
from datetime import datetime, time
from decimal import Decimal
from pathlib import Path

import pytest
from django.conf import LazySettings

from seller_sandbox import clock
from seller_sandbox.diagnostics import line_states, node_load, service_paths
from seller_sandbox.diagnostics.node_load import Rag, Sample, colour, worst
from seller_sandbox.network import services
from seller_sandbox.network.models import Service
from seller_sandbox.tests.network.samples import premises

HOUR = (20 * 60, 21 * 60)


def samples(*percents: float | None) -> list[Sample]:
    return [None if percent is None else Decimal(str(percent)) for percent in percents]


@pytest.mark.parametrize(
    ("percent", "expected"),
    [
        (0, Rag.GREEN),
        (78.999, Rag.GREEN),
        # the document's gap between "less than 79" and "80 or more"
        (79, Rag.GREEN),
        (79.5, Rag.GREEN),
        (79.999, Rag.GREEN),
        (80, Rag.ORANGE),
        (94, Rag.ORANGE),
        # the gap between "up to 94" and "95 or higher"
        (94.5, Rag.ORANGE),
        (94.99, Rag.ORANGE),
        (94.99999, Rag.ORANGE),
        (95, Rag.RED),
        (100, Rag.RED),
    ],
)
@pytest.mark.parametrize("minutes", [5, 15])
def test_edges_of_the_colours(percent: float, expected: Rag, minutes: int) -> None:
    assert colour(samples(*[percent] * 48), minutes=minutes) == expected


@pytest.mark.parametrize(
    ("percents", "of_5", "of_15"),
    [
        ((60, 96, 60, 60), Rag.RED, Rag.GREEN),
        ((60, 96, 96, 60), Rag.RED, Rag.ORANGE),
        ((60, 95, 95, 95, 60), Rag.RED, Rag.RED),
        # 285 in all, exactly 95 in the mean
        ((0, 90, 95, 100, 0), Rag.RED, Rag.RED),
        ((0, 90, 95, 99.99999, 0), Rag.RED, Rag.ORANGE),
        # means that binary fractions miss
        ((80.1, 79.9, 80), Rag.ORANGE, Rag.ORANGE),
        ((79.9, 79.9, 80.1), Rag.ORANGE, Rag.GREEN),
        # a quarter of an hour may begin at any sample
        ((10, 10, 95, 95, 95), Rag.RED, Rag.RED),
        # a gap belongs to no stretch
        ((96, None, 96, None, 96), Rag.RED, Rag.UNKNOWN),
        ((None, 80, 80, 80, None), Rag.ORANGE, Rag.ORANGE),
        ((None, None, None), Rag.UNKNOWN, Rag.UNKNOWN),
        ((), Rag.UNKNOWN, Rag.UNKNOWN),
    ],
)
def test_peaks_of_5_and_of_15_minutes(percents: tuple[float | None, ...], of_5: Rag, of_15: Rag) -> None:
    assert colour(samples(*percents), minutes=5) == of_5
    assert colour(samples(*percents), minutes=15) == of_15


def test_only_the_pon_is_taken_by_its_15_minutes() -> None:
    names = ("ENNI", "Interconnect", "Handoff", "PON")

    assert [node_load.peak_minutes(name) for name in names] == [5, 5, 5, 15]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([Rag.GREEN, Rag.ORANGE, Rag.RED, Rag.UNKNOWN], Rag.RED),
        ([Rag.GREEN, Rag.ORANGE, Rag.UNKNOWN], Rag.ORANGE),
        ([Rag.GREEN, Rag.UNKNOWN], Rag.UNKNOWN),
        ([Rag.GREEN, Rag.GREEN], Rag.GREEN),
        ([], Rag.UNKNOWN),
    ],
)
def test_worst_node(found: list[Rag], expected: Rag) -> None:
    assert worst(found) == expected


@pytest.mark.django_db
class TestBusyPeriod:
    @pytest.mark.parametrize(
        ("now", "starts_at", "ends_at"),
        [
            ("2026-11-24T22:59:59+00:00", "2026-11-23T19:00:00+00:00", "2026-11-23T23:00:00+00:00"),
            ("2026-11-24T23:00:00+00:00", "2026-11-24T19:00:00+00:00", "2026-11-24T23:00:00+00:00"),
            ("2026-11-25T00:30:00+00:00", "2026-11-24T19:00:00+00:00", "2026-11-24T23:00:00+00:00"),
            # 22:00 of universal time is 23:00 in summer
            ("2026-07-01T21:59:59+00:00", "2026-06-30T18:00:00+00:00", "2026-06-30T22:00:00+00:00"),
            ("2026-07-01T22:00:00+00:00", "2026-07-01T18:00:00+00:00", "2026-07-01T22:00:00+00:00"),
            # the days on which the clocks change
            ("2026-03-29T12:00:00+00:00", "2026-03-28T19:00:00+00:00", "2026-03-28T23:00:00+00:00"),
            ("2026-10-25T12:00:00+00:00", "2026-10-24T18:00:00+00:00", "2026-10-24T22:00:00+00:00"),
        ],
    )
    def test_last_one_that_has_ended_counts(self, now: str, starts_at: str, ends_at: str) -> None:
        with clock.at(datetime.fromisoformat(now)):
            period = node_load.last_busy_period()

        assert (period.starts_at, period.ends_at) == (
            datetime.fromisoformat(starts_at),
            datetime.fromisoformat(ends_at),
        )

    def test_is_a_setting(self, settings: LazySettings) -> None:
        settings.BUSY_PERIOD = (time(7), time(9, 30))

        with clock.at(datetime.fromisoformat("2026-11-24T12:00:00+00:00")):
            times = [found.strftime("%d %H:%M") for found in node_load.last_busy_period().sample_times]

        assert (times[0], times[-1], len(times)) == ("24 07:00", "24 09:25", 30)

    def test_has_a_sample_for_each_five_minutes(self) -> None:
        times = [time.strftime("%H:%M") for time in node_load.last_busy_period().sample_times]

        assert (times[0], times[1], times[-1], len(times)) == ("19:00", "19:05", "22:55", 48)


@pytest.mark.parametrize(
    "text", ["19:00", "23:00-19:00", "19:00-19:00", "19:01-23:00", "19:00-24:00", "evening"]
)
def test_wrong_busy_period_stops_the_start(text: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import seller_sandbox.settings"],
        cwd=Path(__file__).resolve().parents[3],
        env={**os.environ, "SANDBOX_BUSY_PERIOD": text},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode != 0
    assert f"SANDBOX_BUSY_PERIOD: '{text}' is not a period of one day like 19:00-23:00" in done.stderr


@pytest.mark.usefixtures("network")
class TestPath:
    def test_local_service(self) -> None:
        path = service_paths.of_service(live(20))

        assert path.nodes == {
            "ENNI": "ENNI-A1",
            "Interconnect": "INT-KWL-TEST",
            "Handoff": "HO-BUYERA",
            "PON": "PON-KWL-TEST-1002001",
        }
        assert path.own_nodes == ["ENNI", "Interconnect", "PON"]

    def test_national_service(self) -> None:
        assert service_paths.of_service(live(22)).own_nodes == ["Interconnect", "Handoff", "ENNI", "PON"]

    def test_premises_of_a_job_that_nobody_ordered(self) -> None:
        path = service_paths.of_premises("912345678901", service_identifier="FBR000000001")

        assert path.nodes["PON"] == "PON-912345678901"
        assert {*path.own_nodes} == {"ENNI", "Interconnect", "Handoff", "PON"}


@pytest.mark.usefixtures("network")
class TestSwitchedLoad:
    def test_usual_load_is_green_everywhere_and_the_same_each_time(self) -> None:
        paths = [service_paths.of_service(service) for service in Service.objects.all()]
        first = [node_load.colours(path.nodes) for path in paths]
        node_load._usual_samples.cache_clear()

        assert {found for colours in first for found in colours.values()} == {Rag.GREEN}
        assert [node_load.colours(path.nodes) for path in paths] == first

    def test_evenings_differ(self) -> None:
        node = ["INT-KWL-TEST"]
        before = node_load.list_samples(node)
        clock.move(seconds=86_400)

        assert node_load.list_samples(node) != before

    def test_congested_node_is_red_at_once_and_every_evening(self) -> None:
        congest("INT-KWL-TEST", 97)
        today = node_load.colours(nodes())
        clock.move(seconds=7 * 86_400)

        assert today == {**green(), "Interconnect": Rag.RED}
        assert node_load.colours(nodes()) == today

    def test_five_minutes_change_the_colour_of_an_interconnect_and_not_of_a_pon(self) -> None:
        for node in (nodes()["Interconnect"], nodes()["PON"]):
            congest(node, 99, first_minute=1200, end_minute=1205)

        assert node_load.colours(nodes()) == {**green(), "Interconnect": Rag.RED}

    @pytest.mark.parametrize(
        ("first_minute", "end_minute"), [(18 * 60, 19 * 60), (23 * 60, 24 * 60), (0, 60)]
    )
    def test_load_outside_the_busy_period_does_not_count(self, first_minute: int, end_minute: int) -> None:
        congest("INT-KWL-TEST", 99, first_minute=first_minute, end_minute=end_minute)

        assert node_load.colours(nodes()) == green()

    @pytest.mark.parametrize(
        ("percent", "expected"),
        [(79.999, Rag.GREEN), (80, Rag.ORANGE), (94.99, Rag.ORANGE), (95, Rag.RED)],
    )
    def test_percentage_is_kept_unrounded(self, percent: float, expected: Rag) -> None:
        congest("ENNI-A1", percent)

        assert node_load.colours(nodes())["ENNI"] == expected

    def test_node_without_samples_is_unknown(self) -> None:
        node_load.stop_measuring("ENNI-A1", first_minute=0, end_minute=1440)

        assert node_load.colours(nodes()) == {**green(), "ENNI": Rag.UNKNOWN}

    def test_later_switch_wins(self) -> None:
        congest("ENNI-A1", 99)
        congest("ENNI-A1", 85)

        assert node_load.colours(nodes())["ENNI"] == Rag.ORANGE

    def test_clearing_brings_the_usual_load_back(self) -> None:
        congest("ENNI-A1", 99)

        assert node_load.clear(["ENNI-A1"]) == 1
        assert node_load.colours(nodes()) == green()

    def test_repair_at_the_premises_ends_the_load_on_the_line_s_nodes(self) -> None:
        congest("PON-KWL-TEST-1002001", 99)
        congest("PON-KWL-TEST-1002201", 99)
        line_states.repair(premises(20))

        assert node_load.colours(nodes()) == green()
        assert node_load.colours(service_paths.of_service(live(22)).nodes)["PON"] == Rag.RED


def live(situation: int) -> Service:
    service = services.find_live(premises(situation))
    assert service
    return service


def nodes() -> dict[str, str]:
    return dict(service_paths.of_service(live(20)).nodes)


def green() -> dict[str, Rag]:
    return dict.fromkeys(nodes(), Rag.GREEN)


def congest(node: str, percent: float, *, first_minute: int = HOUR[0], end_minute: int = HOUR[1]) -> None:
    node_load.congest(node, percent=Decimal(str(percent)), first_minute=first_minute, end_minute=end_minute)
