"""Who pays for the survey of a cancelled complex order (order-provisioning.md, Complex-order rules 3; D20), what its
notifications carry (complexOrder), and what a person of the seller may record."""

import pytest

from seller_sandbox import clock
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.network.models import AppointmentType
from seller_sandbox.orders import notifying
from seller_sandbox.orders.models import ComplexStage
from seller_sandbox.orders.states import OrderState
from seller_sandbox.orders.wire import seller_messages
from seller_sandbox.orders.wire.namespaces import INTERFACE, ext
from seller_sandbox.soap import schema_model
from seller_sandbox.tests.orders import complex_samples, samples
from seller_sandbox.tests.orders.complex_samples import (
    ESTIMATE,
    key_for,
    progress,
    record_desktop,
    record_physical,
)

pytestmark = pytest.mark.usefixtures("network")


@pytest.mark.parametrize(
    ("cost_pence", "is_skipped", "owed"),
    [(ESTIMATE, False, 31_000), (ESTIMATE - 1, False, 31_000), (ESTIMATE + 1, False, 0), (1, True, 0)],
)
def test_buyer_owes_the_survey_when_the_cost_was_within_the_estimate(
    cost_pence: int, is_skipped: bool, owed: int
) -> None:
    """Complex-order rules 3: no liability when the desktop survey was skipped."""
    order = complex_samples.priced(cost_pence=cost_pence, is_skipped=is_skipped, survey_cost_pence=31_000)

    order = samples.amend(order, complex_answer="rejectCost")

    assert order.state == OrderState.CANCELLED
    assert progress(order).survey_liability_pence == owed


def test_buyer_owes_the_survey_when_the_window_ends() -> None:
    """Complex-order rules 3: however the order is cancelled after the physical survey."""
    order = complex_samples.priced()

    samples.after(order, seconds=47 * samples.A_DAY)

    assert samples.fresh(order).state == OrderState.CANCELLED
    assert progress(order).survey_liability_pence == 25_000


def test_buyer_owes_the_survey_when_it_cancels_a_committed_order() -> None:
    """Complex-order rules 3: after the physical survey is also after KCI2."""
    order = complex_samples.committed()

    order = samples.cancel(order)
    complex_samples.cancel_visit(order.visits.last().job)

    assert samples.fresh(order).state == OrderState.CANCELLED
    assert progress(order).survey_liability_pence == 25_000


@pytest.mark.parametrize("stage", ["estimated", "surveyed"])
def test_buyer_owes_nothing_before_the_cost_is_final(stage: str) -> None:
    """Complex-order rules 3: there is no finalised cost that could be within the estimate."""
    order = samples.cancel(getattr(complex_samples, stage)())

    assert order.state == OrderState.CANCELLED
    assert progress(order).survey_liability_pence == 0


def test_buyer_owes_nothing_when_the_survey_ends_the_order() -> None:
    """Complex-order rules 2 and 3: the seller finds that the installation is not possible."""
    order = complex_samples.surveyed()

    record_physical(order, is_possible=False)

    assert progress(order).survey_liability_pence == 0


def test_every_notification_in_flight_carries_the_complex_order() -> None:
    """complexOrder: in-flight orders only; the element is omitted once the order has ended, and for other orders."""
    order = complex_samples.committed()
    sent = [message.members for message in order.thread.outbound.order_by("seq")]

    assert all(members["complex_order"]["stage"] for members in sent)
    assert sent[0]["complex_order"] == {
        "stage": "Desktop Survey",
        "awaiting_buyer_action": [],
        "earliest_survey_date": None,
        "confirmed_survey_date": None,
        "earliest_appointment_date": None,
        "milestones": [],
    }
    ended = samples.amend(complex_samples.estimated(), complex_answer="rejectEstimate")
    assert "complex_order" not in samples.last_members(ended)


def test_complex_order_on_the_wire_has_its_six_fields() -> None:
    """complexOrder: isComplexOrder true and the fields, in a message that keeps to the schema."""
    order = complex_samples.built()
    messages = order.thread.outbound.order_by("seq")

    read = [seller_messages.read(notifying.compose(message).encode()) for message in messages]

    newest = read[-1].values["in_progress"]
    assert newest["is_complex"] is True
    assert newest["complex_order"] == samples.last_members(order)["complex_order"]
    assert set(newest["complex_order"]) == {
        *("stage", "awaiting_buyer_action", "milestones"),
        *("earliest_survey_date", "confirmed_survey_date", "earliest_appointment_date"),
    }


def test_schema_names_every_stage_and_milestone() -> None:
    """complexOrder, stage and milestones: a buyer can look up what may come."""
    texts = {row.tag: row.text for row in schema_model.types(INTERFACE)[ext("ComplexOrder")].children}
    milestone = schema_model.types(INTERFACE)[ext("Milestones")].children[0].text

    assert [stage for stage in ComplexStage.values if stage not in texts[ext("stage")]] == []
    reached = samples.last_members(complex_samples.built())["complex_order"]["milestones"]
    assert [name for name in reached if name not in milestone] == []


# --- what a person of the seller may record -------------------------------------------------------------------
@pytest.mark.parametrize(
    ("result", "field"),
    [
        ({}, "estimate_pence"),
        ({"estimate_pence": 1, "is_skipped": True}, "is_skipped"),
        ({"estimate_pence": -1}, "estimate_pence"),
        ({"is_skipped": True, "earliest_survey_date": "today"}, "earliest_survey_date"),
    ],
)
def test_wrong_result_of_the_desktop_survey_names_the_field(result, field) -> None:
    """Every seller action is one control request: a wrong one is answered with what to do. Issue 13, 5a."""
    order = complex_samples.acknowledged()
    if "earliest_survey_date" in result:
        result = {**result, "earliest_survey_date": clock.today()}

    with pytest.raises(ActionNotPossible, match=field):
        record_desktop(order, **result)


@pytest.mark.parametrize(
    ("result", "field"),
    [
        ({}, "cost_pence"),
        ({"cost_pence": -1}, "cost_pence"),
        ({"cost_pence": 1, "survey_cost_pence": -1}, "survey_cost"),
    ],
)
def test_wrong_result_of_the_physical_survey_names_the_field(result, field) -> None:
    """Every seller action is one control request: a wrong one is answered with what to do. Issue 13, 5a."""
    order = complex_samples.surveyed()

    with pytest.raises(ActionNotPossible, match=field):
        record_physical(order, **result)


def test_survey_is_recorded_at_its_stage_only() -> None:
    """Limits: desktop survey, physical survey, each once and in this order."""
    order = complex_samples.acknowledged()
    with pytest.raises(ActionNotPossible, match="Physical Survey Completed"):
        record_physical(order, cost_pence=1)
    record_desktop(order, estimate_pence=1)

    with pytest.raises(ActionNotPossible, match="Desktop Survey"):
        record_desktop(order, estimate_pence=1)
    samples.after(order, seconds=47 * samples.A_DAY)
    with pytest.raises(ActionNotPossible, match="Desktop Survey"):
        record_desktop(order, estimate_pence=1)


def test_person_and_sandbox_do_not_record_a_survey_twice() -> None:
    """Limits: what a person has recorded before the tenth working day stands."""
    order = complex_samples.acknowledged()
    record_desktop(order, estimate_pence=77)
    order = samples.amend(
        order, complex_answer="acceptEstimate", reservation_key=key_for(order, AppointmentType.SURVEY)
    )

    samples.after(order, seconds=10 * samples.A_DAY)

    assert progress(order).estimate_pence == 77
