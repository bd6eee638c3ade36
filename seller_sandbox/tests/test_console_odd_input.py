"""What nobody types into the console or sends to its control interface on purpose is refused, and is no 500."""

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db
CONTROL = {"X-Sandbox-Control": "1"}


@pytest.mark.locks
@pytest.mark.parametrize(
    "path",
    [
        "orders?q=%00",
        "orders/%00",
        "orders/new?buyer=%00",
        "tickets?q=%00",
        "tickets/%00",
        "network/cabinets?q=%00",
        "network/lines?q=%00",
        "messages?job=%00",
        "jobs/%00",
        "api/lines/%00",
        "api/buyers/%00",
    ],
)
def test_address_with_a_nul_is_refused(client: Client, path: str) -> None:
    """PostgreSQL takes none: the page was a 500."""
    answer = client.get(f"/{path}")

    assert answer.status_code == 400
    assert "has a NUL character" in answer.content.decode()


@pytest.mark.locks
def test_form_with_a_nul_is_refused(client: Client) -> None:
    answer = client.post("/do/orders", {"buyer": "BUYER\0A"})

    assert answer.status_code == 400
    assert "has a NUL character" in answer.content.decode()


@pytest.mark.parametrize("content", ["[" * 100_000, '{"count":' * 5_000], ids=["lists", "objects"])
def test_control_request_without_a_bottom_is_refused(client: Client, content: str) -> None:
    answer = client.post("/api/jobs", content, content_type="application/json", headers=CONTROL)

    assert (answer.status_code, answer.json()["error"]) == (400, "the body is nested too deeply")


def test_number_that_nobody_can_count_to_is_refused(client: Client) -> None:
    entries = client.get(f"/api/message-log?since={'9' * 5_000}", headers=CONTROL)

    assert (entries.status_code, entries.json()["error"]) == (400, "since: must be the id of an entry")


def test_time_before_all_times_moves_no_clock(client: Client) -> None:
    answer = client.post("/do/clock", {"to": "instant", "instant": "0001-01-01T00:00+14:00"}, follow=True)

    assert "Nothing was changed. Time: choose a day and a time" in answer.content.decode()
