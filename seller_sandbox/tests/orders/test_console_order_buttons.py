"""The buttons on the page of an order: each does its action, or says why it cannot (issue 13, 5)."""

import re

import pytest
from django.test import Client

from seller_sandbox.console.orders.order_actions import ACTIONS
from seller_sandbox.messages.models import OutboundState
from seller_sandbox.orders import cases, lifecycle
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderCondition
from seller_sandbox.tests.orders import complex_samples, samples
from seller_sandbox.tests.orders.console_client import page, press

pytestmark = pytest.mark.usefixtures("network")


def act(client: Client, order: Order, action: str, **fields: str) -> str:
    return press(client, f"orders/{order.seller_order_reference}/{action}", **fields)


def choices(client: Client, order: Order, name: str) -> list[str]:
    """What a list of a form on the order's page offers."""
    html = client.get(f"/orders/{order.seller_order_reference}").content.decode()
    found = re.search(rf'<select name="{name}">(.*?)</select>', html, flags=re.S)
    assert found, name
    return [value for value in re.findall(r'<option value="([^"]*)"', found[1]) if value]


def in_slot(order: Order) -> Order:
    """The order once the slot of its appointment has begun."""
    samples.accepted(order)
    return samples.until(order, order.appointment.starts_at)


def test_unknown_action_or_order_is_not_found(client: Client) -> None:
    order = samples.pending()

    assert client.post(f"/do/orders/{order.seller_order_reference}/explode").status_code == 404
    assert client.post("/do/orders/SO-none/cancel").status_code == 404
    assert client.get(f"/do/orders/{order.seller_order_reference}/cancel").status_code == 405


@pytest.mark.parametrize("action", sorted(ACTIONS))
def test_action_with_an_empty_form_never_breaks(client: Client, action: str) -> None:
    outcomes = r"Nothing was changed|is cancelled|new appointment|is received|goes? out"
    for order in (samples.pending(), samples.appointed(situation=2)):
        assert re.search(outcomes, act(client, order, action))


def test_cancel_by_the_seller(client: Client) -> None:
    order = samples.appointed()

    text = act(client, order, "cancel", message="The block was pulled down")

    assert "The order is cancelled by the seller." in text
    assert "The block was pulled down" in text
    assert samples.fresh(order).state == "cancelled"


def test_cabinet_slips(client: Client) -> None:
    order = samples.appointed()
    day = re.search(
        r'type="date" name="day" value="([\d-]+)"',
        client.get(f"/orders/{order.seller_order_reference}").content.decode(),
    )

    text = press(
        client,
        f"premises/{samples.uprn(1)}/release",
        day=day[1],
        next=f"/orders/{order.seller_order_reference}",
    )

    assert "1 order slips" in text
    assert "Cabinet Slip" in text
    assert samples.kinds(order)[-1] == "cabinetSlip"


def test_appointment_can_be_missed_once_its_slot_has_begun(client: Client) -> None:
    order = samples.appointed()

    assert "The slot has not begun." in act(client, order, "miss", code="FTA")
    assert "An appointment can be missed once its slot has begun." in page(
        client, f"/orders/{order.seller_order_reference}"
    )
    start = order.appointment.starts_at.astimezone(samples.clock.now().astimezone().tzinfo)
    text = press(client, "clock", to="instant", instant=start.isoformat())

    assert "The sandbox clock now shows" in text
    assert "is missed" in act(client, order, "miss", code="FTA")


@pytest.mark.parametrize(
    ("code", "party", "is_mborc"),
    [("FTA", "seller", False), ("RNA/NA", "buyer", False), ("MBORC", "seller", True)],
)
def test_missed_appointment_says_whose_it_was(client: Client, code: str, party: str, is_mborc: bool) -> None:
    order = in_slot(samples.appointed())
    assert code in choices(client, order, "code")

    text = act(client, order, "miss", code=code)

    missed = order.missed_appointments.get()
    assert (missed.missed_by, missed.is_mborc) == (party, is_mborc)
    assert "Missed Appointment" in text
    assert samples.kinds(order)[-1] == "delay"
    order = samples.after(order, seconds=2 * samples.A_DAY)
    text = page(client, f"/orders/{order.seller_order_reference}")
    assert ("; compensation is due" in text) == (code == "FTA")
    assert "Missed Appointment (KCI 2.1)" in text


def test_seller_makes_a_new_appointment(client: Client) -> None:
    order = samples.appointed()
    before = order.appointment.starts_at

    act(client, order, "reappoint", day=samples.days_ahead(20).isoformat())

    assert samples.fresh(order).appointment.starts_at > before


def test_delay_is_made_and_ended(client: Client) -> None:
    order = samples.appointed()
    assert "220" in choices(client, order, "code") or "220" in page(
        client, f"/orders/{order.seller_order_reference}"
    )

    assert "Delayed: Pet behaviour (code 220)." in act(client, order, "delay", code="220")
    act(client, order, "end-delay")

    assert OrderCondition.DELAY not in samples.fresh(order).conditions


def test_each_open_delay_has_a_button_that_ends_it(client: Client) -> None:
    order = samples.appointed(situation=50)

    text = act(client, order, "delay", code="210")
    assert "End the delay 203 Survey underway" in text
    assert "End the delay 210 Pre-order awaiting cabinet release" in text
    text = act(client, order, "end-delay", code="203")

    assert "End the delay 203" not in text
    assert "End the delay 210" in text
    assert samples.fresh(order).delay_code == "210"


def test_repair_has_a_button_behind_another_delay(client: Client) -> None:
    order = samples.appointed()
    act(client, order, "delay", code="233")

    assert "Network is repaired" in act(client, order, "delay", code="220")
    act(client, order, "repair")

    assert samples.fresh(order).delay_code == "220"


def test_activation_fails_and_succeeds(client: Client) -> None:
    order = samples.placed(uprn=samples.uprn(10), requested_date=samples.days_ahead(10))

    assert "The activation failed" in act(client, order, "activation", succeeded="no")
    assert "The activation succeeded" in act(client, order, "activation", succeeded="yes")

    assert samples.at_midnight(order, order.requested_date).state == "completed"


def test_warning_is_carried_by_completion(client: Client) -> None:
    order = samples.placed(uprn=samples.uprn(10), requested_date=samples.days_ahead(10))

    act(client, order, "warn", code="591")
    order = samples.at_midnight(order, order.requested_date)

    assert "The speed check failed" in page(client, f"/orders/{order.seller_order_reference}")
    assert OrderCondition.WARNING in order.conditions


def test_case_is_opened_commented_and_closed(client: Client) -> None:
    order = samples.appointed()

    assert "Nothing was changed. Question:" in act(client, order, "open-case", text=" ")
    text = act(client, order, "open-case", text="Is there a shared drive?")
    case = order.cases.get().reference
    assert f"The case {case} is open." in text
    assert "Is there a shared drive?" in text
    assert "Please ask." in act(client, order, "comment-case", case=case, text="Please ask.")
    assert f"The case {case} is closed." in act(client, order, "close-case", case=case, text="Thanks.")
    assert order.cases.get().closed_at


def test_buyer_replies_to_a_case_by_amendment(client: Client) -> None:
    order = samples.appointed()
    case = cases.open_case(lifecycle.lock(order.seller_order_reference), text="Shared drive?")

    act(client, order, "buyer-amend", case_reference=case.reference, case_comment="No, it is ours.")
    order = samples.after(order, seconds=60)

    assert order.cases.get().comments[0]["text"] == "No, it is ours."
    assert "Buyer: No, it is ours." in page(client, f"/orders/{order.seller_order_reference}")


def test_buyer_amends_appointment_and_site(client: Client) -> None:
    order = samples.placed()
    slot = choices(client, order, "slot")[2]

    text = act(client, order, "buyer-amend", slot=slot, hazards="Bees")

    assert "The buyer&#x27;s amendment is received" in text
    order = samples.after(order, seconds=60)
    assert order.state == "committed"
    assert order.site["hazards"] == "Bees"


def test_buyer_amends_a_date(client: Client) -> None:
    order = samples.placed(uprn=samples.uprn(10), requested_date=samples.days_ahead(10))
    day = samples.days_ahead(12)

    act(client, order, "buyer-amend", requested_date=day.isoformat())

    assert samples.after(order, seconds=60).requested_date == day


def test_text_that_no_message_can_carry_is_refused(client: Client) -> None:
    order = samples.placed()

    text = act(client, order, "cancel", message="x" * 2001)

    assert "Nothing was changed. message: must have 2000 characters at most." in text
    assert samples.fresh(order).state != "cancelled"


def test_buyer_cancels_unless_the_order_has_ended(client: Client) -> None:
    order = samples.placed()

    act(client, order, "buyer-cancel", code="300", message="Moved away")
    order = samples.after(order, seconds=60)

    assert order.state == "cancelled"
    assert "Moved away (code 300)" in page(client, f"/orders/{order.seller_order_reference}")
    assert "Nothing was changed. The seller rejected it: The order has ended." in act(
        client, order, "buyer-cancel"
    )


def test_refused_notification_goes_out_again_and_a_delivered_one_is_repeated(client: Client) -> None:
    order = samples.appointed()
    refused, delivered = order.thread.outbound.all()[:2]
    for message, state in ((refused, OutboundState.REFUSED), (delivered, OutboundState.DELIVERED)):
        message.state, message.body = state, "<xml/>"
        message.save()

    assert "Send refused messages again (1)" in page(client, f"/orders/{order.seller_order_reference}")
    assert "1 message goes out again." in act(client, order, "send-again")
    message_id = str(delivered.message_id)
    assert choices(client, order, "message_id") == [message_id]
    assert "word for word" in act(client, order, "repeat", message_id=message_id)
    assert order.thread.outbound.filter(message_id=message_id).count() == 2
    assert "Notification: choose one of the list." in act(client, order, "repeat", message_id="x")
    assert "Acknowledged (KCI1), repeated" in page(client, f"/orders/{order.seller_order_reference}")


def test_days_are_excluded(client: Client) -> None:
    order = samples.appointed()
    first, last = samples.days_ahead(3).isoformat(), samples.days_ahead(4).isoformat()

    assert "The exclusion is recorded." in act(
        client, order, "exclude", code="RC003", starts_on=first, ends_on=last
    )
    assert order.exclusions.get().code == "RC003"


# --- complex orders -------------------------------------------------------------------------------------------
def test_desktop_survey_is_completed_and_the_buyer_answers(client: Client) -> None:
    order = complex_samples.acknowledged()
    assert "Stage Desktop Survey" in page(client, f"/orders/{order.seller_order_reference}")

    text = act(client, order, "desktop-survey", outcome="estimate", estimate="£1,250.50")

    assert "Estimate £1,250.50" in text
    assert "Awaited from the buyer answer to the estimate; appointment of the physical survey" in text
    slots = choices(client, order, "slot")
    act(
        client,
        order,
        "buyer-amend",
        complex_answer="acceptEstimate",
        slot=slots[-1],
        appointment_type="orderSurvey",
    )
    order = samples.after(order, seconds=60)
    text = page(client, f"/orders/{order.seller_order_reference}")
    assert "The buyer accepts the estimate" in text
    assert "Stage Physical Survey" in text
    assert "Physical survey, " in text


@pytest.mark.parametrize(("outcome", "state"), [("skip", "acknowledged"), ("impossible", "cancelled")])
def test_desktop_survey_is_skipped_or_in_vain(client: Client, outcome: str, state: str) -> None:
    order = complex_samples.acknowledged()

    act(client, order, "desktop-survey", outcome=outcome)

    assert samples.fresh(order).state == state


def test_physical_survey_finalises_the_cost_and_leaves_a_liability(client: Client) -> None:
    order = complex_samples.surveyed()

    assert "give an amount in pounds" in act(client, order, "physical-survey", outcome="cost", cost="much")
    text = act(
        client, order, "physical-survey", outcome="cost", cost="900", survey_cost="250", needs_civils="yes"
    )
    assert "Finalised cost £900.00" in text
    assert "Civils needed" in text

    samples.cancel(order)

    assert "Survey liability £250.00" in page(client, f"/orders/{order.seller_order_reference}")
