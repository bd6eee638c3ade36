"""The last visit of a half day is reserved once, however many ask at the same moment, on either database."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from seller_sandbox import clock
from seller_sandbox.network import appointments
from seller_sandbox.network.appointments import AppointmentNotPossible
from seller_sandbox.network.loading import load_network
from seller_sandbox.network.models import Appointment, AppointmentState
from seller_sandbox.network.slots import Slot
from seller_sandbox.tests.network.samples import list_slots, reserve

pytestmark = pytest.mark.django_db(transaction=True)
ASKING = 8


def reserve_together(situation: int, slot: Slot) -> int:
    """Each asking connection is its own thread's; says how many got the slot."""
    barrier = Barrier(ASKING)

    def ask(copy: int) -> bool:
        try:
            barrier.wait(timeout=20)
            reserve(situation, slot=slot, copy=copy)
        except AppointmentNotPossible:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(ASKING) as pool:
        return sum(pool.map(ask, range(1, ASKING + 1)))


@pytest.fixture
def crowd() -> None:
    load_network(copies=ASKING)
    # the clock's row exists before anybody asks
    clock.now()


@pytest.mark.parametrize("situation", [61, 62])
def test_last_visit_is_reserved_once(crowd: None, situation: int) -> None:
    assert reserve_together(situation, list_slots(situation)[0]) == 1
    assert Appointment.objects.filter(state=AppointmentState.RESERVED).count() == 1


def test_visit_that_was_given_back_is_reserved_once_again(crowd: None) -> None:
    slot = list_slots(61)[0]
    appointments.release(appointment=reserve(61, slot=slot))

    assert reserve_together(61, slot) == 1


def test_all_get_a_visit_where_there_are_enough(crowd: None) -> None:
    assert reserve_together(1, list_slots(1)[0]) == ASKING
