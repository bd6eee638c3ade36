"""Random lives of tickets: buyer, partner, operator, network and clock do what they can in any order.

Refusals are as good as actions: they must only change nothing.
"""

from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from typing import Any, ClassVar

from django.db import transaction
from django.test import override_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from seller_sandbox import clock
from seller_sandbox.diagnostics import line_states, path_load
from seller_sandbox.diagnostics.models import CfmStatus, UniPortStatus
from seller_sandbox.faults import holds, operator_actions, repairs, resolutions
from seller_sandbox.faults.models import ClosureCode, FaultEvent, FaultReport, TicketVisit
from seller_sandbox.faults.revisits import missed_visits
from seller_sandbox.faults.revisits.revisit_outcomes import outcomes
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.jobs.models import JobState
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.messages import outbox
from seller_sandbox.messages.models import OutboundMessage
from seller_sandbox.messages.verdicts import DeliveryOutcome, Verdict
from seller_sandbox.network.appointments import AppointmentNotPossible
from seller_sandbox.network.models import Location
from seller_sandbox.tests.faults import life_invariants, samples, visit_samples

STEPS = (1, 60, 3600, 5 * 3600, 86_400, 3 * 86_400)
MOST_TICKETS = 3
# every ticket can end by then
LAST_MOVE_SECONDS = 60 * 86_400
TYPES = ("Service Outage", "Service Outage", "Impaired Service", "Performance Issue")
# the family's codes, and one of another family
CODES = (*sorted(outcomes()), "SP")
STARTED = (JobEvent.ENGINEER_ASSIGNED, JobEvent.EN_ROUTE, JobEvent.ON_SITE)
NOT_AT_WORK = (JobState.QUEUED, JobState.REFUSED, JobState.CLOSED, JobState.CANCELLED)
picks = st.integers(0, 1000)

NETWORK: dict[str, Callable[[Location], object]] = {
    "power cut": line_states.cut_power,
    "power back": line_states.restore_power,
    "fibre cut": line_states.cut_fibre,
    "fibre repaired": line_states.repair_fibre,
    "seller's side": lambda found: line_states.set_cfm(found, CfmStatus.DOWN_CF),
    "buyer's side": lambda found: line_states.set_cfm(found, CfmStatus.DOWN_ISP),
    "connected": lambda found: line_states.set_cfm(found, CfmStatus.UP),
    "port down": lambda found: line_states.set_uni_port(found, UniPortStatus.DOWN),
    "port up": lambda found: line_states.set_uni_port(found, UniPortStatus.UP),
    "no test": lambda found: line_states.set_testable(found, can_be_tested=False),
    "test": lambda found: line_states.set_testable(found, can_be_tested=True),
    "congested": lambda found: path_load.congest(found, node="PON", percent=Decimal(97)),
    "busy": lambda found: path_load.congest(found, node="PON", percent=Decimal(85)),
    "usual load": path_load.clear,
    "repaired": line_states.repair,
}
OPERATOR: dict[str, Callable[[FaultReport], object]] = {
    "hold": lambda report: holds.begin(report, reason="Which lights are on?"),
    "contact": holds.contact,
    "information": lambda report: operator_actions.receive_information(report, text="Only the power light"),
    "visit needed": lambda report: operator_actions.need_visit(report, text=""),
    "mborc": missed_visits.declare_mborc,
    "repair": repairs.repair,
    "cancel": lambda report: operator_actions.cancel(report, reason="Duplicate"),
    "triage": operator_actions.start_triage,
    "send again": operator_actions.send_refused_again,
    "update": lambda report: operator_actions.add_update(report, text="We look into it"),
}


def _unanswered() -> Any:
    """What the partner has of ours and has not answered yet, one message for each job."""
    return OutboundMessage.objects.heads().filter(
        thread__kind="job", operation__in=("createJob", "cancelJob")
    )


def _at_work() -> Any:
    """Planned visits whose job the partner has accepted."""
    return TicketVisit.objects.planned().exclude(job__state__in=NOT_AT_WORK).order_by("pk")


def _pick(rows: Any, number: int) -> Any:
    found = list(rows)
    return found[number % len(found)]


class FaultLives(RuleBasedStateMachine):
    """A run begins with the network as it was loaded; what it does is undone at its end."""

    # how many tickets lived in all runs, and what happened to them
    lives: ClassVar[int] = 0
    events: ClassVar[int] = 0

    @initialize(fault_type=st.sampled_from(TYPES), cause=st.sampled_from([*NETWORK]), by_rules=st.booleans())
    def begin(self, fault_type: str, cause: str, *, by_rules: bool) -> None:
        """A ticket about a line to which something has happened; triage by rules or by hand."""
        self._undone = transaction.atomic()
        self._undone.__enter__()
        self._settings = override_settings(TRIAGE_BY_RULES=by_rules)
        self._settings.enable()
        self.change_network(cause, is_other=False)
        self.report_fault(fault_type, is_complete=True, is_other=False)

    def teardown(self) -> None:
        """Everything that can fall due does, and then all is as before."""
        try:
            clock.move(seconds=LAST_MOVE_SECONDS)
            life_invariants.check_all()
            FaultLives.lives += FaultReport.objects.count()
            FaultLives.events += FaultEvent.objects.count()
        finally:
            self._settings.disable()
            transaction.set_rollback(True)  # Django's own signature
            self._undone.__exit__(None, None, None)

    @invariant()
    def tickets_are_sound(self) -> None:
        life_invariants.check_all()

    # --- the buyer -----------------------------------------------------------------------------------------
    @precondition(lambda _: FaultReport.objects.count() < MOST_TICKETS)
    @rule(
        fault_type=st.sampled_from(TYPES),
        is_complete=st.sampled_from([True, True, True, False]),
        is_other=st.booleans(),
    )
    def report_fault(self, fault_type: str, *, is_complete: bool, is_other: bool) -> None:
        uprn = _uprn(is_other=is_other)
        changes = {} if is_complete else {"description": ""}
        if fault_type == TYPES[0]:
            changes["appointment_reservation_key"] = str(samples.reserve(uprn=uprn).key)
        service = samples.service(uprn).service_identifier
        samples.pending(samples.request(fault_type=fault_type, service_affected=service, **changes))

    @rule(pick=picks, text=st.sampled_from(["", "Router restarted"]))
    def amend(self, pick: int, text: str) -> None:
        samples.amend(_ticket(pick), description=text or "Slow", update_texts=[text] if text else [])

    @rule(pick=picks, number=st.integers(min_value=0, max_value=3), is_other=st.booleans())
    def reappoint(self, pick: int, number: int, *, is_other: bool) -> None:
        key = str(samples.reserve(uprn=_uprn(is_other=is_other), number=number).key)
        samples.amend(_ticket(pick), appointment_reservation_key=key)

    @rule(pick=picks, is_accepted=st.booleans())
    def reply(self, pick: int, *, is_accepted: bool) -> None:
        samples.answer_resolution(_ticket(pick), accepted=is_accepted)

    # --- the partner ---------------------------------------------------------------------------------------
    @precondition(lambda _: _unanswered().exists())
    @rule(pick=picks, is_accepted=st.sampled_from([True, True, True, False]))
    def partner_answers(self, pick: int, *, is_accepted: bool) -> None:
        """createJob before cancelJob; nothing goes out behind a pack that was refused."""
        message = _pick(_unanswered().select_related("thread__job").order_by("id"), pick)
        job = message.thread.job
        if is_accepted and (message.operation == "createJob" or not job.is_over):
            answer = {"providerJobId": job.provider_job_id or f"PJ-{job.pk}"}
            verdict = Verdict(DeliveryOutcome.DELIVERED, status=200, answer=answer)
        else:
            verdict = Verdict(DeliveryOutcome.REFUSED, status=409, answer={})
        outbox.settle(message, verdict)

    @precondition(lambda _: _at_work().exists())
    @rule(pick=picks, event=st.sampled_from(STARTED))
    def partner_progresses(self, pick: int, event: JobEvent) -> None:
        visit_samples.say(_pick(_at_work(), pick).report, event)

    @precondition(lambda _: _at_work().exists())
    @rule(pick=picks, code=st.sampled_from(CODES), is_in_slot=st.booleans())
    def partner_closes(self, pick: int, code: str, *, is_in_slot: bool) -> None:
        """In the slot the engineer arrives first; otherwise the office closes what nobody attends."""
        visit = _pick(_at_work().select_related("job"), pick)
        if is_in_slot:
            clock.move(seconds=max(0, int((visit.job.starts_at - clock.now()).total_seconds()) + 60))
            # the slot of another visit of this ticket may have ended on the way
            if not _at_work().filter(pk=visit.pk).exists():
                return
            visit_samples.say(visit.report, JobEvent.ON_SITE)
        visit_samples.close(visit.report, code)

    # --- operator, network and clock -----------------------------------------------------------------------
    @rule(pick=picks, action=st.sampled_from([*OPERATOR]))
    def operator_acts(self, pick: int, action: str) -> None:
        self._act(pick, OPERATOR[action])

    @rule(pick=picks, code=st.sampled_from(list(ClosureCode)))
    def resolve(self, pick: int, code: ClosureCode) -> None:
        self._act(pick, lambda report: resolutions.resolve(report, code=code, text=""))

    @rule(pick=picks, number=st.integers(min_value=0, max_value=3))
    def book_visit(self, pick: int, number: int) -> None:
        slot = samples.reserve(number=number)
        self._act(
            pick,
            lambda report: operator_actions.book_visit(
                report, starts_at=slot.starts_at, ends_at=slot.ends_at
            ),
        )

    def _act(self, pick: int, function: Callable[[FaultReport], object]) -> None:
        reference = _ticket(pick).maintainer_fault_reference
        with (
            suppress(ActionNotPossible, AppointmentNotPossible),
            operator_actions.on_ticket(reference) as report,
        ):
            function(report)

    @rule(change=st.sampled_from([*NETWORK]), is_other=st.booleans())
    def change_network(self, change: str, *, is_other: bool) -> None:
        NETWORK[change](samples.service(_uprn(is_other=is_other)).location)

    @rule(seconds=st.sampled_from(STEPS))
    def move_clock(self, seconds: int) -> None:
        clock.move(seconds=seconds)

    @rule()
    def pass_a_minute(self) -> None:
        """More often than other steps: most of what waits is done then."""
        clock.move(seconds=60)


def _uprn(*, is_other: bool) -> str:
    return samples.OTHER_UPRN if is_other else samples.UPRN


def _ticket(pick: int) -> FaultReport:
    return samples.fresh(_pick(FaultReport.objects.order_by("pk"), pick))
