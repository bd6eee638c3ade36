"""A seller that fails, lies, flaps and rotates: the same messages in the end, in the same order."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from demo.development_ca import Authority, make_authority
from engineers.models import User
from seller_link import outbox
from seller_link.models import OutboundMessage, OutboundState
from tests.faults import load, questions
from tests.faults.place import Place, until
from tests.faults.scenario import Scenario, Told
from tests.faults.seller import MANNERS, WELL, Endpoint, Manner, now_and_then
from tests.servers import seller as answers

# always so at both endpoints would be no test of the order: a share of the messages meets the lie
SHARE = 0.3
REFUSED = Manner(
    "refuses for good",
    acts=False,
    behave=answers.reply("400 Bad", b'{"fault": {"faultcode": "x", "faultmessage": "no", "detail": []}}'),
)


def _play(place: Place, *, jobs: int, words: str) -> Told:
    """Work, deliver, ask."""
    place.start("relay")
    told = load.work_day(load.jobs_here(jobs))
    questions.wait_until_told(place)
    copies = questions.extra_copies(place.record)
    return Told(questions.differences(place), f"{told} messages, {words}, {copies} copies")


def lies(place: Place, *, name: str) -> Told:
    for endpoint in place.endpoints:
        endpoint.choose = now_and_then(place.chance, [name], share=SHARE)
    return _play(place, jobs=place.few(6, 50), words=MANNERS[name].name)


def everything_at_once(place: Place) -> Told:
    names = [name for name in MANNERS if name != "well"]
    for endpoint in place.endpoints:
        endpoint.choose = now_and_then(place.chance, names, share=SHARE)
    return _play(place, jobs=place.few(10, 250), words="every manner in turn")


@contextmanager
def meanwhile(change: Callable[[], None], *, every_seconds: float) -> Iterator[None]:
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


def one_down_then_the_other(place: Place) -> Told:
    first, second = place.endpoints
    place.start("relay")
    jobs = load.jobs_here(place.few(9, 60))
    third = len(jobs) // 3
    first.down()
    told = load.work_day(jobs[:third])
    first.up()
    second.down()
    told += load.work_day(jobs[third : 2 * third])
    first.down()
    told += load.work_day(jobs[2 * third :])
    time.sleep(3)
    first.up()
    second.up()
    questions.wait_until_told(place)
    return Told(questions.differences(place), f"{told} messages, each endpoint down, then both")


def flapping(place: Place) -> Told:
    def flap() -> None:
        endpoint = place.chance.choice(place.endpoints)
        endpoint.down()
        time.sleep(0.2)
        endpoint.up()

    with meanwhile(flap, every_seconds=0.3):
        return _play(place, jobs=place.few(10, 100), words="endpoints flapping")


def handshake_breaks(place: Place) -> Told:
    def turn(endpoint: Endpoint) -> None:
        endpoint.breaks_handshakes = not endpoint.breaks_handshakes
        endpoint.hang_up()

    with meanwhile(lambda: turn(place.chance.choice(place.endpoints)), every_seconds=0.4):
        place.start("relay")
        told = load.work_day(load.jobs_here(place.few(10, 60)))
    for endpoint in place.endpoints:
        endpoint.breaks_handshakes = False
    questions.wait_until_told(place)
    return Told(questions.differences(place), f"{told} messages, handshakes fail midway")


def certificates_rotate(place: Place) -> Told:
    """New certificates of the same authority on both sides while messages flow; then a foreign one at the seller."""
    place.start("relay")
    jobs = load.jobs_here(place.few(9, 60))
    third = len(jobs) // 3
    told = load.work_day(jobs[:third])
    authority = _authority(place)
    for name in ("seller", "partner"):
        authority.issue(name).save(place.demo.certs, name)
    for endpoint in place.endpoints:
        endpoint.hang_up()
    told += load.work_day(jobs[third : 2 * third])
    questions.wait_until_told(place)
    make_authority("Somebody else").issue("seller").save(place.demo.certs, "foreign")
    for endpoint in place.endpoints:
        endpoint.identity = "foreign"
        endpoint.hang_up()
    before = len(place.record.acted)
    told += load.work_day(jobs[2 * third :])
    time.sleep(3)
    wrong = (
        [] if len(place.record.acted) == before else ["messages went to a seller with a foreign certificate"]
    )
    for endpoint in place.endpoints:
        endpoint.identity = "seller"
    questions.wait_until_told(place)
    return Told([*wrong, *questions.differences(place)], f"{told} messages, rotated, then foreign, then well")


def held_and_replayed(place: Place) -> Told:
    """Refused for good: held with an alarm, nothing of that job moves; all replayed when the seller is mended."""
    for endpoint in place.endpoints:
        endpoint.choose = lambda: REFUSED
    place.start("relay")
    count = place.few(100, 10_000)
    engineer, by = load.crew()
    for job in load.jobs_here(count):
        load.assign(job, engineer, by)
    held = OutboundMessage.objects.filter(state=OutboundState.HELD)
    until(lambda: load.insist(held.count) == count, what="all are held", seconds=600)
    wrong = questions.held_in_silence()
    for endpoint in place.endpoints:
        endpoint.choose = lambda: WELL
    ids = set(map(str, held.values_list("message_id", flat=True)))
    load.insist(lambda: replay_all(by.user))
    questions.wait_until_told(place, seconds=600)
    kept = {message["messageId"] for message in place.record.acted}
    if kept != ids:
        wrong.append("a replay without correction changed message ids")
    return Told([*wrong, *questions.differences(place)], f"{count} held messages replayed")


def replay_all(by: User) -> int:
    """Every held message once more, as it is; how many it were."""
    held = list(OutboundMessage.objects.filter(state=OutboundState.HELD).order_by("job", "seq"))
    for message in held:
        outbox.replay_message(message=message, by=by)
    return len(held)


def _authority(place: Place) -> Authority:
    """The demo's own, which signed both sides' certificates."""
    certs = place.demo.certs
    key = load_pem_private_key((certs / "ca.key").read_bytes(), password=None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise TypeError("the demo's authority has an elliptic curve key")
    return Authority(x509.load_pem_x509_certificate((certs / "ca.pem").read_bytes()), key)


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
