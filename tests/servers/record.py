"""A seller that offers its record of messages over HTTP, a line a page; or gives always the same answer."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit


class Offering(BaseHTTPRequestHandler):
    lines: ClassVar[list[dict[str, Any]]] = []
    answer: ClassVar[bytes] = b""

    def do_GET(self) -> None:
        since = int(parse_qs(urlsplit(self.path).query)["since"][0])
        page = {"lines": self.lines[since : since + 1], "more": since + 1 < len(self.lines)}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.answer or json.dumps(page).encode())

    def log_message(self, *_args: object) -> None:
        """Silent."""


@contextmanager
def offered(lines: list[dict[str, Any]], *, answer: bytes = b"") -> Iterator[str]:
    """Its address."""
    Offering.lines, Offering.answer = lines, answer
    with ThreadingHTTPServer(("127.0.0.1", 0), Offering) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/record"
        server.shutdown()
        thread.join()
