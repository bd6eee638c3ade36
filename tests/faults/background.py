"""The background worker stuck and poisoned: nothing waits for ever, nobody else suffers, somebody is told."""

import os
import signal
import time

from closures import evidence
from closures.models import Photo, Thumbnail
from closures.thumbnails import MAX_ATTEMPTS
from monitoring.alarms import AlarmKind, open_alarms
from tests import make
from tests.background.worker_process import Worker
from tests.closures.poison import poison_jpeg
from tests.faults import load
from tests.faults.place import Place, until
from tests.faults.scenario import Scenario, Told

STUCK_SECONDS = 60


def _worker(place: Place) -> Worker:
    kept = place.start("worker", WORKER_PROCESSES="1", WORKER_TASK_SECONDS="2")
    if kept.process is None:
        raise RuntimeError("the worker did not start")
    worker = Worker(kept.process, place.demo.folder / "logs" / "worker.log")
    until(worker.is_up, what="the worker is up")
    return worker


def _photo(place: Place) -> Photo:
    (job,) = load.jobs_here(1)
    return load.insist(lambda: make.photo(job, question_code="PHO01"))


def _is_made(photo: Photo) -> bool:
    return load.insist(lambda: Thumbnail.objects.filter(photo=photo).exclude(made_at=None).exists())


def stuck(place: Place) -> Told:
    """One idle process is killed: the cluster lives on and does nothing, until the watchdog sees it."""
    worker = _worker(place)
    waits = []
    for _ in range(place.few(1, 5)):
        first = _photo(place)
        until(lambda photo=first: _is_made(photo), what="the worker works")
        os.kill(worker.task_processes()[0], signal.SIGKILL)
        killed_at = time.monotonic()
        second = _photo(place)
        until(lambda photo=second: _is_made(photo), what="the watchdog has started it again")
        waits.append(time.monotonic() - killed_at)
        until(worker.is_up, what="the worker is up")
    wrong = [f"stuck for {wait:.0f} s" for wait in waits if wait > STUCK_SECONDS]
    return Told(wrong, f"killed {len(waits)} times, longest standstill {max(waits):.0f} s")


def poisoned(place: Place) -> Told:
    """A photo that takes its worker with it is set aside after three tries, with an alarm; the next one is made."""
    photo = _photo(place)
    evidence.write(evidence.object_path(photo), poison_jpeg())
    worker = _worker(place)
    for number in range(1, MAX_ATTEMPTS + 1):
        tried = Thumbnail.objects.filter(photo=photo, attempts=number)
        until(lambda tried=tried: load.insist(tried.exists), what=f"try {number} begins")
        os.kill(worker.task_processes()[0], signal.SIGKILL)
    aside = Thumbnail.objects.filter(photo=photo).exclude(failed_at=None)
    until(lambda: load.insist(aside.exists), what="the photo is set aside")
    innocent = _photo(place)
    until(lambda: _is_made(innocent), what="the next photo is made")
    alarms = [alarm.kind for alarm in open_alarms()]
    wrong = [] if alarms == [AlarmKind.TASK_SET_ASIDE] else [f"alarms are {alarms}"]
    return Told(wrong, f"{MAX_ATTEMPTS} workers killed by one photo")


SCENARIOS = [
    Scenario("worker alive but stuck", stuck, databases=("sqlite",)),
    Scenario("poison photo", poisoned, databases=("sqlite",)),
]
