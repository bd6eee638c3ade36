"""The ports of a demo: which there are, which are free, and what listens on them."""

import socket
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from itertools import islice
from random import SystemRandom

from config.environment import env_int

HERE = "127.0.0.1"
# a connection gets its own end from there (Linux; other systems begin higher)
LOWEST_FREE_PORT, CHOSEN_BY_KERNEL = 15_000, 32_768
# open as long as this process lives
RESERVATIONS: list[socket.socket] = []


@dataclass(frozen=True)
class Ports:
    people: int
    board_stream: int
    seller_server: int
    sandbox_a: int
    sandbox_b: int
    console: int
    buyers: int
    notifications: int

    def named(self) -> dict[str, int]:
        return asdict(self)


PORT_NAMES = [field.name for field in fields(Ports)]
SANDBOX_PORTS = {"sandbox_a", "sandbox_b", "console"}
BUYER_PORTS = {"buyers", "notifications"}
PORT_DESCRIPTIONS = {
    "people": "board and phone",
    "board_stream": "live stream of the board",
    "seller_server": "the seller server",
    "sandbox_a": "sandbox seller, endpoint A",
    "sandbox_b": "sandbox seller, endpoint B",
    "console": "sandbox seller, console",
    "buyers": "stub of the buyers",
    "notifications": "what the buyers received",
}


def ports_from_environment() -> Ports:
    return Ports(
        people=env_int("DEMO_PEOPLE_PORT", 8000, lowest=1, highest=65535),
        board_stream=env_int("DEMO_BOARD_STREAM_PORT", 8002, lowest=1, highest=65535),
        seller_server=env_int("DEMO_SELLER_SERVER_PORT", 8443, lowest=1, highest=65535),
        sandbox_a=env_int("DEMO_SANDBOX_A_PORT", 9443, lowest=1, highest=65535),
        sandbox_b=env_int("DEMO_SANDBOX_B_PORT", 9444, lowest=1, highest=65535),
        console=env_int("DEMO_CONSOLE_PORT", 9000, lowest=1, highest=65535),
        buyers=env_int("DEMO_BUYERS_PORT", 9601, lowest=1, highest=65535),
        notifications=env_int("DEMO_NOTIFICATIONS_PORT", 9602, lowest=1, highest=65535),
    )


def free_ports() -> Ports:
    """Ports that nobody uses and no other rehearsal or test has chosen, as long as this process lives."""
    return Ports(*islice(_free_ports(), len(PORT_NAMES)))


def free_port() -> int:
    """One of them."""
    return next(_free_ports())


def _free_ports() -> Iterator[int]:
    """Never those of `CHOSEN_BY_KERNEL`, of which a connection of anybody may take one before its server starts or
    while it starts anew."""
    return filter(reserve_port, SystemRandom().sample(range(LOWEST_FREE_PORT, CHOSEN_BY_KERNEL), 200))


def reserve_port(port: int) -> bool:
    """Whether it is ours from now on. Its server may start much later: until then its UDP side, which nobody uses,
    says to the others that it is chosen."""
    if is_taken(port):
        return False
    reservation = socket.socket(type=socket.SOCK_DGRAM)
    try:
        reservation.bind((HERE, port))
    except OSError:
        reservation.close()
        return False
    RESERVATIONS.append(reservation)
    return True


def is_taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HERE, port))
        except OSError:
            return True
    return False


def is_listening(port: int) -> bool:
    try:
        socket.create_connection((HERE, port), timeout=1).close()
    except OSError:
        return False
    return True


def describe(names: Iterable[str], ports: Ports) -> str:
    """`8000 (board and phone)` for each of these."""
    named = ports.named()
    return ", ".join(f"{named[name]} ({PORT_DESCRIPTIONS[name]})" for name in names)
