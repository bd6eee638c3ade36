"""The console's clock: on every page, moved by steps, to the next due action and to an instant (issue 13, 0 and 5)."""

import re
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client

from seller_sandbox import clock, due_actions
from seller_sandbox.console.clock import clock_page
from seller_sandbox.models import DueAction
from seller_sandbox.tests.orders import samples
from seller_sandbox.tests.orders.console_client import page, press

pytestmark = pytest.mark.usefixtures("network")
ADAY = 86_400


def test_empty_list_says_what_puts_something_there(client: Client) -> None:
    html = page(client, "/clock")

    assert "Nothing falls due. An order, a reservation or a scan puts its next step here." in html
    assert "the real time" in html


def test_sandbox_time_is_on_every_page_with_how_far_it_is_ahead(client: Client) -> None:
    clock.move(seconds=31 * ADAY + 3600)

    for path in ("/", "/clock", "/messages", "/orders", "/network"):
        html = page(client, path)
        assert "31 d 1 h ahead" in html, path
        assert f"{clock.today():%Y}" in html
    missing = client.get("/jobs/nothing")
    assert missing.status_code == 404
    assert "31 d 1 h ahead" in missing.content.decode()


def test_what_falls_due_is_listed_in_plain_words_with_a_link(client: Client) -> None:
    order = samples.placed()

    html = client.get("/clock").content.decode()

    assert "Cancel the order: the buyer&#x27;s window ends" in html
    assert f'<a href="/orders/{order.seller_order_reference}">' in html
    assert "orders.time_out" not in html


def test_every_action_that_can_fall_due_has_a_text() -> None:
    for name in [*clock_page.LABELS, "orders.notify_late_provision"]:
        assert re.fullmatch(r"[A-Z][A-Za-z',: ]+", clock_page.label_of(name)), name


def test_clock_moves_by_a_step(client: Client) -> None:
    assert "The sandbox clock now shows" in press(client, "clock", next="/clock", advance_seconds="3600")
    assert clock.offset() == timedelta(hours=1)


def test_clock_moves_to_the_next_due_action_and_does_it(client: Client) -> None:
    order = samples.pending()

    press(client, "clock", to="next")
    press(client, "clock", to="next")

    assert samples.fresh(order).state == "acknowledged"


def test_clock_moves_to_an_instant_of_local_time(client: Client) -> None:
    day = samples.days_ahead(3)

    press(client, "clock", to="instant", instant=f"{day.isoformat()}T13:00")

    local = clock.now().astimezone(settings.LOCAL_ZONE)
    assert (local.date(), local.hour, local.minute) == (day, 13, 0)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"to": "next"}, "Nothing falls due."),
        ({"to": "instant", "instant": "2020-01-01T10:00"}, "only moves forward. Choose a later time."),
        ({"to": "instant", "instant": "soon"}, "Time: choose a day and a time"),
        ({"advance_seconds": "many"}, "advance_seconds: must be a whole number"),
    ],
)
def test_clock_that_cannot_move_says_why(client: Client, fields: dict[str, str], sentence: str) -> None:
    html = press(client, "clock", **fields)

    assert "Nothing was changed." in html
    assert sentence in html
    assert clock.offset() == timedelta()


def test_failing_action_is_shown_with_its_error(client: Client) -> None:
    due_actions.schedule("orders.commit", at=clock.now(), subject="SO-of-no-order")

    clock.move(seconds=1)

    html = page(client, "/clock")
    assert "Failed 1 time: DoesNotExist" in html
    assert "Failing actions 1" in html
    assert DueAction.objects.open().count() == 1
