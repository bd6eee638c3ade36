"""What is known of a locked ticket holds until something is added to it."""

from collections.abc import Iterator

import pytest
from django.db import transaction

from seller_sandbox import clock
from seller_sandbox.faults import additions, lifecycle, operator_actions
from seller_sandbox.faults.models import FaultReport, UpdateAuthor
from seller_sandbox.faults.revisits import visits
from seller_sandbox.faults.states import FaultEventKind
from seller_sandbox.tests.faults import samples

pytestmark = pytest.mark.usefixtures("network")


@pytest.fixture
def locked(network: None) -> Iterator[FaultReport]:
    """An outage in progress, whose slot is booked."""
    report = samples.in_progress(samples.outage())
    with transaction.atomic(), clock.at(clock.now()):
        yield lifecycle.lock(report.maintainer_fault_reference)


def test_events_that_are_written_follow_those_that_were_read(locked: FaultReport) -> None:
    earlier = lifecycle.list_events(locked)

    event = lifecycle.apply(locked, FaultEventKind.NOTED)

    assert lifecycle.list_events(locked) == [*earlier, event] == [*locked.events.all()]


def test_additions_that_are_written_are_read(locked: FaultReport) -> None:
    assert not (locked.has_additions or additions.of(locked).updates)

    additions.add_update(locked, author=UpdateAuthor.SUPPLIER, text="On our way")

    assert [row.text for row in additions.of(locked).updates] == ["On our way"]
    again = lifecycle.lock(locked.maintainer_fault_reference)
    assert [row.text for row in additions.of(again).updates] == ["On our way"]


def test_a_visit_that_is_planned_is_found(locked: FaultReport) -> None:
    assert not (locked.has_visits or visits.planned(locked))

    operator_actions.need_visit(locked, text="")
    visits.send_if_due(locked)

    assert visits.planned(locked) == locked.visits.get()
    again = lifecycle.lock(locked.maintainer_fault_reference)
    assert visits.planned(again) == locked.visits.get()
