"""A web server on this machine that keeps each POST, a partner's webhook or an SMS gateway, and answers badly when
asked to."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HANG, HALF, DROP, ENDLESS = "hang", "half", "drop", "endless"


@dataclass
class Receiver:
    """`got`: headers (by small letters) and body of each. The next answers come from `answers`: a status, or one of
    HANG (until the end of the test), HALF (of the body), DROP (the connection) and ENDLESS; then 204. What happens
    while the sender waits for an answer, each once, is in `during_calls`."""

    url: str = ""
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    answers: list[int | str] = field(default_factory=list)
    during_calls: list[Callable[[], object]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)


@contextmanager
def running() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
            if receiver.during_calls:
                receiver.during_calls.pop(0)()
            self._answer(receiver.answers.pop(0) if receiver.answers else 204)

        def _answer(self, answer: int | str) -> None:
            if answer == DROP:
                self.close_connection = True
                return
            if answer == HANG:
                receiver.ended.wait(60)
                return
            self.send_response(answer if isinstance(answer, int) else 200)
            self.send_header("Location", f"{receiver.url}/elsewhere")
            self.send_header("Content-Length", {HALF: "1000", ENDLESS: "100000000"}.get(str(answer), "2"))
            self.end_headers()
            self.wfile.write(b"ok" if answer != ENDLESS else b"x" * 100_000)

        def log_message(self, *_args: object) -> None:
            """Not on the test's screen."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver.url = f"http://127.0.0.1:{server.server_port}/hooks"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield receiver
        finally:
            # else a test that fails would never end
            receiver.ended.set()
            server.shutdown()
        thread.join()
