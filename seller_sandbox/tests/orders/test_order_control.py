"""The control interface for orders: what testers ask of the sandbox over plain JSON."""

from typing import Any

import pytest
from django.test import Client

from seller_sandbox import clock
from seller_sandbox.console.orders.order_control_requests import ORDER_ACTIONS
from seller_sandbox.messages import outbox
from seller_sandbox.tests.orders import samples
from seller_sandbox.tests.orders.control_client import get, open_control, post

pytestmark = pytest.mark.usefixtures("network")
control = pytest.fixture(open_control)


def test_orders_are_found_by_buyer_reference_uprn_and_state(control: Client) -> None:
    """Issue 13, 5a."""
    mine = samples.placed(reference="MINE-1")
    samples.placed(who="BUYERB", uprn=samples.uprn(1, 2), reference="MINE-1")

    for query in (
        "buyer=BUYERA",
        f"reference={mine.seller_order_reference}",
        f"uprn={mine.uprn}",
        "reference=MINE-1&buyer=BUYERA",
    ):
        found = get(control, f"orders?{query}").body
        assert [row["sellerOrderReference"] for row in found["orders"]] == [mine.seller_order_reference]
    assert len(get(control, "orders?reference=MINE-1").body["orders"]) == 2
    assert get(control, "orders?state=rejected").body == {"orders": [], "more": False}


def test_orders_come_in_pages(control: Client) -> None:
    """Issue 13, 5a."""
    first, second = samples.placed(), samples.placed()

    page = get(control, "orders?limit=1").body
    rest = get(control, f"orders?limit=1&after={page['orders'][0]['id']}").body

    assert [page["orders"][0]["sellerOrderReference"], page["more"]] == [first.seller_order_reference, True]
    assert [rest["orders"][0]["sellerOrderReference"], rest["more"]] == [second.seller_order_reference, False]


def test_a_search_that_cannot_be_read_is_explained(control: Client) -> None:
    """Issue 13, 5a."""
    refused = get(control, "orders?state=lost&colour=red")

    assert refused.status == 400
    assert refused.body["mistakes"] == [
        "colour is unknown; known are buyer, reference, uprn, state, after, limit",
        "state: must be one of pending, acknowledged, committed, completed, rejected, cancelled",
    ]


def test_an_order_shows_everything_that_happened(control: Client) -> None:
    """Issue 13, 5a."""
    order = samples.appointed()

    report = get(control, f"orders/{order.seller_order_reference}").body

    assert (report["state"], report["buyer"], report["course"]) == ("committed", "BUYERA", "install")
    assert report["appointment"]["key"] == str(order.appointment.key)
    assert [event["kind"] for event in report["events"]][:3] == ["received", "validated", "committed"]
    assert [sent["kind"] for sent in report["notifications"]] == samples.kinds(order)
    assert report["visits"][0]["job_state"] == "queued"
    assert (report["is_compensation_due"], report["notice_charge_days"]) == (False, 0)


def test_notice_charge_is_shown(control: Client) -> None:
    """Limits, Cease notice; D20."""
    order = samples.placed(
        kind="alaCease", uprn="", product_name="", service_identifier="FBR001002001", requested_date=None
    )

    assert get(control, f"orders/{order.seller_order_reference}").body["notice_charge_days"] == 30


def test_unknown_things_are_not_found(control: Client) -> None:
    """Issue 13, 5a."""
    for path, keyword in (
        ("orders/none", "There is no order none"),
        ("network/77", "no premises with the UPRN 77"),
        ("buyers/NOBODY", "known are BUYERA, BUYERB, BUYERC"),
    ):
        answer = get(control, path)
        assert answer.status == 404
        assert keyword in answer.body["error"]
    order = samples.placed()
    unknown = post(control, f"orders/{order.seller_order_reference}/explode", {})
    assert (unknown.status, unknown.body["error"]) == (404, f"actions are {', '.join(ORDER_ACTIONS)}")


def test_notifications_of_a_buyer_are_listed_with_their_xml_and_attempts(control: Client) -> None:
    """Issue 13, 5a."""
    order = samples.placed()
    samples.placed(who="BUYERB", uprn=samples.uprn(1, 2))
    message = outbox.claim()

    found = get(control, "notifications?buyer=BUYERA").body

    assert [sent["kind"] for sent in found["notifications"]] == samples.kinds(order)
    first = found["notifications"][0]
    assert first["messageId"] == str(message.message_id)
    assert "notifyOfOrderStatus" in first["xml"]
    assert first["delivery"] == "waiting"
    later = get(control, f"notifications?order={order.seller_order_reference}&since={first['id']}").body
    assert [sent["kind"] for sent in later["notifications"]] == samples.kinds(order)[1:]


def test_an_action_answers_with_the_order(control: Client) -> None:
    """Issue 13, 5a."""
    order = samples.placed()

    answer = post(control, f"orders/{order.seller_order_reference}/cancel", {"message": "The road has gone"})

    assert answer.status == 200
    assert answer.body["order"]["state"] == "cancelled"
    assert answer.body["order"]["end"] == {"code": "573", "message": "The road has gone"}


def test_open_delays_are_shown_and_end_by_their_codes(control: Client) -> None:
    """D16: several at once."""
    order = samples.appointed(situation=50)
    path = f"orders/{order.seller_order_reference}"
    post(control, f"{path}/delay", {"code": "210"})
    assert get(control, path).body["open_delays"] == ["203", "210"]

    ended = post(control, f"{path}/end-delay", {"code": "203"}).body["order"]

    assert (ended["delay_code"], get(control, path).body["open_delays"]) == ("210", ["210"])
    refused = post(control, f"{path}/end-delay", {"code": "203"})
    assert (refused.status, "Delays that can end: 210." in refused.body["error"]) == (409, True)


def test_a_code_that_is_not_known_needs_its_message(control: Client) -> None:
    """The buyer would read a text that belongs to another code. States, seller cancel."""
    order = samples.placed()
    path = f"orders/{order.seller_order_reference}/cancel"

    refused = post(control, path, {"code": "999"})

    assert (refused.status, "'999' is not known" in refused.body["error"]) == (409, True)
    answer = post(control, path, {"code": "999", "message": "The road has gone"})
    assert answer.body["order"]["end"] == {"code": "999", "message": "The road has gone"}


def test_an_action_that_is_not_possible_says_why(control: Client) -> None:
    """Issue 13, 5a."""
    order = samples.placed()

    refused = post(control, f"orders/{order.seller_order_reference}/complete", {})

    assert (refused.status, refused.body["error"]) == (
        409,
        "Only an order that is Committed can be completed.",
    )


@pytest.mark.parametrize(
    ("action", "body", "mistakes"),
    [
        ("delay", {}, ["code is missing"]),
        ("cancel", {"code": "5" * 11}, ["code: must have 10 characters at most"]),
        ("cancel", {"message": "x" * 2001}, ["message: must have 2000 characters at most"]),
        ("warning", {"code": "1"}, ["code: must be one of 590, 591, 592"]),
        ("activation", {"succeeded": "yes"}, ["succeeded: must be true or false"]),
        (
            "exclusion",
            {"code": "RC002", "starts_on": "soon"},
            ["ends_on is missing", "starts_on: must be a day like 2026-11-23"],
        ),
        (
            "complete",
            {"ont": {"fsan": "ALCL12AB34CD", "serialNumber": "1" * 41}},
            ["ont: serialNumber must have 40 characters at most"],
        ),
        ("complete", {"ont": {"fsan": "A"}}, ["ont: must be an object with fsan and serialNumber"]),
        ("repeat", {"message_id": "x"}, ["message_id: must be the messageId of a notification"]),
        ("repaired", {"day": "x"}, ["day is unknown; this request has no members: send {}"]),
        ("end-delay", {"day": "x"}, ["day is unknown; known are code"]),
        ("end-delay", {"code": "1"}, ["code: must be one of 203, 210, 220"]),
        ("reappoint", {"day": "x"}, ["day is unknown; known are not_before"]),
    ],
)
def test_an_action_that_cannot_be_read_is_explained(
    control: Client, action: str, body: Any, mistakes: list[str]
) -> None:
    """Issue 13, 5a."""
    order = samples.placed()

    refused = post(control, f"orders/{order.seller_order_reference}/{action}", body)

    assert refused.status == 400
    for found, wanted in zip(refused.body["mistakes"], mistakes, strict=True):
        assert found.startswith(wanted)


def test_refused_messages_are_sent_again_and_delivered_ones_repeated(control: Client) -> None:
    """Issue 13, 5."""
    order = samples.placed()
    path = f"orders/{order.seller_order_reference}"
    order.thread.outbound.filter(seq=1).update(state="refused")

    assert post(control, f"{path}/send-again", {}).body["queued"] == 1
    order.thread.outbound.filter(seq=1).update(state="delivered", body="<sent/>")
    repeated = post(control, f"{path}/repeat", {}).body

    assert repeated["messageId"] == str(order.thread.outbound.get(seq=1).message_id)


def test_actions_need_the_control_header() -> None:
    """Issue 13, 5a."""
    order = samples.placed()
    client = Client(enforce_csrf_checks=True)

    assert post(client, f"orders/{order.seller_order_reference}/cancel", {}).status == 403


def test_the_clock_is_set_to_an_instant_ahead(control: Client) -> None:
    """D21."""
    wanted = samples.days_ahead(3).isoformat() + "T09:00:00Z"

    moved = post(control, "clock", {"set_to": wanted}).body

    assert moved["now"][:16] == wanted[:16]
    assert get(control, "clock").body["now"][:16] == clock.now().isoformat()[:16]
    refused = post(control, "clock", {"set_to": "2020-01-01T00:00:00Z"})
    assert refused.body["mistakes"] == ["set_to: must lie ahead of the sandbox clock, by 366 days at most"]
    assert post(control, "clock", {}).status == 400


def test_surveys_of_a_complex_order_are_recorded(control: Client) -> None:
    """Complex-order rules; what the surveys lead to: test_complex_orders.py."""
    order = samples.placed(uprn=samples.uprn(6), product_name=samples.COMPLEX)
    path = f"orders/{order.seller_order_reference}"

    surveyed = post(control, f"{path}/desktop-survey", {"estimate_pence": 120_000})
    too_early = post(control, f"{path}/physical-survey", {"cost_pence": 110_000})

    assert surveyed.body["order"]["complex_order"]["estimate_pence"] == 120_000
    assert (too_early.status, "is not at the stage" in too_early.body["error"]) == (409, True)
    refused = post(control, f"{path}/desktop-survey", {"estimate_pence": -1})
    assert refused.body["mistakes"] == ["estimate_pence: must be a whole number from 0 to 100000000"]
