"""Dispatchers with an open board: each listens to the stream and now and then does something."""

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from http import HTTPStatus
from random import Random
from typing import Any
from urllib.parse import urlsplit

from demo.rehearsal.app_client import HttpSession

# of one dispatcher: finds somebody for a job, looks at a job, searches
ACTION_SECONDS = 30.0
HIGHEST_LINE = 2**23
SEARCHES = ("LS6", "chapel", "077009", "12 ch", "Numb", "J-")
REASON = "Agreed with the seller by telephone"
Timed = Callable[[str, Callable[[], Any]], Any]


@dataclass
class Board:
    """One dispatcher; `unassigned` are jobs that nobody has yet, shared by all of them."""

    browser: HttpSession
    timed: Timed
    unassigned: list[str]
    known: list[str]
    chance: Random
    lost: int = 0
    kinds: list[Callable[[], None]] = field(init=False)

    def __post_init__(self) -> None:
        self.kinds = [self._assign, self._look, self._search]

    def act(self) -> None:
        self.chance.choice(self.kinds)()

    def open(self) -> None:
        self.timed("board page", lambda: self.browser.get("/board/"))

    def _look(self) -> None:
        job_id = self.chance.choice(self.known)
        self.timed("board action", lambda: self.browser.get(f"/board/jobs/{job_id}/"))

    def _search(self) -> None:
        text = self.chance.choice(SEARCHES)
        self.timed("board action", lambda: self.browser.get(f"/board/search/suggestions?q={text}"))

    def _assign(self) -> None:
        """The best of those that the board suggests; another dispatcher may be first."""
        if not self.unassigned:
            return self._look()
        job_id = self.unassigned.pop()
        path = f"/board/jobs/{job_id}"
        answer = self.timed(
            "board action",
            lambda: self.browser.get(f"{path}/suggestions.json", accept="application/json"),
        )
        if answer.status != HTTPStatus.OK:
            return None
        found = answer.json()
        if found["suggestions"]:
            offer = found["suggestions"][0]
            fields = {name: offer[name] for name in ("engineer", "starts_at")}
            fields |= {"version": found["version"], "override_reason": REASON}
            self.timed(
                "board action",
                lambda: self.browser.submit(f"{path}/assign/", fields, accept="application/json"),
            )
        return None


async def listen(url: str, *, cookies: dict[str, str], trust: ssl.SSLContext, changes: list[int]) -> None:
    """The stream of one board until cancelled; counts the changes that it was told, connects again when it ends."""
    parts = urlsplit(url)
    cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
    query = f"day={date.today().isoformat()}&language=en-gb"  # noqa: DTZ011  # the site's day at any usual hour
    lines = (f"GET /board/stream?{query} HTTP/1.0", f"Host: {parts.netloc}", f"Cookie: {cookie}", "", "")
    while True:
        reader, writer = await asyncio.open_connection(
            parts.hostname, parts.port, ssl=trust, limit=HIGHEST_LINE
        )
        writer.write("\r\n".join(lines).encode())
        while line := await reader.readline():
            changes[0] += line.startswith(b"event: change")
        writer.close()
        await asyncio.sleep(1)
