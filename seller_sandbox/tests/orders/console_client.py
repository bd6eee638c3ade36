"""Pages and buttons of the console as a person reads and presses them."""

import re

from django.test import Client


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
