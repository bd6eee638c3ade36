"""A seller that fails, lies, flaps and rotates: the same messages in the end, in the same order."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import trustme

from demo.development_ca import issue, make_authority
from engineers.models import User
from seller_link import outbox
from seller_link.models import OutboundMessage, OutboundState
from tests.faults import load, questions
from tests.faults.fault_system import FaultSystem, until
from tests.faults.scenario import Scenario, ScenarioResult
from tests.faults.seller import ACCEPTS, MANNERS, Endpoint, Manner, now_and_then
from tests.servers import seller as answers

# always so at both endpoints would be no test of the order: a share of the messages meets the lie
SHARE = 0.3
REFUSED = Manner(
    "refuses for good",
    acts=False,
    behave=answers.reply("400 Bad", b'{"fault": {"faultcode": "x", "faultmessage": "no", "detail": []}}'),
)


def _play(system: FaultSystem, *, jobs: int, description: str) -> ScenarioResult:
    """Work, deliver, ask."""
    system.start("relay")
    sent = load.work_day(load.jobs_here(jobs))
    questions.wait_until_drained(system)
    copies = questions.extra_copies(system.record)
    return ScenarioResult(questions.differences(system), f"{sent} messages, {description}, {copies} copies")


def lies(system: FaultSystem, *, name: str) -> ScenarioResult:
    for endpoint in system.endpoints:
        endpoint.choose = now_and_then(system.chance, [name], share=SHARE)
    return _play(system, jobs=system.few(6, 50), description=MANNERS[name].name)


def everything_at_once(system: FaultSystem) -> ScenarioResult:
    names = [name for name in MANNERS if name != "well"]
    for endpoint in system.endpoints:
        endpoint.choose = now_and_then(system.chance, names, share=SHARE)
    return _play(system, jobs=system.few(10, 250), description="every manner in turn")


@contextmanager
def in_background(change: Callable[[], None], *, every_seconds: float) -> Iterator[None]:
    """Something goes on changing while the work is done."""
    stop = threading.Event()

    def go_on() -> None:
        while not stop.wait(every_seconds):
            change()

    thread = threading.Thread(target=go_on, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def one_down_then_the_other(system: FaultSystem) -> ScenarioResult:
    first, second = system.endpoints
    system.start("relay")
    jobs = load.jobs_here(system.few(9, 60))
    third = len(jobs) // 3
    first.down()
    sent = load.work_day(jobs[:third])
    first.up()
    second.down()
    sent += load.work_day(jobs[third : 2 * third])
    first.down()
    sent += load.work_day(jobs[2 * third :])
    time.sleep(3)
    first.up()
    second.up()
    questions.wait_until_drained(system)
    return ScenarioResult(questions.differences(system), f"{sent} messages, each endpoint down, then both")


def flapping(system: FaultSystem) -> ScenarioResult:
    def flap() -> None:
        endpoint = system.chance.choice(system.endpoints)
        endpoint.down()
        time.sleep(0.2)
        endpoint.up()

    with in_background(flap, every_seconds=0.3):
        return _play(system, jobs=system.few(10, 100), description="endpoints flapping")


def handshake_breaks(system: FaultSystem) -> ScenarioResult:
    def turn(endpoint: Endpoint) -> None:
        endpoint.breaks_handshakes = not endpoint.breaks_handshakes
        endpoint.hang_up()

    with in_background(lambda: turn(system.chance.choice(system.endpoints)), every_seconds=0.4):
        system.start("relay")
        sent = load.work_day(load.jobs_here(system.few(10, 60)))
    for endpoint in system.endpoints:
        endpoint.breaks_handshakes = False
    questions.wait_until_drained(system)
    return ScenarioResult(questions.differences(system), f"{sent} messages, handshakes fail midway")


def certificates_rotate(system: FaultSystem) -> ScenarioResult:
    """New certificates of the same authority on both sides while messages flow; then a foreign one at the seller."""
    system.start("relay")
    jobs = load.jobs_here(system.few(9, 60))
    third = len(jobs) // 3
    sent = load.work_day(jobs[:third])
    certs = system.demo.certs
    authority = trustme.CA.from_pem((certs / "ca.pem").read_bytes(), (certs / "ca.key").read_bytes())
    for name in ("seller", "partner"):
        issue(authority, certs, name)
    for endpoint in system.endpoints:
        endpoint.hang_up()
    sent += load.work_day(jobs[third : 2 * third])
    questions.wait_until_drained(system)
    issue(make_authority(), certs, "foreign")
    for endpoint in system.endpoints:
        endpoint.identity = "foreign"
        endpoint.hang_up()
    before = len(system.record.acted)
    sent += load.work_day(jobs[2 * third :])
    time.sleep(3)
    wrong = (
        [] if len(system.record.acted) == before else ["messages went to a seller with a foreign certificate"]
    )
    for endpoint in system.endpoints:
        endpoint.identity = "seller"
    questions.wait_until_drained(system)
    return ScenarioResult(
        [*wrong, *questions.differences(system)], f"{sent} messages, rotated, then foreign, then well"
    )


def held_and_replayed(system: FaultSystem) -> ScenarioResult:
    """Refused for good: held with an alarm, nothing of that job moves; all replayed when the seller works again."""
    for endpoint in system.endpoints:
        endpoint.choose = lambda: REFUSED
    system.start("relay")
    count = system.few(100, 10_000)
    engineer, by = load.make_performer()
    for job in load.jobs_here(count):
        load.assign(job, engineer, by)
    held = OutboundMessage.objects.filter(state=OutboundState.HELD)
    until(lambda: load.insist(held.count) == count, what="all are held", seconds=600)
    wrong = questions.held_in_silence()
    for endpoint in system.endpoints:
        endpoint.choose = lambda: ACCEPTS
    ids = set(map(str, held.values_list("message_id", flat=True)))
    load.insist(lambda: replay_all(by.user))
    questions.wait_until_drained(system, seconds=600)
    acted_ids = {message["messageId"] for message in system.record.acted}
    if acted_ids != ids:
        wrong.append("a replay without correction changed message ids")
    return ScenarioResult([*wrong, *questions.differences(system)], f"{count} held messages replayed")


def replay_all(by: User) -> int:
    """Every held message once more, as it is; how many it were."""
    held = list(OutboundMessage.objects.filter(state=OutboundState.HELD).order_by("job", "seq"))
    for message in held:
        outbox.replay_message(message=message, by=by)
    return len(held)


SCENARIOS = [
    *(
        Scenario(f"seller {MANNERS[name].name}", partial(lies, name=name), databases=("sqlite",))
        for name in MANNERS
        if name != "well"
    ),
    Scenario("seller does all of that", everything_at_once),
    Scenario("one endpoint down, then the other, then both", one_down_then_the_other),
    Scenario("endpoints flapping", flapping, databases=("sqlite",)),
    Scenario("handshakes fail midway", handshake_breaks, databases=("sqlite",)),
    Scenario("certificates rotated while running", certificates_rotate, databases=("sqlite",)),
    Scenario("held messages replayed", held_and_replayed),
]
