"""What the network reports of a line: the rules of faults-and-diagnostics.md and fault-decisions.md, D12 and D16."""

from datetime import datetime, timedelta

import pytest

from seller_sandbox import clock
from seller_sandbox.diagnostics import line_states
from seller_sandbox.diagnostics.line_states import LineReport, ReportedStatus
from seller_sandbox.diagnostics.models import CfmStatus, OntStatus, UniPortStatus
from seller_sandbox.jobs import provisioning
from seller_sandbox.jobs.models import Job
from seller_sandbox.network import locations, products, services
from seller_sandbox.network.models import Location, OntModel, Service
from seller_sandbox.tests import make
from seller_sandbox.tests.orders import samples, visit_samples

pytestmark = pytest.mark.usefixtures("network")
UP, DOWN, GASP = OntStatus.UP, OntStatus.DOWN, OntStatus.DYING_GASP


def premises(situation: int = 20) -> Location:
    location = locations.find(samples.uprn(situation))
    assert location
    return location


def live(situation: int = 20) -> Service:
    service = services.find_live(premises(situation))
    assert service
    return service


def at(minutes: int) -> datetime:
    return datetime.fromisoformat("2026-11-24T10:00:00+00:00") + timedelta(minutes=minutes)


def play(*steps: str, situation: int = 20) -> LineReport:
    """The line after these functions of `line_states`, one a minute."""
    report = line_states.read(premises(situation))
    for minute, step in enumerate(steps):
        name, _, status = step.partition(" ")
        with clock.at(at(minute)):
            report = getattr(line_states, name)(premises(situation), *([status] if " " in step else []))
    assert report == line_states.read(premises(situation))
    return report


class TestLineThatNothingHasHappenedTo:
    def test_live_service_has_been_up_since_its_start(self) -> None:
        report, since = line_states.read(premises()), live().started_at

        assert report.ont == ReportedStatus(UP, since)
        assert report.cfm == ReportedStatus(CfmStatus.UP, since)
        assert report.uni_port == ReportedStatus(UniPortStatus.UP, since)
        assert report.ont_fsan == live().ont.fsan
        assert line_states.is_up(live())

    @pytest.mark.parametrize("situation", [1, 10], ids=["no ONT", "ONT without a service"])
    def test_without_a_service_nothing_was_ever_reported(self, situation: int) -> None:
        report = line_states.read(premises(situation))

        assert report.ont == ReportedStatus(DOWN)
        assert report.uni_port == ReportedStatus(UniPortStatus.BLANK)
        assert not report.is_up

    def test_reading_keeps_nothing(self) -> None:
        line_states.read(premises())

        assert line_states.find_state(premises()).pk is None


@pytest.mark.parametrize(
    ("steps", "ont"),
    [
        (["cut_power"], ReportedStatus(GASP, at(0), UP)),
        (["cut_power", "restore_power"], ReportedStatus(UP, at(1), GASP)),
        (["cut_fibre"], ReportedStatus(DOWN, at(0), UP)),
        (["cut_fibre", "repair_fibre"], ReportedStatus(UP, at(1), DOWN)),
        # the last event stays: no Dying Gasp comes over a cut fibre, and it does not turn into Service Down
        (["cut_fibre", "cut_power"], ReportedStatus(DOWN, at(0), UP)),
        (["cut_power", "cut_fibre"], ReportedStatus(GASP, at(0), UP)),
        (["cut_power", "cut_fibre", "restore_power"], ReportedStatus(GASP, at(0), UP)),
        (["cut_power", "cut_fibre", "restore_power", "repair_fibre"], ReportedStatus(UP, at(3), GASP)),
        (["cut_fibre", "cut_power", "repair_fibre"], ReportedStatus(DOWN, at(0), UP)),
        # the same switch again is no event
        (["cut_power", "cut_power"], ReportedStatus(GASP, at(0), UP)),
        (["cut_fibre", "repair_fibre", "repair_fibre"], ReportedStatus(UP, at(1), DOWN)),
        (["cut_fibre", "cut_power", "repair"], ReportedStatus(UP, at(2), DOWN)),
    ],
)
def test_ont(steps: list[str], ont: ReportedStatus) -> None:
    assert play(*steps).ont == ont


@pytest.mark.parametrize("fault", ["cut_fibre", "cut_power"])
class TestUniPortOfAnOntThatIsDown:
    """Rules for reading the result 1: the ONT cannot report it."""

    def test_stays_as_it_was_with_its_old_time(self, fault: str) -> None:
        report = play("set_uni_port Down", "set_uni_port Up", fault)

        assert report.uni_port == ReportedStatus(UniPortStatus.UP, at(1), UniPortStatus.DOWN)
        assert not report.is_up

    def test_change_is_reported_when_the_ont_is_up_again(self, fault: str) -> None:
        before = play(fault, "set_uni_port Down").uni_port
        after = play("repair_fibre", "restore_power").uni_port

        assert (before.status, before.last_event_at) == (UniPortStatus.UP, live().started_at)
        assert after == ReportedStatus(
            UniPortStatus.DOWN, at(0 if fault == "cut_fibre" else 1), UniPortStatus.UP
        )


def test_port_can_be_blank() -> None:
    assert play("set_uni_port ").uni_port == ReportedStatus(UniPortStatus.BLANK, at(0), UniPortStatus.UP)


@pytest.mark.parametrize("status", [CfmStatus.DOWN_CF, CfmStatus.DOWN_ISP])
def test_cfm(status: CfmStatus) -> None:
    report = play(f"set_cfm {status}")

    assert report.cfm == ReportedStatus(status, at(0), CfmStatus.UP)
    assert report.ont.status == UP
    assert not line_states.is_up(live())


def test_port_that_is_down_does_not_take_the_line_down() -> None:
    assert play("set_uni_port Down").is_up


def test_repair_ends_every_fault() -> None:
    line_states.set_testable(premises(), can_be_tested=False)

    report = play("cut_power", "cut_fibre", "set_cfm Down CF", "set_uni_port Down", "repair")

    assert report.ont == ReportedStatus(UP, at(4), GASP)
    assert report.cfm == ReportedStatus(CfmStatus.UP, at(4), CfmStatus.DOWN_CF)
    assert report.uni_port.status == UniPortStatus.UP
    assert report.can_be_tested
    assert report.is_up


def test_repair_of_a_line_without_faults_is_no_event() -> None:
    before = line_states.read(premises())

    assert line_states.repair(premises()) == before


def test_repair_brings_up_no_line_that_has_no_ont() -> None:
    report = play("cut_fibre", "repair", situation=1)

    assert report.ont == ReportedStatus(DOWN)
    assert not report.is_up


class TestProvisioning:
    def test_engineer_s_installation_shows_service_up_before_and_after_it_is_closed(self) -> None:
        order = visit_samples.visited(result=None)
        assert line_states.read(order.location).ont == ReportedStatus(DOWN)

        visit_samples.provisioned(order.visits.get().job)
        scanned = line_states.read(order.location)
        order = visit_samples.close(order, "SP")

        assert scanned.is_up
        assert scanned.ont.changed_from == DOWN
        assert scanned.uni_port.status == UniPortStatus.UP
        assert scanned.ont_fsan == visit_samples.FSAN == order.service.ont.fsan
        assert line_states.read(order.location) == scanned
        assert line_states.is_up(order.service)

    def test_failed_provisioning_leaves_the_line_down(self) -> None:
        order = visit_samples.visited(result=3)

        assert line_states.read(order.location).ont == ReportedStatus(DOWN)

    def test_activation_without_an_engineer_shows_service_up(self) -> None:
        order = samples.placed(uprn=samples.uprn(10), product_name=samples.LOCAL_160)
        order = samples.until(order, clock.now() + timedelta(days=30))

        assert order.state == "completed"
        assert line_states.is_up(order.service)
        assert line_states.read(order.location).ont_fsan == order.service.ont.fsan

    def test_job_that_nobody_ordered_has_a_line_too(self) -> None:
        job = make.job()
        provision(job)

        assert line_states.read(job).is_up

    def test_result_without_a_scan_is_about_no_device(self) -> None:
        job = make.job()
        provisioning.give_result(job=job, result=1)

        assert line_states.read(job).ont == ReportedStatus(DOWN)

    def test_provisioning_ends_no_fault(self) -> None:
        """D16: a fault is repaired at the console or some time after the engineer's arrival."""
        play("cut_fibre")

        report = line_states.record_provisioned(premises(), fsan="ALCL00000002")

        assert report.ont == ReportedStatus(DOWN, at(0), UP)
        assert line_states.repair(premises()).is_up

    @pytest.mark.parametrize("steps", [[], ["cut_power", "restore_power"]])
    def test_exchanged_ont_is_the_one_shown(self, steps: list[str]) -> None:
        play(*steps)
        before = live().ont.fsan

        with clock.at(at(30)):
            report = line_states.record_provisioned(premises(), fsan="ALCL00000002")

        assert before != report.ont_fsan == "ALCL00000002"
        assert report.ont == ReportedStatus(UP, at(30), DOWN)

    def test_exchange_of_the_device_of_a_live_service(self) -> None:
        location = premises()
        line_states.record_provisioned(location, fsan="ALCL00000002")
        services.install_ont(
            location=location,
            ont_model=OntModel.objects.get(model="XS-010X-Q"),
            fsan="ALCL00000002",
            serial_number="S-2",
            at=clock.now(),
        )

        assert products.find_ont(location).fsan == line_states.read(location).ont_fsan
        assert line_states.is_up(live())


def provision(job: Job) -> None:
    provisioning.schedule_scan(job=job, scan_id="9f0c1d6e-7b0a-4a2f-8f52-0c7f8f1f2a10", fsan="ALCL00000001")
    provisioning.give_result(job=job, result=2)
