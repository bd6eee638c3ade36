"""Asks an OSRM or Valhalla server how long drives take over roads: one request, its answer checked.

By libcurl, whose time limit covers everything from the name's look-up to a body that comes a byte at a time. Only the
planner's processes and the worker load this; a page never waits for another machine.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import pycurl

from dispatch.driving.travel import Coordinates
from engineers.input_values import parse_foreign_json
from monitoring.coded_texts import CodedText, coded_text, technical_reason

# a table of 100 by 100 drives is a tenth of it
MAX_ANSWER_BYTES = 4 * 1024 * 1024
LONGEST_DRIVE_SECONDS = 7 * 24 * 3600
LONGEST_DRIVE_METRES = 20_000_000
OK, BAD_REQUEST, TOO_MANY_REQUESTS = 200, 400, 429
REASON_LENGTH = 200
STOP = -1


class TravelServerUnavailable(Exception):
    """It did not answer, or not like a travel server; `reason` says how. `is_late`: not within our limit."""

    def __init__(self, reason: CodedText, *, is_late: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.is_late = reason, is_late


class TableRefused(Exception):
    """It answered that it cannot make this table: a position without a road, or too many positions."""

    def __init__(self, reason: CodedText) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class RoadTable:
    """`[start][end]`: seconds and metres over roads, None where there is no way or the server does not say."""

    seconds: list[list[int | None]]
    metres: list[list[int | None]]


class TravelServerClient:
    """One keep-alive connection of one thread."""

    def __init__(self, url: str, kind: str) -> None:
        self._url, self._protocol = url, PROTOCOLS[kind]
        self._curl = pycurl.Curl()

    def close(self) -> None:
        self._curl.close()

    def table(
        self, starts: Sequence[Coordinates], ends: Sequence[Coordinates], *, seconds: float
    ) -> RoadTable:
        """All drives from these starts to these ends, within so many seconds. Raises TravelServerUnavailable and
        TableRefused."""
        path, body = self._protocol.request(starts, ends)
        status, answer = self._call(self._url + path, body, seconds=seconds)
        if status == BAD_REQUEST:
            raise TableRefused(_reason(status, answer))
        if status != OK:
            raise TravelServerUnavailable(_reason(status, answer))
        content = _parsed(answer)
        try:
            return self._protocol.read(content, len(starts), len(ends))
        except (KeyError, TypeError, ValueError, IndexError) as problem:
            raise TravelServerUnavailable(coded_text("travel_answer_no_table")) from problem

    def _call(self, url: str, body: bytes | None, *, seconds: float) -> tuple[int, bytes]:
        received = bytearray()

        def receive(piece: bytes) -> int | None:
            received.extend(piece)
            return STOP if len(received) > MAX_ANSWER_BYTES else None

        curl = self._curl
        curl.reset()
        curl.setopt(pycurl.URL, url)
        curl.setopt(
            pycurl.HTTPHEADER, ["Accept: application/json", "Content-Type: application/json", "Expect:"]
        )
        curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
        curl.setopt(pycurl.PROXY, "")
        curl.setopt(pycurl.NOSIGNAL, 1)
        curl.setopt(pycurl.ENCODING, "")
        curl.setopt(pycurl.TIMEOUT_MS, max(1, round(seconds * 1000)))
        curl.setopt(pycurl.WRITEFUNCTION, receive)
        if body is not None:
            curl.setopt(pycurl.POSTFIELDS, body)
        try:
            curl.perform()
        except pycurl.error as problem:
            if len(received) > MAX_ANSWER_BYTES:
                raise TravelServerUnavailable(coded_text("travel_answer_too_large")) from problem
            is_late = problem.args[0] == pycurl.E_OPERATION_TIMEDOUT
            raise TravelServerUnavailable(
                coded_text("travel_late", seconds=seconds) if is_late else technical_reason(problem.args[1]),
                is_late=is_late,
            ) from problem
        return int(curl.getinfo(pycurl.RESPONSE_CODE)), bytes(received)


@dataclass(frozen=True)
class Protocol:
    """`request`: path and body (None for a GET) of the question for a table; `read`: the answer, which is not a table
    where it raises KeyError, TypeError, ValueError or IndexError."""

    request: Callable[[Sequence[Coordinates], Sequence[Coordinates]], tuple[str, bytes | None]]
    read: Callable[[Any, int, int], RoadTable]


def _osrm_request(starts: Sequence[Coordinates], ends: Sequence[Coordinates]) -> tuple[str, None]:
    positions = ";".join(f"{longitude:.4f},{latitude:.4f}" for latitude, longitude in [*starts, *ends])
    first = ";".join(map(str, range(len(starts))))
    second = ";".join(map(str, range(len(starts), len(starts) + len(ends))))
    options = f"sources={first}&destinations={second}&annotations=duration,distance"
    return f"/table/v1/driving/{positions}?{options}", None


def _read_osrm(content: Mapping[str, Any], rows: int, columns: int) -> RoadTable:
    """Servers before version 5.19 give no distances."""
    if content["code"] != "Ok":
        raise ValueError(content["code"])
    empty = [[None] * columns] * rows
    return RoadTable(
        _numbers(content["durations"], rows, columns, most=LONGEST_DRIVE_SECONDS),
        _numbers(content.get("distances") or empty, rows, columns, most=LONGEST_DRIVE_METRES),
    )


def _valhalla_request(starts: Sequence[Coordinates], ends: Sequence[Coordinates]) -> tuple[str, bytes]:
    def positions(some: Sequence[Coordinates]) -> list[dict[str, float]]:
        return [{"lat": round(latitude, 4), "lon": round(longitude, 4)} for latitude, longitude in some]

    question = {
        "sources": positions(starts),
        "targets": positions(ends),
        "costing": "auto",
        "units": "kilometers",
    }
    return "/sources_to_targets", json.dumps(question).encode()


def _read_valhalla(content: Mapping[str, Any], rows: int, columns: int) -> RoadTable:
    """Each drive says by its indices which it is."""
    found: dict[tuple[int, int], Mapping[str, Any]] = {
        (drive["from_index"], drive["to_index"]): drive
        for row in content["sources_to_targets"]
        for drive in row
    }
    seconds = [[found[row, column]["time"] for column in range(columns)] for row in range(rows)]
    kilometres = [[found[row, column].get("distance") for column in range(columns)] for row in range(rows)]
    metres = [[None if number is None else number * 1000 for number in row] for row in kilometres]
    return RoadTable(
        _numbers(seconds, rows, columns, most=LONGEST_DRIVE_SECONDS),
        _numbers(metres, rows, columns, most=LONGEST_DRIVE_METRES),
    )


PROTOCOLS: Mapping[str, Protocol] = {
    "osrm": Protocol(_osrm_request, _read_osrm),
    "valhalla": Protocol(_valhalla_request, _read_valhalla),
}


def _numbers(
    table: Sequence[Sequence[object]], rows: int, columns: int, *, most: int
) -> list[list[int | None]]:
    """Whole numbers from 0 to `most`, or None. Raises ValueError for any other table."""
    if len(table) != rows or any(len(row) != columns for row in table):
        raise ValueError("size")
    return [[None if number is None else _number(number, most=most) for number in row] for row in table]


def _number(number: object, *, most: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= most:
        raise ValueError(number)
    return round(number)


def _parsed(answer: bytes) -> Any:
    try:
        return json.loads(answer, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as problem:
        raise TravelServerUnavailable(coded_text("travel_answer_no_json")) from problem


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _reason(status: int, answer: bytes) -> CodedText:
    if status == TOO_MANY_REQUESTS:
        return coded_text("travel_too_many_requests")
    detail = _reason_given(answer)
    if not detail:
        return coded_text("http_status", status=status)
    is_refusal = status == BAD_REQUEST
    return (
        technical_reason(detail) if is_refusal else coded_text("travel_status", status=status, detail=detail)
    )


def _reason_given(answer: bytes) -> str:
    """What OSRM (`code`, `message`) or Valhalla (`error`) gives as a reason."""
    try:
        content = parse_foreign_json(answer)
    except ValueError:
        return ""
    if not isinstance(content, dict):
        return ""
    parts = [str(content[name]) for name in ("code", "message", "error") if content.get(name)]
    return ": ".join(parts)[:REASON_LENGTH]
