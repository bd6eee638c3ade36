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
def running_sandbox(folder: Path, *, with_partner: bool = True) -> Iterator[RunningSandbox]:
    """On the tests' database, which has the fixed premises then; ends all processes."""
    ports = {name: free_port() for name in ("endpoint", "console", "buyers", "notifications")}
    load_network(copies=2)
    for buyer in Buyer.objects.all():
        buyers.set_callback_urls(buyer, [f"https://127.0.0.1:{ports['buyers']}/{buyer.subject}"])
    processes: list[Process] = []
    try:
        for name, command in _commands(ports, with_partner=with_partner).items():
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


def _commands(ports: dict[str, int], *, with_partner: bool) -> dict[str, tuple[str, ...]]:
    """By the name of the log; the ports' own order first."""
    reading = ("--reading-port", str(ports["notifications"]))
    commands = {
        "endpoint": ("serve_endpoint", "--name", "A", "--port", str(ports["endpoint"])),
        "console": ("serve_console", "--port", str(ports["console"])),
        "buyers": ("serve_buyer", "--port", str(ports["buyers"]), *reading),
        "worker": ("work",),
    }
    if with_partner:
        commands["partner"] = ("serve_partner", "--port", str(environment.PARTNER_PORT))
    return commands
