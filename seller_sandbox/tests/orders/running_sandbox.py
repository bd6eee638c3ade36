"""The whole sandbox as processes: an endpoint, worker and console, and stubs of the buyers and the partner."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from seller_sandbox.network import buyers
from seller_sandbox.network.loading import load_network
from seller_sandbox.network.models import Buyer
from seller_sandbox.tests import environment
from seller_sandbox.tests.environment import free_port
from seller_sandbox.tests.processes import Process, start, wait_for_port


@dataclass(frozen=True)
class RunningSandbox:
    """Where it is."""

    folder: Path
    endpoint: str
    console: str
    notifications: str


@contextmanager
def running_sandbox(folder: Path, *, copies: int = 2) -> Iterator[RunningSandbox]:
    """On the tests' database, with so many premises of each situation; ends all processes."""
    ports = {name: free_port() for name in ("endpoint", "console", "buyers", "notifications")}
    load_network(copies=copies)
    for buyer in Buyer.objects.all():
        buyers.set_callback_urls(buyer, [f"https://127.0.0.1:{ports['buyers']}/{buyer.subject}"])
    processes: list[Process] = []
    try:
        for name, command in _commands(ports).items():
            processes.append(start(*command, log=folder / f"running-{name}.log"))
        for port, process in zip(ports.values(), processes, strict=False):
            wait_for_port(port, process)
        yield RunningSandbox(
            folder=folder,
            endpoint=f"https://127.0.0.1:{ports['endpoint']}",
            console=f"http://127.0.0.1:{ports['console']}",
            notifications=f"http://127.0.0.1:{ports['notifications']}",
        )
    finally:
        for process in reversed(processes):
            process.stop()


def _commands(ports: dict[str, int]) -> dict[str, tuple[str, ...]]:
    """By the name of the log, in the order of the ports."""
    reading = ("--reading-port", str(ports["notifications"]))
    return {
        "endpoint": ("serve_endpoint", "--name", "A", "--port", str(ports["endpoint"])),
        "console": ("serve_console", "--port", str(ports["console"])),
        "buyers": ("serve_buyer", "--port", str(ports["buyers"]), *reading),
        "worker": ("work",),
        "partner": ("serve_partner", "--port", str(environment.PARTNER_PORT)),
    }
