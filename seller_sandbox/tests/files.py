"""A partner's file server as small as can be: gives bytes by path, fails as instructed."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

JPEG = b"\xff\xd8\xff\xe0" + b"picture" * 20


@dataclass(frozen=True)
class Served:
    """One answer to a GET."""

    content: bytes = JPEG
    status: int = 200
    media_type: str = "image/jpeg"
    disposition: str = ""
    claimed_length: int | None = None


@dataclass
class FileServer:
    """`files` by path; a path that is not there answers 404. `failures` are 503 answers before the file."""

    base: str
    files: dict[str, Served] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)

    def put(self, path: str, **members: Any) -> str:
        self.files[path] = Served(**members)
        return self.base + path


class FileHandler(BaseHTTPRequestHandler):
    server_of_files: FileServer

    def do_GET(self) -> None:
        store, path = self.server_of_files, self.path.partition("?")[0]
        if store.failures[path]:
            store.failures[path] -= 1
            self._give(Served(b"", status=503))
            return
        self._give(store.files.get(path, Served(b"", status=404)))

    def _give(self, served: Served) -> None:
        self.send_response(served.status)
        self.send_header("Content-Type", served.media_type)
        length = len(served.content) if served.claimed_length is None else served.claimed_length
        self.send_header("Content-Length", str(length))
        if served.disposition:
            self.send_header("Content-Disposition", served.disposition)
        self.end_headers()
        self.wfile.write(served.content)

    def log_message(self, *_: Any) -> None:
        return


@contextmanager
def file_server() -> Iterator[FileServer]:
    handler = type("BoundHandler", (FileHandler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    handler.server_of_files = FileServer(f"http://127.0.0.1:{server.server_port}")
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield handler.server_of_files
    finally:
        server.shutdown()
        server.server_close()


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
