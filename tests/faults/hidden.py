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
from tests.faults.load import SellerCaller
from tests.faults.place import Place
from tests.faults.scenario import Scenario, Told
from tests.faults.seller import MANNERS, WELL, Endpoint, Manner
from tests.seller_link.wire import message

LIES_SHARE, REFUSES_SHARE = 0.2, 0.003
MOST_REPEATS = 3
LONGEST_DOWN_SECONDS = 1.0
DRAIN_SECONDS = 300
PLENTY = 100_000
EXPECTED = {HTTPStatus.OK, HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY}


class Voice:
    """The seller's own messages: each several times, some with another body, some for jobs that are over."""

    def __init__(self, place: Place) -> None:
        self.place, self.caller = place, SellerCaller(place)
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
        times = range(self.place.chance.randint(1, MOST_REPEATS))
        statuses = set(self._callers.map(lambda _time: self.caller.insist(operation, body), times))
        if len(statuses) != 1 or not statuses <= EXPECTED:
            self.wrong.append(f"{operation} {body['messageId']} was answered {statuses}")
        if statuses == {HTTPStatus.OK}:
            self.lines.append(line("out", at, seller_job, operation, body))

    def _lie(self, pack: dict[str, Any]) -> None:
        """The same id for something else: refused, and without an effect."""
        if self.place.chance.random() > LIES_SHARE:
            return
        other = {**load.packs(1)[0], "messageId": pack["messageId"]}
        status = self.caller.insist("createJob", other)
        if status != HTTPStatus.CONFLICT:
            self.wrong.append(f"another body under {pack['messageId']} was answered {status}")

    def _about(self, operation: str, pack: dict[str, Any], job: str) -> None:
        self._say(operation, message(operation, providerJobId=job), pack["sellerJobId"])


def line(direction: str, at: str, seller_job: str, operation: str, body: dict[str, Any]) -> dict[str, Any]:
    """One of the seller's record, as docs/operating.md has it."""
    said = {"direction": direction, "at": at, "sellerJobId": seller_job, "operation": operation}
    return {**said, "messageId": body["messageId"], "body": body, "answer": {"status": 200}}


def hidden_seller(place: Place) -> Told:
    started, voice, stop = timezone.now(), Voice(place), threading.Event()
    place.start_door()
    for name in ("relay one", "relay two"):
        place.start("relay", name=name)
    by = load.insist(lambda: load.crew()[1])
    for endpoint in place.endpoints:
        endpoint.choose = partial(_manner, place)
    with ThreadPoolExecutor(2) as busy, _flapping(place):
        speaking, working = busy.submit(voice.speak, stop), busy.submit(_work, voice, stop)
        stop.wait(60 * place.minutes or place.few(30, 600))
        stop.set()
        speaking.result()
        told = working.result()
    for endpoint in place.endpoints:
        endpoint.choose = lambda: WELL
    held = load.insist(lambda: lies.replay_all(by.user))
    questions.wait_until_told(place, seconds=DRAIN_SECONDS)
    compared, sentences = _reconciled(place, [*voice.lines, *_heard(place)], since=started)
    wrong = [*voice.wrong, *sentences, *questions.differences(place, sent=voice.caller.sent)]
    words = f"{told} facts out, {len(voice.lines)} messages in, {held} held and replayed"
    return Told(wrong, f"{words}, {questions.extra_copies(place.record)} copies; {compared}")


def _manner(place: Place) -> Manner:
    if place.chance.random() < REFUSES_SHARE:
        return lies.REFUSED
    lie = place.chance.choice([name for name in MANNERS if name != "well"])
    return MANNERS[lie] if place.chance.random() < LIES_SHARE else WELL


@contextmanager
def _flapping(place: Place) -> Iterator[None]:
    """Down and up, and handshakes that break off; both endpoints are up in the end."""

    def flap() -> None:
        endpoint: Endpoint = place.chance.choice(place.endpoints)
        endpoint.breaks_handshakes = place.chance.random() < LIES_SHARE
        endpoint.down()
        time.sleep(place.chance.uniform(0, LONGEST_DOWN_SECONDS))
        endpoint.up()

    with lies.meanwhile(flap, every_seconds=1.0):
        yield
    for endpoint in place.endpoints:
        endpoint.breaks_handshakes = False


def _work(voice: Voice, stop: threading.Event) -> int:
    """One engineer does each job that is not cancelled, as soon as it is here."""
    engineer, by = load.crew()
    done = 0
    while not stop.is_set():
        if done == len(voice.workable):
            stop.wait(0.05)
            continue
        name = voice.workable[done]
        job = load.insist(lambda name=name: Job.objects.get(seller_job_id=name))
        load.assign(job, engineer, by)
        for said in load.taps(job):
            load.take(said, engineer)
        done += 1
    return 4 * done


def _heard(place: Place) -> Iterator[dict[str, Any]]:
    seen: set[str] = set()
    for body, (at, operation) in zip(place.record.acted, place.record.noted, strict=True):
        known = line("in", at, body["sellerJobId"], operation, body)
        yield {**known, "duplicate_of": body["messageId"] if body["messageId"] in seen else None}
        seen.add(body["messageId"])


def _reconciled(place: Place, lines: list[dict[str, Any]], *, since: Any) -> tuple[str, list[str]]:
    """What `manage.py reconcile` finds in the whole time, as an operator runs it."""
    record = place.demo.folder / "seller.jsonl"
    record.write_text("".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in lines))
    minute = timedelta(minutes=1)
    span = ["--from", (since - minute).isoformat(), "--to", (timezone.now() + minute).isoformat()]
    command = place.demo.manage("reconcile", *span, "--record", str(record)).command
    environment = {**place.whole_environment, "LOG_LEVEL": "ERROR"}
    done = subprocess.run(command, cwd=BASE_DIR, env=environment, capture_output=True, text=True, check=False)
    summary = done.stderr.splitlines()[-1:]
    sentences = done.stdout.splitlines() if done.returncode else []
    if done.returncode and not sentences:
        sentences = [f"reconcile ended with {done.returncode}: {summary}"]
    return " ".join(summary), sentences


SCENARIOS = [Scenario("a hidden seller that flaps, repeats and lies", hidden_seller)]
