"""Minutes with a seller that flaps, repeats and lies in both directions; its book and ours agree in the end."""

import json
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from typing import Any

from django.utils import timezone

from demo.environment import BASE_DIR
from dispatch.models import Job
from tests.faults import lies, load, questions
from tests.faults.fault_system import FaultSystem
from tests.faults.load import SellerCaller
from tests.faults.scenario import Scenario, ScenarioResult
from tests.faults.seller import ACCEPTS, MANNERS, Endpoint, Manner
from tests.seller_link.wire import message

LIES_SHARE, REFUSES_SHARE = 0.2, 0.003
MOST_REPEATS = 3
LONGEST_DOWN_SECONDS = 1.0
DRAIN_SECONDS = 300
# a thousand packs have a day each (load.packs) and two of three are done: the next thousand needs somebody else
JOBS_OF_AN_ENGINEER = 500
PLENTY = 100_000
EXPECTED = {HTTPStatus.OK, HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY}


class Voice:
    """The seller's own messages: each several times, some with another body, some for jobs that are over."""

    def __init__(self, system: FaultSystem) -> None:
        self.system, self.caller = system, SellerCaller(system)
        self.lines: list[dict[str, Any]] = []
        self.wrong: list[str] = []
        # of jobs that it will not cancel
        self.workable: list[str] = []
        self._callers = ThreadPoolExecutor(MOST_REPEATS)

    def speak(self, stop: threading.Event) -> None:
        for number, pack in enumerate(load.packs(PLENTY)):
            if stop.is_set():
                return
            self._say("createJob", pack, pack["sellerJobId"])
            self._lie(pack)
            job = self.caller.sent.answers[pack["messageId"]]["providerJobId"]
            if number % 3 == 0:
                self._about("cancelJob", pack, job)
                self._about("notifyJob", pack, job)
            else:
                self.workable.append(pack["sellerJobId"])

    def _say(self, operation: str, body: dict[str, Any], seller_job: str) -> None:
        """Several times at once; every time the same answer."""
        at = timezone.now().isoformat()
        times = range(self.system.chance.randint(1, MOST_REPEATS))
        statuses = set(self._callers.map(lambda _time: self.caller.insist(operation, body), times))
        if len(statuses) != 1 or not statuses <= EXPECTED:
            self.wrong.append(f"{operation} {body['messageId']} was answered {statuses}")
        if statuses == {HTTPStatus.OK}:
            self.lines.append(line("out", at, seller_job, operation, body))

    def _lie(self, pack: dict[str, Any]) -> None:
        """The same id for something else: refused, and without an effect."""
        if self.system.chance.random() > LIES_SHARE:
            return
        other = {**load.packs(1)[0], "messageId": pack["messageId"]}
        status = self.caller.insist("createJob", other)
        if status != HTTPStatus.CONFLICT:
            self.wrong.append(f"another body under {pack['messageId']} was answered {status}")

    def _about(self, operation: str, pack: dict[str, Any], job: str) -> None:
        self._say(operation, message(operation, providerJobId=job), pack["sellerJobId"])


def line(direction: str, at: str, seller_job: str, operation: str, body: dict[str, Any]) -> dict[str, Any]:
    """One of the seller's record, as docs/operating.md has it."""
    line_json = {"direction": direction, "at": at, "sellerJobId": seller_job, "operation": operation}
    return {**line_json, "messageId": body["messageId"], "body": body, "answer": {"status": 200}}


def hidden_seller(system: FaultSystem) -> ScenarioResult:
    started, voice, stop = timezone.now(), Voice(system), threading.Event()
    system.start_seller_server()
    for name in ("relay one", "relay two"):
        system.start("relay", name=name)
    by = load.insist(lambda: load.make_performer()[1])
    for endpoint in system.endpoints:
        endpoint.choose = partial(_manner, system)
    with ThreadPoolExecutor(2) as busy, _flapping(system):
        speaking, working = busy.submit(voice.speak, stop), busy.submit(_work, voice, stop)
        stop.wait(60 * system.minutes or system.few(30, 600))
        stop.set()
        speaking.result()
        delivered = working.result()
    for endpoint in system.endpoints:
        endpoint.choose = lambda: ACCEPTS
    held = load.insist(lambda: lies.replay_all(by.user))
    questions.wait_until_drained(system, seconds=DRAIN_SECONDS)
    compared, sentences = _reconciled(system, [*voice.lines, *_received(system)], since=started)
    wrong = [*voice.wrong, *sentences, *questions.differences(system, sent=voice.caller.sent)]
    summary = f"{delivered} facts out, {len(voice.lines)} messages in, {held} held and replayed"
    return ScenarioResult(wrong, f"{summary}, {questions.extra_copies(system.record)} copies; {compared}")


def _manner(system: FaultSystem) -> Manner:
    if system.chance.random() < REFUSES_SHARE:
        return lies.REFUSED
    lie = system.chance.choice([name for name in MANNERS if name != "well"])
    return MANNERS[lie] if system.chance.random() < LIES_SHARE else ACCEPTS


@contextmanager
def _flapping(system: FaultSystem) -> Iterator[None]:
    """Down and up, and handshakes that break off; both endpoints are up in the end."""

    def flap() -> None:
        endpoint: Endpoint = system.chance.choice(system.endpoints)
        endpoint.breaks_handshakes = system.chance.random() < LIES_SHARE
        endpoint.down()
        time.sleep(system.chance.uniform(0, LONGEST_DOWN_SECONDS))
        endpoint.up()

    with lies.in_background(flap, every_seconds=1.0):
        yield
    for endpoint in system.endpoints:
        endpoint.breaks_handshakes = False


def _work(voice: Voice, stop: threading.Event) -> int:
    """An engineer does each job that is not cancelled, as soon as it is here."""
    engineer, by = load.make_performer()
    done = 0
    while not stop.is_set():
        if done == len(voice.workable):
            stop.wait(0.05)
            continue
        if done and done % JOBS_OF_AN_ENGINEER == 0:
            engineer, by = load.make_performer()
        name = voice.workable[done]
        job = load.insist(lambda name=name: Job.objects.get(seller_job_id=name))
        load.assign(job, engineer, by)
        for tap in load.taps(job):
            load.take(tap, engineer)
        done += 1
    return 4 * done


def _received(system: FaultSystem) -> Iterator[dict[str, Any]]:
    seen: set[str] = set()
    for body, (at, operation) in zip(system.record.acted, system.record.noted, strict=True):
        known = line("in", at, body["sellerJobId"], operation, body)
        yield {**known, "duplicate_of": body["messageId"] if body["messageId"] in seen else None}
        seen.add(body["messageId"])


def _reconciled(system: FaultSystem, lines: list[dict[str, Any]], *, since: Any) -> tuple[str, list[str]]:
    """What `manage.py reconcile` finds in the whole time, as an operator runs it."""
    record = system.demo.folder / "seller.jsonl"
    record.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines))
    minute = timedelta(minutes=1)
    span = ["--from", (since - minute).isoformat(), "--to", (timezone.now() + minute).isoformat()]
    command = system.demo.manage("reconcile", *span, "--record", str(record)).command
    environment = {**system.whole_environment, "LOG_LEVEL": "ERROR"}
    done = subprocess.run(command, cwd=BASE_DIR, env=environment, capture_output=True, text=True, check=False)
    summary = done.stderr.splitlines()[-1:]
    sentences = done.stdout.splitlines() if done.returncode else []
    if done.returncode and not sentences:
        sentences = [f"reconcile ended with {done.returncode}: {summary}"]
    return " ".join(summary), sentences


SCENARIOS = [Scenario("a hidden seller that flaps, repeats and lies", hidden_seller)]
