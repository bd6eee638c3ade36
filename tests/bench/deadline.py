"""How much longer than its deadline a message may keep the relay busy, for each way in which a seller is stuck."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from time import monotonic

from django.test import override_settings

from seller_link import relay
from seller_link.circuit_breaker import CircuitBreaker
from seller_link.client import RetryLater, SellerClient
from seller_link.outbox_queue import Claim
from tests.bench.rows import Row
from tests.bench.stuck import NEVER_READS, STUCK
from tests.servers.certificates import Authority

DEADLINE_SECONDS = 1.5
AT_ONCE, ROUNDS = 4, 2
GOAL_SECONDS = 0.2
LEASE_SECONDS = 60
# for a seller that never reads: more than the buffers between two processes hold, so that sending waits
LARGE, COMMON = "x" * 8_000_000, "x" * 600


def measure(folder: Path, *, rounds: int = ROUNDS) -> list[Row]:
    """Both endpoints are stuck in the same way; four messages at a time, as the relay sends them."""
    authority = Authority(folder / "certs")
    ours = authority.issue("partner")
    forms = {
        "SELLER_CA": authority.ca,
        "SELLER_CLIENT_CERT": ours.certificate,
        "SELLER_CLIENT_KEY": ours.key,
        "SELLER_DEADLINE_SECONDS": DEADLINE_SECONDS,
    }
    with override_settings(**forms):
        worst = {name: _worst(name, authority, rounds) for name in STUCK}
    longest = max(worst.values())
    return [
        Row(
            name="deadline_overshoot",
            value=round(longest, 3),
            unit=f"s over {DEADLINE_SECONDS:g} s, the worst of {AT_ONCE * rounds} messages a way",
            compared_with=", ".join(f"{name} {seconds:.3f}" for name, seconds in worst.items()),
            ratio=None,
            goal=f"at most {GOAL_SECONDS:g} s whatever the seller does",
            is_within_limit=longest <= GOAL_SECONDS,
        )
    ]


def _worst(name: str, authority: Authority, rounds: int) -> float:
    remark = LARGE if name == NEVER_READS else COMMON
    with ExitStack() as stack, ThreadPoolExecutor(AT_ONCE) as workers:
        both = [stack.enter_context(STUCK[name](authority)) for _ in range(2)]
        return max(workers.map(lambda _number: _overshoot(both, remark), range(AT_ONCE * rounds)))


def _overshoot(endpoints: list[str], remark: str) -> float:
    """One message on fresh lines and well circuits."""
    body = {"messageId": str(uuid.uuid4()), "remark": remark}
    claimed = Claim(0, 1, 0, "notifyJob", "", body, "J", monotonic() + LEASE_SECONDS)
    client, started = SellerClient(), monotonic()
    delivery = relay.deliver(claimed, client=client, circuit_breaker=CircuitBreaker(endpoints))
    seconds = monotonic() - started
    client.close()
    if not isinstance(delivery.outcome, RetryLater) or len(delivery.attempts) != len(endpoints):
        raise TypeError(f"not both stuck endpoints were tried to their end: {delivery}")
    return seconds - DEADLINE_SECONDS
