"""Random lives of orders: buyers, the partner, the seller's people and the clock do what they can in any order."""

from contextlib import suppress
from datetime import date, timedelta
from typing import Any, ClassVar
from uuid import uuid4

from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from seller_sandbox import clock
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.messages.models import OutboundMessage, OutboundState
from seller_sandbox.network.appointments import AppointmentNotPossible
from seller_sandbox.network.models import Service
from seller_sandbox.orders import amendments, cancellations, closure_outcomes, placing, reasons
from seller_sandbox.orders.lifecycle import RejectedUpFront
from seller_sandbox.orders.models import Order, OrderEvent
from seller_sandbox.orders.wire.requests import AmendOrderRequest, CancelOrderRequest
from seller_sandbox.tests.orders import life_invariants, samples, visit_samples
from seller_sandbox.tests.orders.life_actions import ACTIONS

# premises of the fixed situations, each with a product that they can have
PREMISES = [
    *((number, samples.LOCAL_160) for number in (1, 2, 3, 10, 21, 26, 30, 34, 50, 62)),
    *((number, samples.LOCAL_1000) for number in (1, 10, 11, 20)),
    *((number, samples.NATIONAL_160) for number in (20, 24)),
    *((number, samples.NATIONAL_1000) for number in (22, 25, 27)),
    *((number, samples.COMPLEX) for number in (6, 7)),
]
APPOINTED = [(number, samples.LOCAL_160) for number in (1, 1, 2, 3, 8, 30, 50)]
BUYERS = ("BUYERA", "BUYERB")
STEPS = (1, 30, 60, 3600, 6 * 3600, 86_400, 3 * 86_400, 12 * 86_400)
CODES = sorted(closure_outcomes.outcomes())
SUCCESSES = ("SP", "SP", "PSP", "NTR", "EXTCOMP", "CIVCOMP")
CHANGES: list[dict[str, Any]] = [
    {"site": {"hazards": "A loose step"}},
    {"configuration": {"c_vlan": "77"}},
    {"configuration": {"s_vlan": "5000"}},
    {"product_name": samples.LOCAL_1000},
    {"auxiliary_services": ["PRIORITY-REPAIR"]},
    {"cancelled_auxiliary_services": ["PRIORITY-REPAIR"]},
    {"reservation_key": str(uuid4())},
    {"case_reference": "none", "case_comment": "Yes"},
    {"complex_answer": "acceptEstimate"},
    {"complex_answer": "acceptCost"},
    {"complex_answer": "rejectCost"},
]
# with the appointment of a complex order's stage
ANSWERS = {"orderSurvey": "acceptEstimate", "orderExternal": "acceptCost"}
# what an accepted message of ours changes, and a refused one, by its reason
ANSWERED = {
    "createJob": (JobEvent.ACCEPTED, JobEvent.REFUSED),
    "cancelJob": (
        JobEvent.CANCELLED,
        JobEvent.CANCEL_REFUSED,
        JobEvent.CANCEL_OVERTAKEN,
        JobEvent.CANCEL_FAILED,
    ),
}
LAST_MOVE = timedelta(days=150)
picks = st.integers(0, 1000)
ahead = st.integers(-1, 30)


def _has_open_orders(_: RuleBasedStateMachine) -> bool:
    return Order.objects.in_flight().exists()


def _unanswered() -> Any:
    """What the partner has of ours and has not answered yet, one message for each job."""
    return OutboundMessage.objects.heads().filter(thread__kind="job", operation__in=ANSWERED)


def _at_work() -> Any:
    """Jobs that the partner has accepted and that are not over."""
    over = [JobState.QUEUED, JobState.REFUSED, JobState.CLOSED, JobState.CANCELLED]
    return Job.objects.exclude(state__in=over)


class OrderLives(RuleBasedStateMachine):
    """A run begins with the network as it was loaded; what it does is undone at its end."""

    # how many orders lived in all runs, and what happened to them
    lives: ClassVar[int] = 0
    events: ClassVar[int] = 0

    @initialize(premises=st.lists(st.sampled_from(APPOINTED), min_size=1, max_size=3), days=ahead)
    def begin(self, premises: list[tuple[int, str]], days: int) -> None:
        """Some orders with an appointment are under way."""
        self._undone = transaction.atomic()
        self._undone.__enter__()
        for number, product in premises:
            where = samples.uprn(number)
            key = _reserve(where, product, "BUYERA", days=days)
            self._send_order(who="BUYERA", uprn=where, product_name=product, reservation_key=key)
        clock.move(seconds=60)

    def teardown(self) -> None:
        """Everything that can fall due does, and then all is as before."""
        try:
            clock.move(seconds=int(LAST_MOVE.total_seconds()))
            life_invariants.check_all()
            life_invariants.check_visits()
            OrderLives.lives += Order.objects.count()
            OrderLives.events += OrderEvent.objects.count()
        finally:
            transaction.set_rollback(True)  # Django's own signature
            self._undone.__exit__(None, None, None)

    @invariant()
    def orders_are_sound(self) -> None:
        life_invariants.check_all()

    # --- buyers --------------------------------------------------------------------------------------------
    @rule(
        order_at=st.sampled_from(PREMISES),
        who=st.sampled_from(BUYERS),
        days=ahead,
        has_key=st.booleans(),
        new_order_type=st.sampled_from(["", "", "Switch", "WLTO"]),
        is_engineer_install=st.booleans(),
    )
    def send_order(
        self,
        order_at: tuple[int, str],
        who: str,
        days: int,
        new_order_type: str,
        *,
        has_key: bool,
        is_engineer_install: bool,
    ) -> None:
        number, product = order_at
        where = samples.uprn(number)
        key = _reserve(where, product, who, days=days) if has_key else ""
        self._send_order(
            who=who,
            uprn=where,
            product_name=product,
            reservation_key=key,
            new_order_type=new_order_type,
            requested_date=None if has_key else samples.days_ahead(days),
            is_engineer_install=is_engineer_install,
        )

    @rule(pick=picks, days=ahead, is_cease=st.booleans())
    def change_service(self, pick: int, days: int, *, is_cease: bool) -> None:
        service = _pick(Service.objects.filter(ended_at=None).order_by("id"), pick)
        if service is None:
            return
        kind, wanted = (
            ("alaCease", {"requested_date": samples.days_ahead(days)}) if is_cease else ("alaModify", {})
        )
        configuration = samples.ServiceConfiguration(line_profile=service.product.line_profiles[-1])
        self._send_order(
            who=service.buyer.identifier,
            kind=kind,
            uprn="",
            product_name="",
            service_identifier=service.service_identifier,
            configuration=samples.CONFIGURATION if is_cease else configuration,
            **wanted,
        )

    def _send_order(self, *, who: str, **members: Any) -> None:
        placing.receive(samples.request(who=who, **members), buyer=samples.buyer(who))

    @precondition(_has_open_orders)
    @rule(
        pick=picks,
        what=st.sampled_from(["key", "key", "date", "other"]),
        changes=st.sampled_from(CHANGES),
        days=ahead,
        kind=st.sampled_from(["orderSurvey", "orderExternal", "orderInternal"]),
    )
    def amend(self, pick: int, what: str, changes: dict[str, Any], days: int, kind: str) -> None:
        order = _pick_open(pick)
        if what == "date":
            changes = {"requested_date": samples.days_ahead(days).isoformat()}
        elif what == "key" and order.product:
            kind = kind if order.product.is_complex else "install"
            key = _reserve(order.uprn, order.product.name, order.buyer.identifier, days=days, kind=kind)
            answer = {"complex_answer": ANSWERS[kind]} if kind in ANSWERS else {}
            changes = {"reservation_key": key or str(uuid4()), **answer}
        wanted = AmendOrderRequest(samples.header(reference=""), order.seller_order_reference, changes)
        amendments.receive(wanted, buyer=order.buyer)

    @precondition(_has_open_orders)
    @rule(pick=picks, code=st.sampled_from(["300", "9190"]))
    def cancel(self, pick: int, code: str) -> None:
        order = _pick_open(pick)
        wanted = CancelOrderRequest(samples.header(reference=""), order.seller_order_reference, code, "No")
        try:
            cancellations.receive(wanted, buyer=order.buyer)
        except RejectedUpFront as problem:
            # the only ones of an open order
            assert problem.reason in {reasons.CANCEL_UNSOLICITED, reasons.CANCEL_NOT_MOVING}

    # --- the partner ---------------------------------------------------------------------------------------
    @precondition(lambda _: _unanswered().exists())
    @rule(pick=picks, is_accepted=st.sampled_from([True, True, True, False]))
    def partner_answers(self, pick: int, *, is_accepted: bool) -> None:
        """createJob before cancelJob; nothing goes out behind a pack that was refused."""
        message = _pick(_unanswered().order_by("id"), pick)
        job = Job.objects.get(thread=message.thread)
        is_pack = message.operation == "createJob"
        is_taken = is_accepted and (is_pack or not job.is_over)
        message.state = OutboundState.DELIVERED if is_taken else OutboundState.REFUSED
        message.save()
        if is_pack:
            message.thread.is_held = not is_taken
            message.thread.save(update_fields=["is_held"])
        accepted, *refused = ANSWERED[message.operation]
        # a job that is over is not waited for
        refusals = refused[:1] if job.is_over else refused
        visit_samples.change(job, accepted if is_taken else refusals[pick % len(refusals)])

    @precondition(lambda _: _at_work().exists())
    @rule(pick=picks, code=st.sampled_from(CODES), result=st.sampled_from([None, None, 1, 3, 4]))
    def partner_closes(self, pick: int, code: str, result: int | None) -> None:
        self._close(pick, code, result)

    @precondition(lambda _: _at_work().exists())
    @rule(pick=picks, code=st.sampled_from(SUCCESSES), result=st.sampled_from([None, 1, 1, 1, 2]))
    def partner_succeeds(self, pick: int, code: str, result: int | None) -> None:
        self._close(pick, code, result)

    @precondition(lambda _: _at_work().exists())
    @rule(pick=picks, code=st.sampled_from(CODES))
    def partner_closes_another_day(self, pick: int, code: str) -> None:
        """The clock is moved to the slot of the job, and into it."""
        job = _pick(_at_work().order_by("id"), pick)
        ahead_of_us = (job.starts_at - clock.now()).total_seconds() + 3600
        clock.move(seconds=max(0, int(ahead_of_us)))
        self._close(pick, code, None)

    def _close(self, pick: int, code: str, result: int | None) -> None:
        job = _pick(_at_work().order_by("id"), pick)
        if job is None:
            return
        if result and job.job_type == "installation":
            # seldom a device that may be installed elsewhere
            own = visit_samples.FSAN if pick % 5 == 0 else f"ALCL{job.pk:08X}"
            visit_samples.provisioned(job, result=result, fsan=own)
        visit_samples.change(job, JobEvent.CLOSED, closure_code=code, closed_at=clock.now())

    # --- the seller and the clock ---------------------------------------------------------------------------
    @precondition(_has_open_orders)
    @rule(pick=picks, action=st.sampled_from(list(ACTIONS)), days=st.integers(1, 30))
    def seller_acts(self, pick: int, action: str, days: int) -> None:
        with suppress(ActionNotPossible):
            ACTIONS[action](_pick_open(pick), days)

    @rule(seconds=st.sampled_from(STEPS))
    def move_clock(self, seconds: int) -> None:
        clock.move(seconds=seconds)

    @rule()
    def wait_until_just_before_midnight(self) -> None:
        """What the buyers ask for now comes in time, and is looked at on the next day."""
        midnight = samples.limits.midnight(samples.days_ahead(1))
        clock.move(seconds=max(0, int((midnight - clock.now()).total_seconds()) - 2))

    @rule()
    def pass_a_minute(self) -> None:
        """More often than other steps: most of what waits is done then."""
        clock.move(seconds=60)


def _pick(rows: Any, number: int) -> Any:
    """One of the rows, None without any."""
    found = list(rows)
    return found[number % len(found)] if found else None


def _pick_open(number: int) -> Order:
    return _pick(Order.objects.in_flight().select_related("buyer", "product").order_by("id"), number)


def _reserve(where: str, product: str, who: str, *, days: int, kind: str = "") -> str:
    """The key of a slot from this day on, empty when there is none."""
    usual = "orderSurvey" if product == samples.COMPLEX else "install"
    day: date = samples.days_ahead(days)
    try:
        found = samples.reserve(
            at=where, product=product, who=who, not_before=day, appointment_type=kind or usual
        )
    except AppointmentNotPossible:
        return ""
    return str(found.key)
