"""Whatever stands on a page can be pressed by its reader: no form and no link leads where the role does not reach."""

import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import Resolver404, resolve

from engineers.models import Role
from tests import make
from tests.board.busy_day import BusyDay
from tests.board.test_links_everywhere import OWN_PAGES, PAGES
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db


class Targets(HTMLParser):
    """`targets`: (method, address) of every link, form and button with an address of its own."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.address, self.method, self.action, self.has_own_buttons = address, "get", "", False
        self.targets: set[tuple[str, str]] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        if tag == "form":
            self.method, self.action = values.get("method", "get").lower(), values.get("action", "")
            self.has_own_buttons = False
        if tag == "a":
            self._add("get", values.get("href", ""))
        if "formaction" in values:
            self.has_own_buttons = True
            self._add(self.method, values["formaction"])

    def handle_endtag(self, tag: str) -> None:
        if tag == "form" and not self.has_own_buttons:
            self._add(self.method, self.action)

    def _add(self, method: str, address: str) -> None:
        path = re.split(r"[?#]", unescape(address))[0] or self.address
        if path.startswith("/"):
            self.targets.add((method, path))


def dead_targets(client: Client, role: Role, address: str) -> Iterator[str]:
    page = client.get(address)
    if page.status_code == 403:
        return
    assert page.status_code == 200, address
    found = Targets(re.split(r"[?#]", address)[0])
    found.feed(page.content.decode())
    for method, path in sorted(found.targets):
        try:
            view = resolve(path).func
        except Resolver404:
            yield f"{address}: {path} is no address"
            continue
        marks = getattr(view, "changed_by" if method == "post" else "opened_by", "anybody")
        if "anybody" not in marks and role not in marks.split("+"):
            yield f"{address}: {method} {path}"


def addresses(day: BusyDay) -> list[str]:
    pages = [page if isinstance(page, str) else page(day) for page in PAGES.values()]
    return pages + [page(day)[0] for page in OWN_PAGES.values()]


@pytest.mark.parametrize("role", [Role.AUDITOR, Role.PLANNER, Role.DISPATCHER, Role.SENIOR_DISPATCHER])
def test_nothing_on_a_page_is_dead_for_its_reader(role: Role, day: BusyDay) -> None:
    pages = addresses(day)
    client = client_of(make.dispatcher(role=role))

    dead = [line for page in pages for line in dead_targets(client, role, page)]
    assert "\n".join(dead) == ""
