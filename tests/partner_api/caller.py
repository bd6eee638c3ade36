"""A program of the partner's that reads the interface with a token."""

import json
from typing import Any

from django.test import Client

from engineers.models import Area
from partner_api import access_tokens
from partner_api.models import Scope

ALL_SCOPES = tuple(Scope.values)


class Caller:
    """Sends its token with each request."""

    def __init__(self, *scopes: str, areas: list[Area] | None = None) -> None:
        issued = access_tokens.issue(
            name="Data store", scopes=scopes or ALL_SCOPES, areas=areas or [], by=None
        )
        self.token, self.secret, self.client = issued.token, issued.secret, Client()

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(path, headers={"Authorization": f"Bearer {self.secret}", **headers})

    def read(self, path: str) -> dict[str, Any]:
        """The body of a good answer."""
        answer = self.get(path)
        assert answer.status_code == 200, answer.content
        return dict(json.loads(answer.content))


def follow(caller: Caller, path: str, member: str) -> list[dict[str, Any]]:
    """The rows of all pages."""
    rows: list[dict[str, Any]] = []
    address: str | None = path
    while address:
        page = caller.read(address.removeprefix("http://127.0.0.1:8000"))
        rows += page[member]
        address = page["next"]
    return rows
