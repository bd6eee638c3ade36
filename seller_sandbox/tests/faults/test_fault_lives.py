"""Random lives of a ticket: whatever buyer, operator and clock do, what must always hold does hold."""

from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from seller_sandbox import clock
from seller_sandbox.faults import holds, operator_actions, resolutions, sla
from seller_sandbox.faults.models import ClosureCode, FaultReport
from seller_sandbox.faults.states import ENDED, ON_THE_CLOCK, TRANSITIONS, FaultEventKind, FaultState
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.models import DueAction
from seller_sandbox.network.models import AppointmentState
from seller_sandbox.tests.faults import samples

pytestmark = pytest.mark.usefixtures("network")
RUNS, LENGTH = 12, 20
STEPS = st.sampled_from([1, 60, 3600, 5 * 3600, 86_400, 3 * 86_400])


class FaultLife(RuleBasedStateMachine):
    """One ticket of a buyer; refusals are as good as actions, they must only change nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.atomic = transaction.atomic()
        self.atomic.__enter__()

    def teardown(self) -> None:
        """Each life begins with the same network."""
        transaction.set_rollback(True)
        self.atomic.__exit__(None, None, None)

    @initialize(is_outage=st.booleans(), is_complete=st.sampled_from([True, True, True, False]))
    def report_fault(self, *, is_outage: bool, is_complete: bool) -> None:
        changes = {} if is_complete else {"description": ""}
        message = samples.outage(**changes) if is_outage else samples.request(**changes)
        self.report = samples.pending(message)

    @rule(seconds=STEPS)
    def move_clock(self, seconds: int) -> None:
        samples.after(self.report, seconds=seconds)

    @rule(text=st.sampled_from(["", "Router restarted"]))
    def amend(self, text: str) -> None:
        samples.amend(self.report, description=text or "Slow", update_texts=[text] if text else [])

    @rule(number=st.integers(min_value=0, max_value=3))
    def reappoint(self, number: int) -> None:
        samples.amend(self.report, appointment_reservation_key=str(samples.reserve(number=number).key))

    @rule(is_accepted=st.booleans())
    def reply(self, *, is_accepted: bool) -> None:
        samples.answer_resolution(self.report, accepted=is_accepted)

    @rule()
    def hold(self) -> None:
        self._act(holds.begin, reason="Which lights are on?")

    @rule()
    def contact(self) -> None:
        self._act(holds.contact)

    @rule()
    def receive_information(self) -> None:
        self._act(operator_actions.receive_information, text="Only the power light")

    @rule()
    def need_visit(self) -> None:
        self._act(operator_actions.need_visit, text="")

    @rule(code=st.sampled_from(list(ClosureCode)))
    def resolve(self, code: ClosureCode) -> None:
        self._act(resolutions.resolve, code=code, text="")

    @rule()
    def cancel(self) -> None:
        self._act(operator_actions.cancel, reason="Duplicate")

    def _act(self, function: object, **members: object) -> None:
        reference = self.report.maintainer_fault_reference
        with suppress(ActionNotPossible), operator_actions.on_ticket(reference) as report:
            function(report, **members)

    @invariant()
    def each_event_follows_the_table(self) -> None:
        state = None
        for event in self.report.events.all():
            row = TRANSITIONS[FaultEventKind(event.kind)]
            assert (state in row.sources) if state else not row.sources
            state = FaultState(event.state)
            assert row.target in {None, state}
        assert self._fresh().state == state

    @invariant()
    def each_event_that_says_so_was_sent_once_and_in_order(self) -> None:
        kinds = [TRANSITIONS[FaultEventKind(event.kind)].notification for event in self.report.events.all()]
        sent = [message.operation for message in self.report.thread.outbound.order_by("seq")]
        assert sent == [kind.value for kind in kinds if kind]

    @invariant()
    def clock_runs_where_the_state_says_so(self) -> None:
        report = self._fresh()
        reading = sla.read(report)
        assert reading.is_running == (report.state in ON_THE_CLOCK)
        assert timedelta() <= reading.elapsed <= max(clock.now() - report.received_at, timedelta())

    @invariant()
    def ended_ticket_holds_no_slot_and_waits_for_nothing(self) -> None:
        report = self._fresh()
        if report.state in ENDED:
            assert report.ended_at
            assert not DueAction.objects.open().filter(subject=report.maintainer_fault_reference)
            assert not report.appointment or report.appointment.state != AppointmentState.BOOKED

    @invariant()
    def resolved_ticket_has_a_code_and_an_end_of_wait(self) -> None:
        report = self._fresh()
        if report.state == FaultState.RESOLVED:
            assert report.closure_code
            assert clock.now() < report.resolved_at + timedelta(hours=48, minutes=1)

    @invariant()
    def at_most_three_attempts_in_a_hold(self) -> None:
        report = self._fresh()
        for number in range(1, report.events.filter(kind=FaultEventKind.HELD).count() + 1):
            kinds = [row.kind for row in report.contact_attempts.filter(hold=number)]
            assert kinds == ["message", "call", "call"][: len(kinds)]

    def _fresh(self) -> FaultReport:
        return samples.fresh(self.report)


def test_random_lives_keep_the_rules() -> None:
    """Table, order of notifications, SLA clock, slots given back, contact attempts, no due action with an error."""
    few = settings(
        max_examples=RUNS,
        stateful_step_count=LENGTH,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    run_state_machine_as_test(FaultLife, settings=few)
