"""Each of the 34 closure codes and OTHER closes a visit of an order: state, marks, delay and what the buyer is sent.

The rows are those of issue section "Orders and jobs", which docs/order-messages.md repeats.
"""

import json

import pytest

from seller_sandbox.jobs import codes
from seller_sandbox.network import services
from seller_sandbox.orders import closure_outcomes, reasons
from seller_sandbox.orders.closure_outcomes import PET_SECONDARIES, OutcomeKind
from seller_sandbox.orders.models import Order, VisitPurpose
from seller_sandbox.orders.reasons import Reason
from seller_sandbox.orders.states import OrderCondition, OrderState
from seller_sandbox.orders.steps import TIME_OUT
from seller_sandbox.orders.visit_results import REPAIRED
from seller_sandbox.tests.orders import samples, visit_samples

pytestmark = pytest.mark.usefixtures("network")

# the job interface's own table
CODES = codes.DATA / "closure_codes.json"
BEFORE = ["pending", "acknowledged", "committed", "enniReserved"]
DELAYED = {
    "HAZ": reasons.DELAY_SAFETY,
    "RNA/NA": reasons.DELAY_ACCESS,
    "FTA": reasons.DELAY_SELLER,
    "MBORC": reasons.DELAY_SELLER,
}
MISSED = ("RNA/NA", "FTA", "MBORC")
REPAIRS = ("UNF", "CON", "POP", "ONT")
CANCELLED = {"NAPUV": reasons.NOT_SERVICEABLE, "ASQ": reasons.CUSTOMER_DECLINED}
REVISITS = (
    *("REVCOMP", "REVCPR", "REVASQ", "REVHAZ", "REVNA", "REVUNF", "REVPOP", "REVCON", "REVONT", "REVASS"),
)
# purpose of the visit, code, and the reason that the buyer is given
COMPLEX_CANCELLED = [
    (VisitPurpose.SURVEY, "EXTASQ", reasons.CUSTOMER_DECLINED),
    (VisitPurpose.EXTERNAL, "EXTASQ", reasons.CUSTOMER_DECLINED),
    (VisitPurpose.CIVILS, "CIVWAY", reasons.PERMISSION_REFUSED),
    (VisitPurpose.CIVILS, "CIVQUO", reasons.COST_REJECTED),
]
COMPLEX_REVIEWED = [
    *((VisitPurpose.EXTERNAL, code) for code in ("EXTHAZ", "EXTCON", "EXTPOP", "OTHER")),
    *((VisitPurpose.CIVILS, code) for code in ("CIVCON", "CIVNA", "OTHER")),
]
COMPLEX_MILESTONES = [
    (VisitPurpose.SURVEY, "EXTCOMP"),
    (VisitPurpose.EXTERNAL, "EXTCOMP"),
    (VisitPurpose.CIVILS, "CIVCOMP"),
]


def delay_of(order: Order) -> str:
    """The code of the delay that the buyer was told of last."""
    assert OrderCondition.DELAY in order.conditions
    delay = samples.members_of(order, "delay")["delay"]
    assert delay["next_best_action"]
    assert order.delay_code == delay["code"]
    return order.delay_code


def test_table_has_a_row_for_each_code() -> None:
    """34 codes of the job interface and OTHER, and no other row; each is tried in this file. Issue 13, 4."""
    rows = set(closure_outcomes.outcomes())
    tried = {"SP", "PSP", "NTR", "CPR", *DELAYED, *REPAIRS, *CANCELLED, *REVISITS}
    tried |= {row[1] for row in (*COMPLEX_CANCELLED, *COMPLEX_REVIEWED, *COMPLEX_MILESTONES)}

    assert {code for code in rows if code != closure_outcomes.OTHER} == set(
        json.loads(CODES.read_text())["closure_codes"]
    )
    assert len(rows) == 35
    assert tried == rows


@pytest.mark.parametrize("result", [1, 2])
@pytest.mark.parametrize("code", ["SP", "NTR"])
def test_success_after_result_1_or_2_completes(code: str, result: int) -> None:
    order = visit_samples.close(visit_samples.visited(result=result), code)

    assert order.state == OrderState.COMPLETED
    assert samples.kinds(order) == [*BEFORE, "completed"]
    assert "warning" not in samples.last_members(order)
    live = services.find_live(order.location)
    assert (live.service_identifier, live.ont.fsan) == (order.service_identifier, visit_samples.FSAN)
    assert order.appointment.state == "used"


def test_partial_install_completes_with_a_warning() -> None:
    order = visit_samples.close(visit_samples.visited(), "PSP")

    assert order.state == OrderState.COMPLETED
    assert samples.kinds(order) == [*BEFORE, "completed"]
    assert samples.last_members(order)["warning"] == reasons.WARNING_PARTIAL.as_members()
    assert OrderCondition.WARNING in order.conditions


@pytest.mark.parametrize(
    ("code", "result"),
    [("SP", None), ("SP", 3), ("SP", 4), ("SP", 5), ("SP", 6), ("SP", 7), ("PSP", None), ("NTR", None)],
)
def test_success_without_result_1_or_2_is_a_delay(code: str, result: int | None) -> None:
    """No KCI3 for an installation without a successful provisioning result."""
    order = visit_samples.close(visit_samples.visited(result=result), code)

    assert order.state == OrderState.COMMITTED
    assert samples.kinds(order) == [*BEFORE, "delay"]
    assert delay_of(order) == reasons.DELAY_ACTIVATION.code
    advice = samples.members_of(order, "delay")["delay"]["next_best_action"]
    assert "amend the order with its key within 30 days" in advice
    assert services.find_live(order.location) is None
    assert order.appointment is None
    assert TIME_OUT in visit_samples.due_names(order)


@pytest.mark.parametrize(("code", "reason"), DELAYED.items())
def test_visit_without_work_is_a_delay_until_a_new_appointment(code: str, reason: Reason) -> None:
    """RNA/NA, FTA, MBORC are missed appointments; all wait 30 days for a new key."""
    order = visit_samples.close(visit_samples.visited(result=None), code)

    assert order.state == OrderState.COMMITTED
    assert samples.kinds(order) == [*BEFORE, "delay"]
    assert delay_of(order) == reason.code
    assert (OrderCondition.MISSED_APPOINTMENT in order.conditions) == (code in MISSED)
    order = samples.amend(order, reservation_key=str(samples.reserve().key))
    assert samples.kinds(order)[-2:] == ["amendmentPending", "amendmentAccepted"]
    assert set(order.conditions) == {OrderCondition.NNI_RESERVED}
    assert order.visits.count() == 2


@pytest.mark.parametrize("code", DELAYED)
def test_order_ends_when_no_new_appointment_comes_within_thirty_days(code: str) -> None:
    """Limits, Wait for appointment."""
    order = visit_samples.close(visit_samples.visited(result=None), code)
    opened = samples.clock.today()

    order = samples.at_midnight(order, opened + samples.timedelta(days=30))
    assert order.state == OrderState.COMMITTED
    order = samples.at_midnight(order, opened + samples.timedelta(days=31))

    assert order.state == OrderState.CANCELLED
    assert samples.members_of(order, "cancelled")["reason"]["code"] == reasons.NO_NEW_APPOINTMENT.code


@pytest.mark.parametrize(("code", "reason"), CANCELLED.items())
def test_code_that_ends_the_order_is_a_cancel_of_the_seller(code: str, reason: Reason) -> None:
    """States, seller cancel."""
    order = visit_samples.close(visit_samples.visited(result=None), code)

    assert order.state == OrderState.CANCELLED
    assert samples.kinds(order) == [*BEFORE, "cancelled"]
    assert samples.last_members(order)["reason"] == reason.as_members()
    assert (order.end_code, visit_samples.due_names(order) & {TIME_OUT}) == (reason.code, set())


@pytest.mark.parametrize("code", REPAIRS)
def test_network_fault_is_a_delay_and_a_new_pack_after_repair(code: str) -> None:
    """Events, Delay."""
    order = visit_samples.close(visit_samples.visited(result=None), code)
    assert samples.kinds(order) == [*BEFORE, "delay"]
    assert delay_of(order) == reasons.DELAY_NETWORK.code
    assert REPAIRED in visit_samples.due_names(order)

    order = samples.after(order, seconds=8 * samples.A_DAY)

    assert order.state == OrderState.COMMITTED
    assert samples.kinds(order) == [*BEFORE, "delay", "committed"]
    assert samples.last_members(order)["appointment"]["key"] == str(order.appointment.key)
    assert order.visits.count() == 2
    assert OrderCondition.DELAY not in order.conditions


def test_cherry_picker_brings_a_new_pack_with_its_flag() -> None:
    """Issue 13, 4."""
    order = visit_samples.close(visit_samples.visited(result=None), "CPR")

    assert order.state == OrderState.COMMITTED
    assert samples.kinds(order) == [*BEFORE, "committed"]
    assert "CHP" in visit_samples.flags(order)


@pytest.mark.parametrize("code", ["OTHER", "A code that is not in the table"])
def test_other_reason_is_a_delay_until_a_person_decides(code: str) -> None:
    """Events, Delay."""
    order = visit_samples.close(visit_samples.visited(result=None), code)

    assert order.state == OrderState.COMMITTED
    assert delay_of(order) == reasons.DELAY_REVIEW.code
    assert not visit_samples.due_names(order) & {TIME_OUT, REPAIRED}


@pytest.mark.parametrize("secondary", sorted(PET_SECONDARIES))
def test_pet_behaviour_is_delay_220(secondary: str) -> None:
    order = visit_samples.close(visit_samples.visited(result=None), "HAZ", secondary=secondary)

    assert samples.kinds(order) == [*BEFORE, "delay"]
    assert delay_of(order) == "220"


@pytest.mark.parametrize("code", [*REVISITS, "EXTCOMP", "CIVCOMP", "EXTASQ", "CIVWAY"])
def test_code_of_another_family_says_nothing_of_the_order(code: str) -> None:
    """A lenient seller takes the message; a person decides. A strict one: test_revisit_code_is_refused. Issue 13, 4."""
    order = visit_samples.close(visit_samples.visited(), code)

    assert order.state == OrderState.COMMITTED
    assert delay_of(order) == reasons.DELAY_REVIEW.code


@pytest.mark.parametrize("code", REVISITS)
def test_revisit_codes_have_the_row_refused(code: str) -> None:
    """Issue 13, 4."""
    assert closure_outcomes.outcome_of(code).kind == OutcomeKind.REFUSE


@pytest.mark.parametrize(("purpose", "code", "reason"), COMPLEX_CANCELLED)
def test_survey_build_or_civils_may_end_the_order(purpose: VisitPurpose, code: str, reason: Reason) -> None:
    """Complex-order rules 2."""
    order = visit_samples.close(visit_samples.complex_visit(purpose), code)

    assert order.state == OrderState.CANCELLED
    assert samples.kinds(order)[-1] == "cancelled"
    assert samples.last_members(order)["reason"] == reason.as_members()


@pytest.mark.parametrize(("purpose", "code"), COMPLEX_REVIEWED)
def test_other_codes_of_external_and_civils_wait_for_a_person(purpose: VisitPurpose, code: str) -> None:
    """Events, Delay."""
    order = visit_samples.close(visit_samples.complex_visit(purpose), code)

    assert order.state == OrderState.ACKNOWLEDGED
    assert samples.kinds(order)[-1] == "delay"
    assert delay_of(order) == reasons.DELAY_REVIEW.code


@pytest.mark.parametrize(("purpose", "code"), COMPLEX_MILESTONES)
def test_completed_survey_build_and_civils_are_milestones(purpose: VisitPurpose, code: str) -> None:
    """The order stays acknowledged and is not delayed; test_complex_orders says which milestone follows.

    Events, Complex milestones.
    """
    order = visit_samples.close(visit_samples.complex_visit(purpose), code)

    assert closure_outcomes.outcome_of(code).kind == OutcomeKind.MILESTONE
    assert order.state == OrderState.ACKNOWLEDGED
    assert OrderCondition.DELAY not in order.conditions
    assert order.visits.first().ended_at


def test_success_on_an_external_job_does_not_complete_the_order() -> None:
    """What only a lenient seller takes must not leave the table of states. States, completion."""
    order = visit_samples.close(visit_samples.complex_visit(VisitPurpose.EXTERNAL), "SP")

    assert order.state == OrderState.ACKNOWLEDGED
    assert delay_of(order) == reasons.DELAY_REVIEW.code
