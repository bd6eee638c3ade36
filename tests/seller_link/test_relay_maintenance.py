"""Maintenance tasks of a relay are independent: one that fails stops neither the others nor the messages."""

from collections.abc import Callable

import pytest
from django.db import DatabaseError, OperationalError

from dispatch.states import JobState
from monitoring.alarms import open_alarms
from monitoring.models import AlarmKind
from seller_link.models import OutboundMessage, OutboundState
from seller_link.relay_loop import Relay
from seller_link.relay_maintenance import FAILURES_UNTIL_ALARM, MaintenanceDuty, RelayMaintenance
from tests import make
from tests.servers import seller

pytestmark = pytest.mark.django_db(transaction=True)


class Broken:
    """A duty that fails on its data until the data is corrected."""

    def __init__(self, problem: type[Exception] = OverflowError) -> None:
        self.problem: type[Exception] | None = problem

    def __call__(self) -> None:
        if self.problem:
            raise self.problem("date value out of range")


def maintenance_with(*duties: Callable[[], object]) -> RelayMaintenance:
    return RelayMaintenance(
        [MaintenanceDuty(f"duty {number}", 0.0, duty) for number, duty in enumerate(duties)]
    )


def failing() -> list[str]:
    return list(open_alarms().filter(kind=AlarmKind.DUTY_FAILING).values_list("subject", flat=True))


def test_duty_that_fails_leaves_the_others() -> None:
    done: list[str] = []
    maintenance = maintenance_with(Broken(), lambda: done.append("next"))

    maintenance.run_due()

    assert (done, failing()) == (["next"], [])


def test_duty_that_keeps_failing_is_an_alarm_until_it_works() -> None:
    broken = Broken()
    maintenance = maintenance_with(broken)
    for _ in range(FAILURES_UNTIL_ALARM):
        maintenance.run_due()
    assert failing() == ["duty 0"]

    broken.problem = None
    maintenance.run_due()
    assert failing() == []


def test_alarm_of_a_relay_before_ends_with_the_first_duty_that_works() -> None:
    maintenance = maintenance_with(Broken())
    for _ in range(FAILURES_UNTIL_ALARM):
        maintenance.run_due()

    maintenance_with(lambda: None).run_due()

    assert failing() == []


@pytest.mark.parametrize("problem", [OverflowError, DatabaseError, OperationalError])
def test_relay_delivers_while_a_duty_fails(endpoint: seller.Endpoint, problem: type[Exception]) -> None:
    make.job(at_state=JobState.ASSIGNED)
    running = Relay()
    running.housekeeping = RelayMaintenance([MaintenanceDuty("broken", 60.0, Broken(problem))])

    running.run(rounds=3)

    assert OutboundMessage.objects.get().state == OutboundState.SENT
