"""Searches of the control interface that cannot be meant (README, Control interface)."""

import pytest
from django.test import Client

from seller_sandbox.tests.orders.control_client import get, open_control

pytestmark = pytest.mark.usefixtures("network")
control = pytest.fixture(open_control)
PATHS = ["orders", "notifications", "tickets", "ticket-notifications"]


@pytest.mark.parametrize("path", PATHS)
def test_no_rows_at_all_are_refused(control: Client, path: str) -> None:
    """Whoever asks again while there are more would never end. Issue 13, 5a."""
    refused = get(control, f"{path}?limit=0")

    assert (refused.status, refused.body["error"]) == (
        400,
        "limit: must be a whole number from 1; 200 rows come at most",
    )


@pytest.mark.parametrize("path", PATHS)
def test_unknown_buyer_is_refused_with_the_known_ones(control: Client, path: str) -> None:
    """Issue 13, 5a."""
    refused = get(control, f"{path}?buyer=foo")

    assert (refused.status, refused.body["error"]) == (400, "buyer: must be one of BUYERA, BUYERB, BUYERC")
