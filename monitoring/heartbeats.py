"""Whether the background works: a process whose heartbeat has stopped is an alarm, raised by any other that lives."""

import os
import socket
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Any

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from monitoring import alarms
from monitoring.coded_texts import coded_text
from monitoring.health_checks import NotReady
from monitoring.models import AlarmKind, Heartbeat
from monitoring.processes import is_running

RELAY, WEB, SERVER, WORKER = "relay ", "web ", "seller server ", "worker"
BOARD_STREAM, WEBHOOKS = "board stream ", "webhooks "
# several of each, with host and process id in their name; another one can take the place of one that was killed
REPLACEABLE = (RELAY, WEB, SERVER, BOARD_STREAM, WEBHOOKS)
# every installation needs one of each
REQUIRED = (RELAY, SERVER, WORKER)
MAX_HOST_LENGTH = 53
# the same number on every Linux: PROC_PID_INIT_INO
PID_NAMESPACE_OF_THE_HOST = "pid:[4026531836]"
CHECK_INTERVAL_SECONDS = 5.0
# who looks no oftener than this was away, perhaps together with the database and everybody else
MONITOR_GAP_SECONDS = 20.0
SERVER_BEAT_SECONDS = 5.0
# who has not beaten for so long will not come back under this name
FORGET_AFTER = timedelta(hours=1)
# longer than a restart takes
MISSING_AFTER_SECONDS = 180.0
# its own watchdog starts it again within a minute; this is for when that one is gone, too
WORKER_SLACK_SECONDS = 60.0


@dataclass
class LastBeat:
    """The last beat that we know, since when by our own clock, and whether it has ever changed under our eyes."""

    beat_at: datetime
    since: float
    is_beating: bool = False


class HeartbeatMonitor:
    """For a process that looks again and again. Only changes count, not times: a moved clock deceives nobody."""

    def __init__(self, *, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._seen: dict[str, LastBeat] = {}
        # since when by our own clock no process of a required kind has a row
        self._missing_since: dict[str, float] = {}
        self._looked_at = float("-inf")

    def check_when_due(self) -> None:
        """Cheap when called more often than every CHECK_INTERVAL_SECONDS."""
        if self._clock() - self._looked_at >= CHECK_INTERVAL_SECONDS:
            self.check()

    def check(self) -> None:
        """Raise PROCESS_STUCK for who has fallen silent and for a required kind that has not come up; clear it for who
        beats again, was replaced or ended well."""
        now = self._clock()
        beats = {row.process: row for row in Heartbeat.objects.all()}
        if now - self._looked_at > MONITOR_GAP_SECONDS:
            self._seen.clear()
            self._missing_since.clear()
        self._looked_at = now
        self._notice(beats, now)
        silent = self._silent(now)
        alive = [row for name, row in beats.items() if name not in silent]
        for process in silent:
            if _is_replaced(beats[process], alive):
                # unless it beats at this very moment
                Heartbeat.objects.filter(pk=beats[process].pk, beat_at=beats[process].beat_at).delete()
                beats.pop(process)
            else:
                _alarm(process, beats[process].beat_at)
        self._clear(set(beats))
        self._raise_missing(missing_processes(set(beats)), now)

    def _notice(self, beats: dict[str, Heartbeat], now: float) -> None:
        self._seen = {name: seen for name, seen in self._seen.items() if name in beats}
        for name, row in beats.items():
            known = self._seen.get(name)
            if known is None or known.beat_at != row.beat_at:
                self._seen[name] = LastBeat(row.beat_at, now, is_beating=known is not None)

    def _silent(self, now: float) -> list[str]:
        found = [
            name for name, seen in self._seen.items() if now - seen.since >= _silence_limit_seconds(name)
        ]
        for name in found:
            self._seen[name].is_beating = False
        return found

    def _clear(self, known: set[str]) -> None:
        stuck = alarms.open_alarms().filter(kind=AlarmKind.PROCESS_STUCK)
        for subject in stuck.values_list("subject", flat=True):
            is_gone = subject.startswith(REPLACEABLE) and subject not in known
            # the worker's own beat clears its alarm, and so does its watchdog
            is_back = f"{subject} " in REQUIRED and subject not in missing_processes(known)
            seen = self._seen.get(subject)
            if is_gone or is_back or (seen is not None and seen.is_beating):
                alarms.clear_alarm(AlarmKind.PROCESS_STUCK, subject)

    def _raise_missing(self, missing: list[str], now: float) -> None:
        """An old one may have removed its row before the new one failed to start, so that no row falls silent."""
        self._missing_since = {name: self._missing_since.get(name, now) for name in missing}
        due = [name for name, since in self._missing_since.items() if now - since >= MISSING_AFTER_SECONDS]
        # the worker's watchdog may say more under the same subject
        stuck = alarms.open_alarms().filter(kind=AlarmKind.PROCESS_STUCK, subject__in=due) if due else ()
        for name in set(due) - {alarm.subject for alarm in stuck}:
            alarms.raise_alarm(
                AlarmKind.PROCESS_STUCK, name, coded_text("process_missing", process_kind=name)
            )


def _silence_limit_seconds(process: str) -> float:
    if process.startswith(REPLACEABLE):
        return float(settings.HEARTBEAT_SILENT_SECONDS)
    return float(settings.WORKER_TASK_SECONDS) + WORKER_SLACK_SECONDS


def stale_processes() -> list[str]:
    """Those whose heartbeat is older by the clock than the alarm would wait, and those that are missing: for who looks
    only once."""
    now = timezone.now()
    beats = dict(Heartbeat.objects.order_by("process").values_list("process", "beat_at"))
    silent = [
        process
        for process, beat_at in beats.items()
        if (now - beat_at).total_seconds() > _silence_limit_seconds(process)
    ]
    return silent + missing_processes(beats)


def missing_processes(known: Collection[str]) -> list[str]:
    """The required kinds of which none is among these names; each is the subject of its alarm."""
    return [kind.strip() for kind in REQUIRED if not any(name.startswith(kind) for name in known)]


def process_name(kind: str) -> str:
    """What a process of this kind is called: `relay host 123`."""
    return f"{kind}{host_name()} {os.getpid()}"


def host_name() -> str:
    """Long ones without their middle, so that `Heartbeat.process` holds it with every kind and number."""
    namespace = _pid_namespace()
    name, length = socket.gethostname(), MAX_HOST_LENGTH - len(namespace)
    half = (length - 1) // 2
    return (name if len(name) <= length else f"{name[:half]}~{name[-half:]}") + namespace


def _pid_namespace() -> str:
    """Of a container, in which process ids begin anew while several may share the host's name; elsewhere nothing."""
    try:
        found = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""
    return "" if found == PID_NAMESPACE_OF_THE_HOST else f"/{found.strip('pid:[]')}"


def initial_facts(now: datetime) -> dict[str, str]:
    """What a heartbeat says of its process' beginning."""
    return {"began_at": now.isoformat()}


def record_beat(process: str, facts: dict[str, Any]) -> None:
    Heartbeat.objects.update_or_create(process=process, defaults={"beat_at": timezone.now(), "facts": facts})


def check_heartbeat(kind: str) -> None:
    """For `/readyz`: raises NotReady unless a process of this kind has beaten within the time that its alarm waits."""
    newest = Heartbeat.objects.filter(process__startswith=kind).order_by("-beat_at").first()
    beat_at = newest.beat_at if newest else None
    if beat_at is None or timezone.now() - beat_at > timedelta(seconds=_silence_limit_seconds(kind)):
        since = f"since {beat_at.isoformat()}" if beat_at else "found"
        raise NotReady(f"no {kind.strip()} heartbeat {since}")


def remove_heartbeat(process: str) -> None:
    """A process that was stopped deliberately leaves no heartbeat that somebody could miss."""
    Heartbeat.objects.filter(process=process).delete()
    alarms.clear_alarm(AlarmKind.PROCESS_STUCK, process)


def forget_silent_processes(now: datetime) -> None:
    """Those that were killed, after FORGET_AFTER, if another one of their kind has beaten since. The last of its kind
    keeps its row, and so its alarm and its line on the status page: nobody does its work."""
    beats = list(Heartbeat.objects.values_list("process", "beat_at"))
    newest: dict[str, datetime] = {}
    for process, beat_at in beats:
        newest[_kind(process)] = max(beat_at, newest.get(_kind(process), beat_at))
    for process, beat_at in beats:
        if beat_at < now - FORGET_AFTER and beat_at < newest[_kind(process)]:
            # unless it beats at this very moment
            Heartbeat.objects.filter(process=process, beat_at=beat_at).delete()


def _kind(process: str) -> str:
    """Of a name that `process_name` has made; the worker has no host and number."""
    return process.rsplit(" ", 2)[0]


def _is_replaced(silent: Heartbeat, alive: list[Heartbeat]) -> bool:
    """Another one of its kind has begun since and beats: a supervisor has started it in the place of this one."""
    kind = next((prefix for prefix in REPLACEABLE if silent.process.startswith(prefix)), None)
    if kind is None or _is_running_here(silent.process):
        return False
    began = [parse_datetime(row.facts.get("began_at", "")) for row in alive if row.process.startswith(kind)]
    return any(moment is not None and moment > silent.beat_at for moment in began)


def _is_running_here(process: str) -> bool:
    """Stopped or hanging on this machine: then nobody has taken its place, whoever else was started."""
    _kind, host, pid = process.rsplit(" ", 2)
    return host == host_name() and is_running(pid)


def _alarm(process: str, beat_at: datetime) -> None:
    text = coded_text("process_stuck", process=process, since_at=beat_at)
    alarms.raise_alarm(AlarmKind.PROCESS_STUCK, process, text)


log = structlog.get_logger("monitoring.heartbeats")


class HeartbeatWriter(threading.Thread):
    """Beats every SERVER_BEAT_SECONDS until `end`, as long as the process `is_healthy`.

    A database that is away is asked again at the next beat.
    """

    def __init__(self, kind: str, *, is_healthy: Callable[[], bool]) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self._is_healthy = is_healthy
        self.process = process_name(kind)
        self._facts = initial_facts(timezone.now())
        self._ended = threading.Event()

    def run(self) -> None:
        while True:
            if self._is_healthy():
                self._beat()
            if self._ended.wait(SERVER_BEAT_SECONDS):
                return

    def end(self) -> None:
        """A process that was stopped deliberately is not reported as missing."""
        self._ended.set()
        # one that is being written now would come after its removal
        self.join(timeout=SERVER_BEAT_SECONDS)
        with suppress(DatabaseError, InterfaceError):
            remove_heartbeat(self.process)
        connection.close()

    def _beat(self) -> None:
        try:
            record_beat(self.process, self._facts)
        except (DatabaseError, InterfaceError) as problem:
            log.warning("heartbeat not written", error=type(problem).__name__)
        finally:
            with suppress(DatabaseError, InterfaceError):
                connection.close()
