"""The drives of a plan as a travel server says: those that are stored, and, while there is time, those that are not.

Where it is not asked or does not answer, drives stay estimated. Positions are taken in groups of neighbours, and the
groups nearest to each other come first, since a plan drives to neighbours.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta

import numpy as np
import structlog
from django.conf import settings
from django.utils import timezone
from numpy.typing import NDArray

from dispatch.driving.drive_times import is_on_earth, pair_of_codes, position_code
from dispatch.driving.travel import Coordinates
from dispatch.models import RoadDrive, TravelNote
from dispatch.planning.engine.travel_matrix import RoadSeconds
from dispatch.planning.travel_server import (
    RoadTable,
    TableRefused,
    TravelServerClient,
    TravelServerUnavailable,
)
from dispatch.planning.travel_server_health import may_ask, record_answer, record_failure
from monitoring.coded_texts import CodedText

log = structlog.get_logger("dispatch.planning.road_drives")
# kept for a plan: all drives between 500 positions, and of more positions those between neighbours
MOST_DRIVES = 250_000
# of one request; a server that has not answered by then is away
REQUEST_SECONDS = 3.0
# keys of one query
KEYS_AT_ONCE = 5_000
ATTEMPTS = 2

Floats = NDArray[np.float64]


@dataclass
class RoadDrives:
    """`seconds`: None without a travel server. `note`: why drives are missing that it should have given."""

    seconds: RoadSeconds | None = None
    note: TravelNote | None = None


@dataclass
class _Fetching:
    """What is left of the time, and what came of it."""

    until: float
    client: TravelServerClient
    is_allowed: bool
    answered: int = 0
    refused: list[CodedText] = field(default_factory=list)
    failure: CodedText | None = None
    missing: int = 0


def read_road_drives(locations: Sequence[Coordinates | None], *, seconds: float) -> RoadDrives:
    """Between these locations; the server is asked for so many seconds at most, and not at all with 0."""
    server = settings.TRAVEL_SERVER
    if not server.url:
        return RoadDrives()
    positions, index = _distinct_positions(locations)
    table, codes = np.full((len(positions), len(positions)), np.nan), list(positions)
    with closing(TravelServerClient(server.url, server.kind)) as client:
        fetching = _Fetching(time.monotonic() + seconds, client, is_allowed=seconds > 0 and may_ask())
        for starts, ends in _blocks(list(positions.values()), most=max(server.locations // 2, 1)):
            table[np.ix_(starts, ends)] = _drives(
                {codes[start]: positions[codes[start]] for start in starts},
                {codes[end]: positions[codes[end]] for end in ends},
                fetching=fetching,
            )
    _record(fetching)
    return RoadDrives(_spread(table, index), _note(fetching))


def _distinct_positions(
    locations: Sequence[Coordinates | None],
) -> tuple[dict[str, Coordinates], NDArray[np.intp]]:
    """Each position once, by its code, and of each location the index of its position; -1 for one that is not known."""
    codes = [position_code(location) if location and is_on_earth(location) else "" for location in locations]
    positions = {
        code: location for code, location in sorted(zip(codes, locations, strict=True)) if code and location
    }
    numbers = {code: number for number, code in enumerate(positions)}
    return positions, np.array([numbers.get(code, -1) for code in codes], dtype=np.intp)


def _spread(table: Floats, index: NDArray[np.intp]) -> RoadSeconds:
    """From positions to locations."""
    padded = np.pad(table, ((0, 1), (0, 1)), constant_values=np.nan)
    return padded[np.ix_(index, index)]


def _blocks(positions: Sequence[Coordinates], *, most: int) -> Iterator[tuple[list[int], list[int]]]:
    """Groups of positions (indices) as starts and ends of a request, nearest ones first, at most MOST_DRIVES drives."""
    points = np.array(positions, dtype=np.float64).reshape(-1, 2)
    groups = _bisect(points, np.arange(len(positions)), most=most)
    centres = np.array([points[group].mean(axis=0) for group in groups]).reshape(-1, 2)
    # degrees of longitude are shorter than those of latitude
    centres[:, 1] *= np.cos(np.radians(centres[:, 0]))
    apart = ((centres[:, None] - centres[None]) ** 2).sum(axis=2)
    drives = 0
    for number in np.argsort(apart, axis=None, kind="stable"):
        first, second = divmod(int(number), len(groups))
        drives += len(groups[first]) * len(groups[second])
        if drives > MOST_DRIVES:
            return
        yield groups[first].tolist(), groups[second].tolist()


def _bisect(points: Floats, numbers: NDArray[np.intp], *, most: int) -> list[NDArray[np.intp]]:
    """Halves of halves, cut across the longer side."""
    if len(numbers) <= most:
        return [numbers] if len(numbers) else []
    own = points[numbers]
    axis = int(np.ptp(own, axis=0).argmax())
    order = numbers[np.argsort(own[:, axis], kind="stable")]
    half = len(order) // 2
    return [*_bisect(points, order[:half], most=most), *_bisect(points, order[half:], most=most)]


def _drives(
    starts: Mapping[str, Coordinates], ends: Mapping[str, Coordinates], *, fetching: _Fetching
) -> list[list[float]]:
    """From what is stored, or else from the server, which is then stored."""
    codes = [[pair_of_codes(start, end) for end in ends] for start in starts]
    stored = _stored([code for row in codes for code in row])
    if len(stored) < len(starts) * len(ends):
        found = _ask(fetching, list(starts.values()), list(ends.values()))
        if found:
            stored = _store(codes, found)
        else:
            fetching.missing += 1
    return [[_or_nan(stored.get(code)) for code in row] for row in codes]


def _or_nan(seconds: int | None) -> float:
    return np.nan if seconds is None else seconds


def _stored(codes: Sequence[str]) -> dict[str, int | None]:
    """Those that are not due to be asked for again."""
    since = timezone.now() - timedelta(days=settings.TRAVEL_KEPT_DAYS)
    found: dict[str, int | None] = {}
    for first in range(0, len(codes), KEYS_AT_ONCE):
        rows = RoadDrive.objects.filter(pair__in=codes[first : first + KEYS_AT_ONCE], fetched_at__gte=since)
        found |= dict(rows.values_list("pair", "seconds"))
    return found


def _store(codes: Sequence[Sequence[str]], found: RoadTable) -> dict[str, int | None]:
    """In one statement: the database's writer is held shortly."""
    now = timezone.now()
    drives = {
        code: RoadDrive(pair=code, seconds=seconds, metres=metres, fetched_at=now)
        for row in zip(codes, found.seconds, found.metres, strict=True)
        for code, seconds, metres in zip(*row, strict=True)
    }
    RoadDrive.objects.bulk_create(
        drives.values(),
        update_conflicts=True,
        unique_fields=["pair"],
        update_fields=["seconds", "metres", "fetched_at"],
    )
    return {code: drive.seconds for code, drive in drives.items()}


def _ask(fetching: _Fetching, starts: Sequence[Coordinates], ends: Sequence[Coordinates]) -> RoadTable | None:
    """None when there is no time left, it refuses these positions, or it is away: then it is asked no more."""
    for attempt in range(ATTEMPTS):
        limit = min(fetching.until - time.monotonic(), REQUEST_SECONDS)
        if not fetching.is_allowed or limit <= 0:
            return None
        try:
            found = fetching.client.table(starts, ends, seconds=limit)
        except TableRefused as refused:
            fetching.refused.append(refused.reason)
            return None
        except TravelServerUnavailable as problem:
            is_last = problem.is_late or attempt == ATTEMPTS - 1
            fetching.is_allowed = not is_last
            # a request that the end of our own time cut short says nothing about the server
            if is_last and (not problem.is_late or limit >= _shortest_wait()):
                fetching.failure = problem.reason
        else:
            fetching.answered += 1
            return found
    return None


def _shortest_wait() -> float:
    """Whoever does not answer within it is away."""
    return min(REQUEST_SECONDS, settings.TRAVEL_SERVER.seconds * 0.9)


def _record(fetching: _Fetching) -> None:
    """A server that refuses every table is not the one that we take it for."""
    if fetching.refused:
        log.warning(
            "travel table refused", times=len(fetching.refused), reason=fetching.refused[0].log_text()
        )
    if fetching.failure or (fetching.refused and not fetching.answered):
        record_failure(fetching.failure or fetching.refused[0])
    elif fetching.answered:
        record_answer()


def _note(fetching: _Fetching) -> TravelNote | None:
    if not fetching.missing:
        return None
    return TravelNote.UNREACHABLE if fetching.failure or not may_ask() else TravelNote.INCOMPLETE
