"""What comes in twice, at once, in the wrong order, in a burst or slowly."""

import http.client
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from dispatch.models import Job
from seller_link.models import InboundMessage
from tests.faults import load, questions
from tests.faults.fault_system import FaultSystem
from tests.faults.load import SellerCaller
from tests.faults.scenario import Scenario, ScenarioResult
from tests.seller_link.wire import message

AT_ONCE = 10
OK, CONFLICT, NOT_FOUND = http.HTTPStatus.OK, http.HTTPStatus.CONFLICT, http.HTTPStatus.NOT_FOUND


def ten_at_once(system: FaultSystem) -> ScenarioResult:
    """The same createJob ten times in one moment, and its twin under another message id at the same time."""
    system.start_seller_server()
    caller, wrong = SellerCaller(system), []
    packs = load.packs(system.few(20, 300))
    with ThreadPoolExecutor(AT_ONCE) as callers:
        for pack in packs:
            twin = {**pack, "messageId": message("createJob")["messageId"]}
            bodies = [pack] * (AT_ONCE - 2) + [twin] * 2
            statuses = list(callers.map(lambda body: caller.insist("createJob", body), bodies))
            wrong += [f"{pack['sellerJobId']} was answered {statuses}"] if set(statuses) != {OK} else []
    if Job.objects.count() != len(packs):
        wrong.append(f"{len(packs)} packs made {Job.objects.count()} jobs")
    return ScenarioResult(
        [*wrong, *questions.differences(system, sent=caller.sent)],
        f"{len(packs)} packs, {AT_ONCE} callers each",
    )


def another_body(system: FaultSystem) -> ScenarioResult:
    """One message id, several bodies at once: one is accepted, all others are conflicts for ever."""
    system.start_seller_server()
    caller, wrong = SellerCaller(system), []
    rounds = system.few(20, 200)
    with ThreadPoolExecutor(AT_ONCE) as callers:
        for first in load.packs(rounds):
            others = [{**pack, "messageId": first["messageId"]} for pack in load.packs(AT_ONCE)]
            statuses = list(callers.map(lambda body: caller.insist("createJob", body), others))
            if sorted(statuses) != [OK, *[CONFLICT] * (AT_ONCE - 1)]:
                wrong.append(f"{first['messageId']} was answered {sorted(statuses)}")
    if Job.objects.count() != rounds:
        wrong.append(f"{rounds} ids made {Job.objects.count()} jobs")
    return ScenarioResult(
        [*wrong, *questions.differences(system, sent=caller.sent)], f"{rounds} ids, {AT_ONCE} bodies each"
    )


def shuffled(system: FaultSystem) -> ScenarioResult:
    """Cancels and results before their createJob, for other scans, for closed jobs: answered, nothing guessed."""
    system.start_seller_server()
    caller = SellerCaller(system)
    packs = load.packs(system.few(20, 200))
    early = [
        caller.insist("cancelJob", message("cancelJob", providerJobId=f"J-{i:04}-0000")) for i in range(5)
    ]
    wrong = [f"a cancel for no job was answered {status}" for status in early if status != NOT_FOUND]
    caller.send_all(packs)
    late = [_about(operation, job) for job in Job.objects.all() for operation in ("cancelJob", "notifyJob")]
    system.chance.shuffle(late)
    with ThreadPoolExecutor(AT_ONCE) as callers:
        statuses = list(callers.map(lambda body: caller.insist(body.pop("_operation"), body), late))
    wrong += [f"answered {status}" for status in statuses if status not in {OK, CONFLICT}]
    wrong += [f"{job} is {job.state}" for job in Job.objects.exclude(state="cancelled")]
    return ScenarioResult(
        [*wrong, *questions.differences(system, sent=caller.sent)], f"{len(late)} messages in no order"
    )


def _about(operation: str, job: Job) -> dict[str, object]:
    body = message(operation, providerJobId=job.provider_job_id)
    body.pop("sellerJobId", None)
    return {**body, "_operation": operation}


def burst(system: FaultSystem) -> ScenarioResult:
    """Thousands of packs as fast as thirty-two callers can send them: each is answered, none with an error."""
    system.start_seller_server()
    caller = SellerCaller(system)
    packs = load.packs(system.few(500, 5_000))
    started = time.monotonic()
    caller.send_all(packs, threads=32)
    seconds = time.monotonic() - started
    wrong = [] if Job.objects.count() == len(packs) else [f"{Job.objects.count()} jobs of {len(packs)} packs"]
    return ScenarioResult(
        [*wrong, *questions.differences(system, sent=caller.sent)], f"{len(packs)} packs in {seconds:.0f} s"
    )


def slow_readers(system: FaultSystem) -> ScenarioResult:
    """Callers that send a byte now and then, or never read their answer, keep nobody else waiting."""
    system.start_seller_server()
    caller, stop = SellerCaller(system), threading.Event()
    slow = [threading.Thread(target=_drip, args=(caller, stop, kind), daemon=True) for kind in range(60)]
    for thread in slow:
        thread.start()
    time.sleep(1)
    packs = load.packs(system.few(100, 1_000))
    started = time.monotonic()
    caller.send_all(packs)
    seconds = time.monotonic() - started
    stop.set()
    stored = InboundMessage.objects.filter(message_id__in=[pack["messageId"] for pack in packs]).count()
    wrong = [] if stored == len(packs) else [f"{stored} of {len(packs)} packs are stored"]
    wrong += [] if seconds < 60 else [f"good callers waited {seconds:.0f} s"]
    return ScenarioResult(
        [*wrong, *questions.differences(system, sent=caller.sent)], f"{len(packs)} packs in {seconds:.0f} s"
    )


def _drip(caller: SellerCaller, stop: threading.Event, kind: int) -> None:
    """Half of them drip a head, half send a whole message and never read."""
    while not stop.is_set():
        try:
            plain = socket.create_connection(("127.0.0.1", caller.port), timeout=10)
            with caller.context.wrap_socket(plain, server_hostname="localhost") as line:
                if kind % 2:
                    raw = json.dumps(load.packs(1)[0]).encode()
                    head = (
                        "POST /seller/createJob HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                        f"Content-Length: {len(raw)}\r\n\r\n"
                    )
                    line.sendall(head.encode() + raw)
                    stop.wait(5)
                    continue
                for byte in b"POST /seller/createJob HTTP/1.1\r\nX-Slow: " + b"x" * 500:
                    line.sendall(bytes([byte]))
                    if stop.wait(0.2):
                        return
        except OSError:
            stop.wait(0.5)


SCENARIOS = [
    Scenario("the same createJob ten times at once", ten_at_once),
    Scenario("one message id, many bodies", another_body),
    Scenario("messages shuffled", shuffled),
    Scenario("a burst of packs", burst),
    Scenario("slow readers", slow_readers, databases=("sqlite",)),
]
