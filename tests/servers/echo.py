"""A web server behind a proxy that answers with what reached it."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Echo(BaseHTTPRequestHandler):
    """Says who it is, which headers it got, and how long the body was."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        got = len(self.rfile.read(length))
        port = self.server.server_address[1]
        answer = {"port": port, "headers": dict(self.headers.items()), "bytes": got}
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_args: object) -> None:
        """Not on the test's screen."""


class Echoing(ThreadingHTTPServer):
    request_queue_size = 200
    daemon_threads = True


@contextmanager
def echoing() -> Iterator[int]:
    server = Echoing(("127.0.0.1", 0), Echo)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join(10)
    server.server_close()
