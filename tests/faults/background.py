"""The background worker stuck and poisoned: nothing waits for ever, nothing else is affected, an alarm is raised."""

import os
import signal
import time

from closures.models import Photo, Thumbnail
from closures.photos import evidence
from closures.photos.thumbnails import MAX_ATTEMPTS
from monitoring.alarms import open_alarms
from monitoring.models import AlarmKind
from tests import make
from tests.background.worker_process import Worker
from tests.closures.poison import poison_jpeg
from tests.faults import load
from tests.faults.fault_system import FaultSystem, until
from tests.faults.scenario import Scenario, ScenarioResult

STUCK_SECONDS = 60


def _worker(system: FaultSystem) -> Worker:
    process = system.start("worker", WORKER_PROCESSES="1", WORKER_TASK_SECONDS="2")
    if process.process is None:
        raise RuntimeError("the worker did not start")
    worker = Worker(process.process, system.demo.folder / "logs" / "worker.log")
    until(worker.is_up, what="the worker is up")
    return worker


def _photo(system: FaultSystem) -> Photo:
    (job,) = load.jobs_here(1)
    return load.insist(lambda: make.photo(job, question_code="PHO01"))


def _is_made(photo: Photo) -> bool:
    return load.insist(lambda: Thumbnail.objects.filter(photo=photo).exclude(made_at=None).exists())


def stuck(system: FaultSystem) -> ScenarioResult:
    """One idle process is killed: the cluster lives on and does nothing, until the watchdog sees it."""
    worker = _worker(system)
    waits = []
    for _ in range(system.few(1, 5)):
        first = _photo(system)
        until(lambda photo=first: _is_made(photo), what="the worker works")
        os.kill(worker.task_processes()[0], signal.SIGKILL)
        killed_at = time.monotonic()
        second = _photo(system)
        until(lambda photo=second: _is_made(photo), what="the watchdog has started it again")
        waits.append(time.monotonic() - killed_at)
        until(worker.is_up, what="the worker is up")
    wrong = [f"stuck for {wait:.0f} s" for wait in waits if wait > STUCK_SECONDS]
    return ScenarioResult(wrong, f"killed {len(waits)} times, longest standstill {max(waits):.0f} s")


def poisoned(system: FaultSystem) -> ScenarioResult:
    """A photo that takes its worker with it is given up after three tries, with an alarm; the next one is made."""
    photo = _photo(system)
    evidence.write(evidence.object_path(photo), poison_jpeg())
    worker = _worker(system)
    for number in range(1, MAX_ATTEMPTS + 1):
        tried = Thumbnail.objects.filter(photo=photo, attempts=number)
        until(lambda tried=tried: load.insist(tried.exists), what=f"try {number} begins")
        os.kill(worker.task_processes()[0], signal.SIGKILL)
    failed = Thumbnail.objects.filter(photo=photo).exclude(failed_at=None)
    until(lambda: load.insist(failed.exists), what="the photo is set aside")
    innocent = _photo(system)
    until(lambda: _is_made(innocent), what="the next photo is made")
    alarms = [alarm.kind for alarm in open_alarms()]
    wrong = [] if alarms == [AlarmKind.THUMBNAIL_FAILED] else [f"alarms are {alarms}"]
    return ScenarioResult(wrong, f"{MAX_ATTEMPTS} workers killed by one photo")


SCENARIOS = [
    Scenario("worker alive but stuck", stuck, databases=("sqlite",)),
    Scenario("poison photo", poisoned, databases=("sqlite",)),
]
