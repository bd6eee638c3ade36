"""What the operator does to its endpoints during a rehearsal, by seed, and whether it ever took effect."""

import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Lock

from cryptography import x509

from demo.environment import wait_until
from demo.ports import HERE
from demo.rehearsal.sandbox_client import LoggedMessage, SandboxClient

# below this a day has too few messages to meet everything
FEWEST_JOBS = 8
# ended with the next job after a message met it; a busy machine may send none for a while
MAINTENANCE_SECONDS = 30
RENEWED_WITHIN_SECONDS = 60
IN_MAINTENANCE, OVER_THE_LIMIT = 503, 429


@dataclass(frozen=True)
class InterruptionPlan:
    """After how many finished jobs each begins; one endpoint is in maintenance, the other one limited."""

    maintenance: int
    limit: int
    certificate: int
    in_maintenance: str
    limited: str
    per_minute: int


def plan_interruptions(jobs: int, *, seed: int) -> InterruptionPlan:
    """All in the first half of the day: what comes after them has to meet them."""
    chance = Random(seed)  # noqa: S311  # places, not keys
    quarter = max(2, jobs // 4)
    maintenance = chance.randint(1, quarter)
    in_maintenance, limited = chance.sample(["A", "B"], 2)
    return InterruptionPlan(
        maintenance=maintenance,
        limit=maintenance + chance.randint(2, quarter),
        certificate=chance.randint(1, 2 * quarter),
        in_maintenance=in_maintenance,
        limited=limited,
        per_minute=max(1, quarter // 2),
    )


def unmet_interruptions(
    plan: InterruptionPlan, passages: Sequence[LoggedMessage], *, changed_after: int | None
) -> list[str]:
    """What no message ever met, by the seller's log; `changed_after`: its last entry before the certificate changed."""
    found = []
    if not _is_refused(passages, IN_MAINTENANCE):
        found.append(
            f"endpoint {plan.in_maintenance} was in maintenance, and no message was refused with 503"
        )
    if not _is_refused(passages, OVER_THE_LIMIT):
        found.append(f"endpoint {plan.limited} had a rate limit, and no message was refused with 429")
    if changed_after is None:
        return [*found, "the seller's certificate never changed"]
    later = [passage.arrived for passage in passages if passage.number > changed_after and passage.counts]
    found += [
        f"no message {direction} the seller was accepted after its certificate changed"
        for arrived, direction in ((True, "to"), (False, "from"))
        if arrived not in later
    ]
    return found


def _is_refused(passages: Sequence[LoggedMessage], status: int) -> bool:
    """By the switch of an endpoint, not for what the message said."""
    return any(passage.arrived and passage.status == status and passage.switch for passage in passages)


def served_serial(host: str, port: int, *, certs: Path) -> int:
    """The serial number of the certificate that an endpoint of the demo presents. Raises OSError."""
    context = ssl.create_default_context(cafile=certs / "ca.pem")
    context.load_cert_chain(certs / "partner.pem", certs / "partner.key")
    connection = socket.create_connection((host, port), timeout=10)
    with context.wrap_socket(connection, server_hostname=host) as line:
        presented = line.getpeercert(binary_form=True) or b""
    return x509.load_der_x509_certificate(presented).serial_number


@dataclass
class Interruptions:
    """Begins each after so many finished jobs. `ports` are those of the seller's endpoints. For several threads."""

    seller: SandboxClient
    certs: Path
    ports: Sequence[int]
    jobs: int
    seed: int
    plan: InterruptionPlan = field(init=False)
    is_limited: bool = False
    changed_after: int | None = None
    lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self.plan = plan_interruptions(self.jobs, seed=self.seed)

    def begin(self, *, finished: int) -> None:
        """What is due after so many jobs. Both endpoints are never away for longer than a maintenance window."""
        if self.jobs < FEWEST_JOBS:
            return
        with self.lock:
            if finished >= self.plan.certificate and self.changed_after is None:
                self.changed_after = max((passage.number for passage in self.seller.message_log()), default=0)
                self.seller.change_certificate()
            if self.is_limited or finished < self.plan.maintenance:
                return
            passages = self.seller.message_log()
            if not _is_refused(passages, IN_MAINTENANCE):
                # again, if nobody came while the window was open
                self.seller.switch(self.plan.in_maintenance, "maintenance", seconds=MAINTENANCE_SECONDS)
                return
            self.seller.switch(self.plan.in_maintenance, "normal")
            if finished >= self.plan.limit:
                self._limit(has_refused=_is_refused(passages, OVER_THE_LIMIT))

    def _limit(self, *, has_refused: bool) -> None:
        """None at all until a message met it: on a busy machine too few are sent in a minute."""
        self.seller.switch(self.plan.limited, "limit", per_minute=self.plan.per_minute if has_refused else 0)
        self.is_limited = has_refused

    def end(self) -> None:
        for endpoint in ("A", "B"):
            self.seller.switch(endpoint, "normal")

    def findings(self, passages: Sequence[LoggedMessage]) -> list[str]:
        """What never took effect. While the seller still runs: its endpoints are asked for their certificate."""
        if self.jobs < FEWEST_JOBS:
            return []
        unmet = unmet_interruptions(self.plan, passages, changed_after=self.changed_after)
        return [*unmet, *(self._old_certificates() if self.changed_after is not None else [])]

    def _old_certificates(self) -> list[str]:
        following = _serial_of((self.certs / "seller-next.pem").read_bytes())
        wait_until(lambda: self._served() == {following}, seconds=RENEWED_WITHIN_SECONDS)
        served = {port: served_serial(HERE, port, certs=self.certs) for port in self.ports}
        return [
            f"the endpoint at port {port} does not present the seller's next certificate"
            for port, serial in served.items()
            if serial != following
        ]

    def _served(self) -> set[int]:
        return {served_serial(HERE, port, certs=self.certs) for port in self.ports}


def _serial_of(pem: bytes) -> int:
    return x509.load_pem_x509_certificate(pem).serial_number
