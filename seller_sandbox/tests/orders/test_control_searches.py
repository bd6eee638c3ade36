"""Searches of the control interface that cannot be meant (README, Control interface)."""

from collections.abc import Callable

import pytest
from django.test import Client

from seller_sandbox.network import services
from seller_sandbox.orders.models import Order
from seller_sandbox.tests.orders import samples
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


def cease() -> Order:
    """It names a service, and no premises."""
    service = services.find_live(samples.locations.find(samples.uprn(20)))
    return samples.placed(
        kind="alaCease",
        uprn="",
        product_name="",
        service_identifier=service.service_identifier,
        requested_date=samples.days_ahead(40),
    )


def install_with_zeros() -> Order:
    return samples.placed(uprn=f"000{samples.uprn(20)}", product_name=samples.LOCAL_1000)


@pytest.mark.parametrize("make_order", [cease, install_with_zeros])
def test_orders_are_found_by_their_premises(control: Client, make_order: Callable[[], Order]) -> None:
    """Issue 13, 5a: also by the UPRN of a service that is ceased, and with zeros before it."""
    uprn, order = samples.uprn(20), make_order()

    for wanted in (uprn, f"00{uprn}"):
        found = get(control, f"orders?uprn={wanted}").body["orders"]
        assert [(row["sellerOrderReference"], row["uprn"]) for row in found] == [
            (order.seller_order_reference, uprn)
        ]


def test_premises_that_are_not_known_are_reported_as_they_were_sent(control: Client) -> None:
    """Errors: UPRN not numeric."""
    samples.placed(uprn="none")

    (row,) = get(control, "orders?uprn=none").body["orders"]
    assert row["uprn"] == "none"
