"""`python -m tests.bench.board_changes PORT BOARDS CHANGES`: open boards, and changes.

Prints JSON: `milliseconds` from the end of each change's transaction to its new row at each board, ascending;
`reconnected` seconds until every board had the truth after the stream was away. A process of its own, which starts and
ends the stream's.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from board.stream.asgi import MOST_BOARDS_OF_ONE, PATH, RECONNECT_MILLISECONDS  # noqa: E402
from demo.environment import wait_until  # noqa: E402
from demo.ports import is_listening  # noqa: E402
from dispatch import visits  # noqa: E402
from dispatch.models import Visit  # noqa: E402
from monitoring.processes import end_with_parent  # noqa: E402
from tests import make  # noqa: E402
from tests.bench.board_day import cookie_of  # noqa: E402

SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.4, 0.9
# where the last visit of a row is moved to and back
STARTS = ("16:45", "15:30")
HIGHEST_LINE = 2**23


@dataclass
class Board:
    """One connection; `changes` has the moment at which each line of a change was here."""

    changes: list[tuple[float, bytes]] = field(default_factory=list)
    greeting: bytes = b""

    async def listen(self, port: int, cookie: str) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=HIGHEST_LINE)
        query = f"day={make.DAY.isoformat()}&language=en-gb"
        # 1.0: the body comes as it is, not in chunks
        lines = (f"GET {PATH}?{query} HTTP/1.0", "Host: 127.0.0.1", f"Cookie: {cookie}", "", "")
        writer.write("\r\n".join(lines).encode())
        event = b""
        while line := await reader.readline():
            if line.startswith(b"event: "):
                event = line.strip()
            elif line.startswith(b"data: ") and event == b"event: change":
                self.changes.append((time.monotonic(), line))
            elif line.startswith(b"data: ") and event == b"event: hello":
                self.greeting = line
        writer.close()


def start_stream(port: int) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "manage.py", "board_stream", "--port", str(port)]
    process = subprocess.Popen(command, preexec_fn=end_with_parent(os.getpid()))  # noqa: PLW1509
    assert wait_until(lambda: is_listening(port), seconds=60)
    return process


def sign_in_dispatchers(number_of_boards: int) -> list[str]:
    """A cookie for each board: so many people that none has more boards open than may be."""
    numbers = range(0, number_of_boards, MOST_BOARDS_OF_ONE)
    people = [make.dispatcher(username=f"board{number}") for number in numbers]
    cookies = ["{name}={value}".format(**cookie_of(person)) for person in people]
    return [cookies[number // MOST_BOARDS_OF_ONE] for number in range(number_of_boards)]


def last_visit() -> Visit:
    found = Visit.objects.select_related("job", "engineer").order_by("-planned_start", "pk").first()
    assert found
    return found


def move(visit: Visit, number: int) -> tuple[float, float]:
    """One visit to its other time; before, and when its transaction had ended."""
    before, starts_at = time.monotonic(), make.at(STARTS[number % len(STARTS)])
    visits.assign(job=visit.job, engineer=visit.engineer, starts_at=starts_at, by=make.office())
    return before, time.monotonic()


async def measure(port: int, changes: int, cookies: Sequence[str]) -> list[float]:
    """Milliseconds, one for each board and change."""
    boards = [Board() for _ in cookies]
    listening = [
        asyncio.create_task(board.listen(port, cookie)) for board, cookie in zip(boards, cookies, strict=True)
    ]
    await until(lambda: all(board.greeting for board in boards))
    visit = await asyncio.to_thread(last_visit)
    card = f"card-{visit.job.provider_job_id}".encode()
    moves = []
    for number in range(changes):
        await asyncio.sleep(random.uniform(SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS))
        moves.append(await asyncio.to_thread(move, visit, number))
    await until(lambda: all(max(arrivals(board, card), default=0) > moves[-1][0] for board in boards))
    for task in listening:
        task.cancel()
    return sorted(
        max(0, min(at for at in arrivals(board, card) if at > before) - ended) * 1000
        for board in boards
        for before, ended in moves
    )


def arrivals(board: Board, card: bytes) -> list[float]:
    return [at for at, line in board.changes if card in line]


async def reconnect(port: int, cookies: Sequence[str]) -> float:
    """From the stream's return until every board has been told the version, after the pause of a browser."""
    boards = [Board() for _ in cookies]
    started = time.monotonic()
    listening = [
        asyncio.create_task(board.listen(port, cookie)) for board, cookie in zip(boards, cookies, strict=True)
    ]
    await until(lambda: all(board.greeting for board in boards))
    took = time.monotonic() - started
    for task in listening:
        task.cancel()
    return took + RECONNECT_MILLISECONDS / 1000


async def until(condition: Callable[[], bool], *, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


def main() -> None:
    port, boards, changes = map(int, sys.argv[1:4])
    cookies = sign_in_dispatchers(boards)
    stream = start_stream(port)
    try:
        milliseconds = asyncio.run(measure(port, changes, cookies))
        stream.terminate()
        stream.wait(timeout=30)
        stream = start_stream(port)
        reconnected = asyncio.run(reconnect(port, cookies))
    finally:
        stream.terminate()
        stream.wait(timeout=30)
    sys.stdout.write(json.dumps({"milliseconds": milliseconds, "reconnected": reconnected}) + "\n")


if __name__ == "__main__":
    main()
