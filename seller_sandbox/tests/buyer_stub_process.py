"""The stub of the buyers as a process of its own, and how a test uses it."""

import json
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seller_sandbox import clock
from seller_sandbox.messages import worker
from seller_sandbox.messages.models import OutboundMessage
from seller_sandbox.network import buyers
from seller_sandbox.network.loading import load_network
from seller_sandbox.network.models import Buyer
from seller_sandbox.tests.environment import free_port
from seller_sandbox.tests.processes import Process, start, wait_for_port

JSON = "application/json"
# longer than an outbox waits between two attempts
LONG_ENOUGH_SECONDS = 61
MOST_MESSAGES = 60

Row = dict[str, Any]


@dataclass(frozen=True)
class Stub:
    """The running stub."""

    port: int
    reading_port: int
    file: Path
    process: Process

    def received(self, query: str = "") -> list[Row]:
        url = f"http://127.0.0.1:{self.reading_port}/notifications{query}"
        with urllib.request.urlopen(url) as answer:
            return json.load(answer)["notifications"]

    def post(self, path: str, body: Any, *, content_type: str = JSON) -> Row:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.reading_port}/{path}",
            data=json.dumps(body).encode(),
            headers={"Content-Type": content_type},
        )
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def prepare(self) -> None:
        """An empty stub that every buyer of a new network uses."""
        load_network(copies=1)
        for buyer in Buyer.objects.all():
            buyers.set_callback_urls(buyer, [f"https://127.0.0.1:{self.port}/{buyer.subject}"])
        self.post("forget", {})


def start_stub(folder: Path) -> Stub:
    port, reading_port, file = free_port(), free_port(), folder / "notifications.jsonl"
    ports = ("--port", str(port), "--reading-port", str(reading_port))
    process = start("serve_buyer", *ports, "--file", str(file), log=folder / "buyer.log")
    wait_for_port(port, process)
    wait_for_port(reading_port, process)
    return Stub(port, reading_port, file, process)


def send_all(kind: str) -> None:
    """Send what is due about orders or tickets; what must wait becomes due by moving the clock."""
    for _ in range(MOST_MESSAGES):
        if not OutboundMessage.objects.heads().filter(thread__kind=kind).exists():
            return
        clock.advance(seconds=LONG_ENOUGH_SECONDS)
        worker.work_once()


def kinds(rows: list[Row]) -> list[str]:
    return [row["kind"] for row in rows]
