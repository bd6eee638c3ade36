"""The watchdog of the background worker: django-q2's cluster as a child that is started again when it is stuck.

A cluster whose idle worker was killed stays alive and does nothing for ever (django-q2 issue 23): the dead worker
holds the lock of the queue. So the watchdog asks for a beat now and then, and when nothing at all gets done for
longer than the longest task may take (ProgressCheck) it kills the cluster with all its processes and starts another.
"""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from datetime import datetime
from types import FrameType

import structlog
from django.conf import settings
from django.db import close_old_connections, connections
from django_q.cluster import Cluster

from background import broker, tasks
from monitoring import task_queue
from monitoring.alarms import clear_alarm, raise_alarm
from monitoring.coded_texts import coded_text
from monitoring.health_checks import DiskMonitor
from monitoring.heartbeats import HeartbeatMonitor, remove_heartbeat
from monitoring.models import AlarmKind, Heartbeat
from monitoring.processes import end_with_parent, kill_group
from monitoring.task_queue import QUEUE_ERRORS

log = structlog.get_logger("background.qcluster_watchdog")
CHECK_INTERVAL_SECONDS = 0.5
BEAT_INTERVAL_SECONDS = 5
SCHEDULES_INTERVAL_SECONDS = 60
# in addition to the longest task: fetching, three seconds of django-q2's own, a busy machine
SLACK_SECONDS = 10
# a cluster that cannot start shall not keep a machine busy
RESTART_DELAY_SECONDS = 2
STOP_TIMEOUT_SECONDS = 6
# then a person shall look
MAX_FAILED_RESTARTS = 3
# of what is written before the first cluster; then the process ends with the error
START_ATTEMPTS = 10


def task_timeout_seconds() -> float:
    """How long a cluster may show no progress; with the default 45 s, so that a restart comes within 60."""
    return BEAT_INTERVAL_SECONDS + settings.WORKER_TASK_SECONDS + SLACK_SECONDS


@dataclass
class ProgressCheck:
    """Whether anything gets done. Only changes count, not times, so that a moved clock deceives nobody."""

    limit_seconds: float
    last_beat: datetime | None = None
    is_first_look: bool = True
    quiet_since: float = field(default_factory=time.monotonic)
    is_asked: bool = False

    def check(self) -> bool:
        """Whether there was progress since the last look. Asks for a beat when it is quiet."""
        beat = Heartbeat.objects.filter(process=task_queue.WORKER).values_list("beat_at", flat=True).first()
        is_new = beat != self.last_beat and not self.is_first_look
        self.last_beat, self.is_first_look = beat, False
        if is_new:
            self.restart_clock()
            return True
        if not self.is_asked and self.quiet_seconds >= BEAT_INTERVAL_SECONDS:
            self.is_asked = task_queue.enqueue(tasks.beat)
            if not self.is_asked:
                self.restart_clock()
        return False

    def restart_clock(self) -> None:
        self.quiet_since, self.is_asked = time.monotonic(), False

    @property
    def quiet_seconds(self) -> float:
        return time.monotonic() - self.quiet_since

    def has_timed_out(self, stuck_in_vain: int) -> bool:
        """Each cluster that was killed before its first task gives the next one the limit once more: a machine that is
        too busy for a start in time would otherwise kill every one of them just before it."""
        return self.quiet_seconds > self.limit_seconds * (1 + min(stuck_in_vain, MAX_FAILED_RESTARTS))


class ClusterWatchdog:
    """Keeps one cluster running until it is told to stop; `command` starts one."""

    def __init__(self, command: list[str]) -> None:
        self.command = command
        self.progress = ProgressCheck(task_timeout_seconds())
        self.stopping = False
        self.restarts_in_vain = 0
        # of these the ones that showed no progress
        self.stuck_in_vain = 0
        # not before the first sign of life, which also ends an alarm of an earlier watchdog
        self.is_healthy = False
        self.started_at = time.monotonic()
        self.cluster: subprocess.Popen[bytes] | None = None
        # a relay that hangs cannot say so itself
        self.others = HeartbeatMonitor()
        self.disks = DiskMonitor()
        self.schedules_updated_at = time.monotonic()

    def stop(self, _number: int = 0, _frame: FrameType | None = None) -> None:
        self.stopping = True

    def run(self) -> None:
        try:
            self._start()
            while not self.stopping:
                time.sleep(CHECK_INTERVAL_SECONDS)
                self._check_once()
        finally:
            self._end()

    def _start(self) -> None:
        self.started_at = time.monotonic()
        self.progress.restart_clock()
        self.cluster = subprocess.Popen(  # noqa: S603  # our own command
            self.command,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            # by force: a stuck cluster ignores every other signal. Another thread is there only while a disk does not
            # answer (monitoring.file_systems); it waits in the kernel and holds no lock, and the child takes none
            preexec_fn=end_with_parent(os.getpid(), by=signal.SIGKILL),  # noqa: PLW1509
        )
        log.info("worker started", pid=self.cluster.pid)

    def _check_once(self) -> None:
        if self.cluster is None or self.cluster.poll() is not None:
            self._restart("worker ended")
            return
        try:
            close_old_connections()
            self.others.check_when_due()
            self.disks.check_when_due()
            self.update_schedules_when_due()
            self._restart_if_stalled()
        except QUEUE_ERRORS as problem:
            # says nothing about the cluster, which waits for the same database
            log.error("database away", error=type(problem).__name__)
            connections.close_all()
            self.progress.restart_clock()

    def update_schedules_when_due(self) -> None:
        """A clock that was ahead and is corrected leaves them asleep, while beats go on."""
        if time.monotonic() - self.schedules_updated_at >= SCHEDULES_INTERVAL_SECONDS:
            self.schedules_updated_at = time.monotonic()
            tasks.update_schedules()

    def _restart_if_stalled(self) -> None:
        if self.progress.check():
            self._note_health()
        elif self.progress.has_timed_out(self.stuck_in_vain):
            self.stuck_in_vain += 1
            self._restart("worker stuck")

    def _note_health(self) -> None:
        if not self.is_healthy:
            clear_alarm(AlarmKind.PROCESS_STUCK, task_queue.WORKER)
        self.is_healthy, self.restarts_in_vain, self.stuck_in_vain = True, 0, 0

    def _restart(self, what: str) -> None:
        if time.monotonic() - self.started_at < RESTART_DELAY_SECONDS:
            return
        log.error(what, quiet_seconds=round(self.progress.quiet_seconds))
        self.is_healthy = False
        self.restarts_in_vain += 1
        self._kill()
        self._start()
        if self.restarts_in_vain >= MAX_FAILED_RESTARTS:
            self._raise_alarm()

    def _raise_alarm(self) -> None:
        try:
            raise_alarm(AlarmKind.PROCESS_STUCK, task_queue.WORKER, coded_text("worker_not_starting"))
        except QUEUE_ERRORS as problem:
            log.error("database away", error=type(problem).__name__)

    def _end(self) -> None:
        """Tasks under way may end; what does not end in time runs again another day."""
        if self.cluster is None:
            return
        self.cluster.terminate()
        try:
            self.cluster.wait(timeout=STOP_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            log.warning("worker does not end and is killed")
        self._kill()
        try:
            remove_heartbeat(task_queue.WORKER)
        except QUEUE_ERRORS as problem:
            log.error("database away", error=type(problem).__name__)

    def _kill(self) -> None:
        """The cluster and whatever it started; they live and die in one session."""
        if self.cluster is not None:
            kill_group(self.cluster)
            self.cluster.wait()


def run_cluster() -> None:
    """django-q2's cluster in this process, until SIGTERM. None of its processes outlives the one that made it."""
    os.register_at_fork(after_in_child=_die_with_parent)
    Cluster().start()


def _die_with_parent() -> None:
    bind = end_with_parent(os.getppid(), by=signal.SIGKILL)
    if bind:
        bind()


def watch() -> None:
    """Run a cluster under a watchdog until SIGTERM or Ctrl-C."""
    _update_when_possible()
    watchdog = ClusterWatchdog([sys.executable, str(settings.BASE_DIR / "manage.py"), "worker", "--cluster"])
    signal.signal(signal.SIGTERM, watchdog.stop)
    signal.signal(signal.SIGINT, watchdog.stop)
    watchdog.run()


def _update_when_possible() -> None:
    """Schedules and alarms of this version. A database that is locked or away for a moment ends nobody."""
    for attempt in range(1, START_ATTEMPTS + 1):
        try:
            tasks.update_schedules()
            broker.clear_rejected_task_alarms()
        except QUEUE_ERRORS as problem:
            log.error("database away", error=type(problem).__name__)
            connections.close_all()
            if attempt == START_ATTEMPTS:
                raise
            time.sleep(RESTART_DELAY_SECONDS)
        else:
            return
