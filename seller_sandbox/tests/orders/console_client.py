"""Pages and buttons of the console as a person reads and presses them."""

import re

from django.test import Client

from seller_sandbox.orders.models import Order
from seller_sandbox.tests.orders import samples


def read(html: str) -> str:
    """The page's text, without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def page(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200, path
    return read(response.content.decode())


def press(client: Client, path: str, **fields: str) -> str:
    """The page that a button leads to."""
    response = client.post(f"/do/{path}", fields, follow=True)
    assert response.status_code == 200, path
    return read(response.content.decode())


def url(order: Order) -> str:
    return f"/orders/{order.seller_order_reference}"


def fill(client: Client, **fields: str | list[str]) -> str:
    """The page after the form for a new order was sent."""
    usual = {
        "buyer": "BUYERA",
        "uprn": samples.uprn(1),
        "kind": "alaNewInstall",
        "product": samples.LOCAL_160,
    }
    response = client.post("/do/orders", {**usual, **fields}, follow=True)
    assert response.status_code == 200
    return read(response.content.decode())
