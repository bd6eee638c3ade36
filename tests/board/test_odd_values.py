"""Whatever is typed, pasted or forged in an office form is taken or refused, never answered with a server error."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import resolve

from engineers.models import Role
from tests import make
from tests.board.busy_day import BusyDay
from tests.board.test_people import client_of
from tests.board.test_read_only import addresses

pytestmark = pytest.mark.django_db
FIELDS = {"input", "select", "textarea", "button"}
ENDS_THE_SESSION = "/logout/"


@dataclass
class Form:
    """`fields`: kind and own value by name; a kind is an input's type, or the tag."""

    method: str
    path: str
    fields: dict[str, tuple[str, str]] = field(default_factory=dict)


class Forms(HTMLParser):
    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = re.split(r"[?#]", address)[0]
        self.forms: list[Form] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        if tag == "form":
            path = re.split(r"[?#]", unescape(values.get("action", "")))[0] or self.address
            self.forms.append(Form(values.get("method", "get").lower(), path))
        if self.forms and tag in FIELDS and "name" in values:
            kind = values.get("type", "text") if tag == "input" else tag
            self.forms[-1].fields[values["name"]] = kind, values.get("value", "")


def without_end(_kind: str, _own: str) -> str:
    return "9" * 400


def outside_the_calendar(kind: str, own: str) -> str:
    days = {"date": "9999-12-31", "datetime-local": "0001-01-01T00:00", "time": "24:01", "number": "1e400"}
    return days.get(kind, own or "٣")


def no_text(kind: str, own: str) -> str:
    return own if kind in {"hidden", "select", "radio"} else "\0\u202e' OR 1=1 --"


def nothing(_kind: str, _own: str) -> str:
    return ""


def forms_of(client: Client, pages: list[str]) -> Iterator[Form]:
    """Each form once, on whatever page it stands."""
    seen: set[tuple[str, str]] = set()
    for page in pages:
        found = Forms(page)
        found.feed(client.get(page).content.decode())
        for form in found.forms:
            same = form.method, f"{resolve(form.path).view_name} {sorted(form.fields)}"
            if same not in seen and form.path != ENDS_THE_SESSION:
                seen.add(same)
                yield form


def test_no_form_ends_in_a_server_error(day: BusyDay) -> None:
    client = client_of(make.dispatcher(role=Role.SUPERVISOR))
    client.raise_request_exception = False
    forms = list(forms_of(client, addresses(day)))
    assert len(forms) > 30

    errors = []
    for form in forms:
        for oddly in (nothing, no_text, outside_the_calendar, without_end):
            values = {name: oddly(kind, own) for name, (kind, own) in form.fields.items()}
            answer = getattr(client, form.method)(form.path, values)
            if answer.status_code >= 500:
                errors.append(f"{form.method} {form.path} {oddly.__name__}: {answer.status_code}")
    assert "\n".join(errors) == ""
