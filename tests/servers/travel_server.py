"""A real HTTP server that answers like OSRM and like Valhalla, well or badly."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from dispatch.driving.drive_times import position_code
from dispatch.driving.travel import Coordinates, distance_metres

# of the straight line, so that every drive differs from the estimate
METRES_PER_SECOND = 5.0


@dataclass
class Roads:
    """`fault`: how it answers; empty for well. `unreachable`: codes of positions without a road. `asked`: starts and
    ends of each table."""

    url: str = ""
    fault: str = ""
    most_locations: int = 100
    unreachable: set[str] = field(default_factory=set)
    asked: list[tuple[int, int]] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def seconds(self, start: Coordinates, end: Coordinates) -> float | None:
        if {position_code(start), position_code(end)} & self.unreachable:
            return None
        return distance_metres(start, end) / METRES_PER_SECOND


def _osrm_answer(roads: Roads, path: str) -> tuple[int, dict[str, Any]]:
    parts = urlsplit(path)
    positions = [
        (float(position.split(",")[1]), float(position.split(",")[0]))
        for position in parts.path.removeprefix("/table/v1/driving/").split(";")
    ]
    query = parse_qs(parts.query)
    starts, ends = (
        [positions[int(n)] for n in query[name][0].split(";")] for name in ("sources", "destinations")
    )
    roads.asked.append((len(starts), len(ends)))
    if len(positions) > roads.most_locations:
        return 400, {"code": "TooBig", "message": "Too many table coordinates"}
    seconds = [[roads.seconds(start, end) for end in ends] for start in starts]
    metres = [[None if value is None else value * METRES_PER_SECOND for value in row] for row in seconds]
    return 200, {"code": "Ok", "durations": seconds, "distances": metres, "sources": [], "destinations": []}


def _valhalla_answer(roads: Roads, question: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    starts, ends = ([(p["lat"], p["lon"]) for p in question[name]] for name in ("sources", "targets"))
    roads.asked.append((len(starts), len(ends)))
    if len(starts) * len(ends) > (roads.most_locations // 2) ** 2:
        text = "Exceeded max locations"
        return 400, {"error_code": 150, "error": text, "status_code": 400, "status": "Bad Request"}

    def drive(row: int, column: int) -> dict[str, Any]:
        seconds = roads.seconds(starts[row], ends[column])
        kilometres = None if seconds is None else seconds * METRES_PER_SECOND / 1000
        return {"from_index": row, "to_index": column, "time": seconds, "distance": kilometres}

    table = [[drive(row, column) for column in range(len(ends))] for row in range(len(starts))]
    return 200, {"sources_to_targets": table, "units": "kilometers", "algorithm": "costmatrix"}


STATUS_FAULTS = {"too many requests": 429, "broken": 500, "not found": 404, "refused": 400, "unstorable": 400}
BODY_FAULTS: dict[str, bytes] = {
    "garbage": b"<html>It works!</html>",
    "deep": b"[" * 100_000,
    "no table": b'{"code": "Ok"}',
    "small table": b'{"code": "Ok", "durations": [[1.0]], "sources_to_targets": [[]]}',
    "words": b'{"code": "Ok", "durations": "soon", "sources_to_targets": "soon"}',
    "not a number": b'{"code": "Ok", "durations": [[NaN]], "sources_to_targets": [[NaN]]}',
    "a list": b"[]",
    "endless": b'{"code": "Ok", "durations": [' + b"[0.0]," * 1_000_000,
}


def _handler_of(roads: Roads) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(*_osrm_answer(roads, self.path))

        def do_POST(self) -> None:
            assert self.path == "/sources_to_targets"
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._answer(*_valhalla_answer(roads, question))

        def _answer(self, status: int, content: dict[str, Any]) -> None:
            body = BODY_FAULTS.get(roads.fault, json.dumps(content).encode())
            if roads.fault in STATUS_FAULTS:
                status, body = STATUS_FAULTS[roads.fault], b'{"code": "NoSegment", "error": "No road"}'
            if roads.fault == "unstorable":
                body = b'{"code": "NoSegment", "error": "No \\u0000 road \\ud83d"}'
            if roads.fault == "negative":
                body = body.replace(b'"durations": [[0.0', b'"durations": [[-5.0').replace(
                    b'"time": 0.0', b'"time": -5.0'
                )
            if roads.fault == "silent":
                roads.stopped.wait(20)
                return
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self._write(body)

        def _write(self, body: bytes) -> None:
            if roads.fault == "half":
                self.wfile.write(body[: len(body) // 2])
                self.close_connection = True
            elif roads.fault == "slow":
                for byte in body:
                    if roads.stopped.is_set():
                        return
                    self.wfile.write(bytes([byte]))
                    time.sleep(0.1)
            else:
                self.wfile.write(body)

        def log_message(self, *_args: object) -> None:
            """Quiet."""

    return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_args: object) -> None:
        """A client that hangs up is what some tests are about."""


@contextmanager
def running() -> Iterator[Roads]:
    roads = Roads()
    server = _Server(("127.0.0.1", 0), _handler_of(roads))
    roads.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=[0.05], daemon=True).start()
    yield roads
    roads.stopped.set()
    server.shutdown()
    server.server_close()
