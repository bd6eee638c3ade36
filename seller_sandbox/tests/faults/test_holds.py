"""On Hold: the message, then two calls, each recorded and sent; then the buyer is told (D7)."""

from datetime import UTC, datetime, timedelta

import pytest

from seller_sandbox import clock
from seller_sandbox.faults import holds, lifecycle, operator_actions, sla
from seller_sandbox.faults.holds import ContactNotPossible
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.network import appointments
from seller_sandbox.network.models import AppointmentType
from seller_sandbox.tests.faults import samples

pytestmark = pytest.mark.usefixtures("network")
# a Monday
MONDAY = datetime(2027, 1, 11, 9, 0, tzinfo=UTC)


def on_hold_at(moment: datetime) -> FaultReport:
    """A ticket that is put on hold then."""
    clock.move(seconds=int((moment - clock.now()).total_seconds()) - 3600)
    report = samples.in_progress()
    clock.move(seconds=int((moment - clock.now()).total_seconds()) + 1)
    return samples.act(report, holds.begin, reason="Which lights are on?")


def test_hold_says_what_we_wait_for() -> None:
    report = samples.act(samples.in_progress(), holds.begin, reason="Which lights are on?")

    assert report.state == "on_hold"
    assert samples.sent(report)[-1] == "OnHold"
    assert samples.notification(report, "OnHold")["hold_reason"] == "Which lights are on?"


@pytest.mark.parametrize("make", [samples.accepted, samples.resolved])
def test_hold_only_from_in_progress(make: object) -> None:
    report = make()
    with pytest.raises(lifecycle.FaultEventNotPossible):
        samples.act(report, holds.begin, reason="Why")


@pytest.mark.parametrize(
    ("start", "first_call", "second_call"),
    [
        # within the working day
        (MONDAY, datetime(2027, 1, 11, 13, 0, tzinfo=UTC), datetime(2027, 1, 12, 9, 0, tzinfo=UTC)),
        # four hours go on in the next morning
        (
            MONDAY.replace(hour=16),
            datetime(2027, 1, 12, 10, 0, tzinfo=UTC),
            datetime(2027, 1, 13, 9, 0, tzinfo=UTC),
        ),
        # over a weekend
        (
            datetime(2027, 1, 15, 17, 0, tzinfo=UTC),
            datetime(2027, 1, 18, 11, 0, tzinfo=UTC),
            datetime(2027, 1, 19, 9, 0, tzinfo=UTC),
        ),
    ],
)
def test_times_of_the_attempts(start: datetime, first_call: datetime, second_call: datetime) -> None:
    report = samples.after(on_hold_at(start), seconds=7 * 86_400)
    rows = holds.attempts(report)

    assert [row.kind for row in rows] == ["message", "call", "call"]
    assert abs(rows[1].at - first_call) < timedelta(seconds=5)
    assert rows[2].at == second_call


def test_each_attempt_is_sent_and_the_buyer_hears_of_the_end() -> None:
    report = samples.after(on_hold_at(MONDAY), seconds=7 * 86_400)

    assert samples.sent(report)[-5:] == ["OnHold"] + ["FaultReportUpdate"] * 4
    last = samples.notification(report, "FaultReportUpdate")
    assert last["update_reason"] == holds.EXHAUSTED
    assert [row["kind"] for row in last["contact_attempts"]] == ["Message", "Call", "Call"]
    assert report.state == "on_hold"


def test_third_call_is_refused() -> None:
    report = samples.act(samples.in_progress(), holds.begin, reason="Why", contacts_end_user=False)
    for _ in range(3):
        samples.act(report, holds.contact, outcome="No answer")

    with pytest.raises(ContactNotPossible, match="no third call"):
        samples.act(report, holds.contact)
    assert report.contact_attempts.count() == 3


def test_contact_only_on_hold() -> None:
    report = samples.in_progress()
    with pytest.raises(ContactNotPossible, match="In Progress"):
        samples.act(report, holds.contact)


def test_information_ends_the_hold_and_the_calls() -> None:
    report = on_hold_at(MONDAY)
    report = samples.act(report, operator_actions.receive_information, text="Only the power light is on")
    before = report.contact_attempts.count()
    report = samples.after(report, seconds=7 * 86_400)

    assert report.state == "in_progress"
    assert report.contact_attempts.count() == before
    assert samples.sent(report)[-1] == "InProgress"
    assert samples.notification(report, "InProgress")["updates"][-1]["author"] == "Supplier"


def test_second_hold_begins_with_a_message_again() -> None:
    report = on_hold_at(MONDAY)
    report = samples.after(report, seconds=86_400 * 3)
    report = samples.act(report, operator_actions.receive_information, text="Done")
    report = samples.act(report, holds.begin, reason="Another question")
    samples.act(report, holds.contact)

    assert [row.kind for row in holds.attempts(report)] == ["message"]


def test_appointment_that_the_operator_books_ends_the_hold() -> None:
    report = samples.act(samples.in_progress(), holds.begin, reason="When can we come?")
    service = samples.service()
    slot = appointments.list_slots(
        location=service.location,
        product=service.product,
        buyer=report.buyer,
        appointments_from=None,
        appointment_type=AppointmentType.REPAIR,
    )[0]
    report = samples.act(report, operator_actions.book_visit, starts_at=slot.starts_at, ends_at=slot.ends_at)

    assert report.state == "in_progress"
    assert report.appointment.starts_at == slot.starts_at
    assert samples.sent(report)[-2:] == ["AppointmentConfirmation", "InProgress"]


def test_clock_stands_still_on_hold() -> None:
    report = samples.in_progress(samples.outage())
    clock.move(seconds=3600)
    report = samples.act(report, holds.begin, reason="Why", contacts_end_user=False)
    before = sla.read(report)
    clock.move(seconds=30 * 3600)
    after = sla.read(report)
    samples.act(report, operator_actions.receive_information, text="Here")
    clock.move(seconds=1800)
    going = sla.read(report)

    assert after == before
    assert (before.is_running, before.due_at) == (False, None)
    assert abs(going.elapsed - before.elapsed - timedelta(minutes=30)) < timedelta(seconds=5)
