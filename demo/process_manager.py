"""Child processes that live and die together: started in order, restarted when they die, ended with us."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from config.storage import make_folder
from monitoring.processes import end_with_parent, kill_group

QUICK_EXIT_SECONDS = 10
MAX_QUICK_EXITS = 5
# longer than the web server waits for its own workers (config/management/commands/web.py)
STOP_TIMEOUT_SECONDS = 30
CHECK_INTERVAL_SECONDS = 0.2
# of one log; a demo that is left running for days must not fill a disk
LOG_MAX_BYTES = 20 * 1024 * 1024


@dataclass(frozen=True)
class ProcessSpec:
    """A process by name: its command, and its environment variables in addition to ours.

    `has_end`: it is done when it ends, well or badly, and is not started again.
    """

    name: str
    command: Sequence[str]
    environment: dict[str, str]
    has_end: bool = False


@dataclass
class RunningProcess:
    child: ProcessSpec
    process: subprocess.Popen[bytes]
    started_at: float
    quick_deaths: int = 0


@dataclass
class ProcessManager:
    """Runs children until told to stop; `say` gets one line for each thing a person should know.

    Their output goes to `logs/<name>.log`. A child that dies quickly five times in a row is given up by name.
    """

    folder: Path
    logs: Path
    say: Callable[[str], None]
    running: list[RunningProcess] = field(default_factory=list)
    stopping: bool = False

    def start(self, children: Sequence[ProcessSpec]) -> None:
        make_folder(self.logs)
        for child in children:
            self.running.append(RunningProcess(child, self._spawn(child), time.monotonic()))

    def stop_on_signals(self) -> None:
        """Ctrl-C, SIGTERM and a closed terminal all end the watch."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def watch(self, *, until: Callable[[], bool] = lambda: False) -> None:
        """Look after the children until a signal came or `until` says so."""
        while not self.stopping and not until():
            self.restart_ended()
            self.rotate_logs()
            time.sleep(CHECK_INTERVAL_SECONDS)

    def restart_ended(self) -> None:
        """Start again whoever died since the last time."""
        for started in list(self.running):
            code = started.process.poll()
            if code is None or self.stopping:
                continue
            if started.child.has_end:
                self._finish(started, code)
            else:
                self._restart(started, code)

    def rotate_logs(self) -> None:
        """Copied and emptied, since the child goes on writing into the same file at its end; a line that is written in
        between is lost."""
        for started in self.running:
            log = self.log_of(started.child.name)
            if log.stat().st_size > LOG_MAX_BYTES:
                shutil.copyfile(log, log.with_suffix(".log.1"))
                os.truncate(log, 0)

    def stop(self) -> None:
        """Ask every child to end, wait, and end by force whoever does not."""
        self.stopping = True
        for started in self.running:
            if started.process.poll() is None:
                started.process.terminate()
        deadline = time.monotonic() + STOP_TIMEOUT_SECONDS
        for started in self.running:
            try:
                started.process.wait(timeout=max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                self.say(f"{started.child.name} does not end and is killed")
            kill_group(started.process)
            started.process.wait()
        self.running.clear()

    def log_of(self, name: str) -> Path:
        return self.logs / f"{name}.log"

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.stopping = True

    def _finish(self, started: RunningProcess, code: int) -> None:
        self.running.remove(started)
        kill_group(started.process)
        if code:
            self.say(f"{started.child.name} failed ({_reason(code)}). See {self.log_of(started.child.name)}")

    def _restart(self, started: RunningProcess, code: int) -> None:
        lived = time.monotonic() - started.started_at
        started.quick_deaths = started.quick_deaths + 1 if lived < QUICK_EXIT_SECONDS else 0
        ended = f"{started.child.name} ended after {lived:.0f} s ({_reason(code)})"
        if started.quick_deaths >= MAX_QUICK_EXITS:
            self.say(
                f"{ended}, {MAX_QUICK_EXITS} times in a row; giving it up. See {self.log_of(started.child.name)}"
            )
            self.running.remove(started)
            return
        self.say(f"{ended}; started again")
        # what it had started itself would go on in its place
        kill_group(started.process)
        started.process, started.started_at = self._spawn(started.child), time.monotonic()

    def _spawn(self, child: ProcessSpec) -> subprocess.Popen[bytes]:
        with self.log_of(child.name).open("ab") as log:
            return subprocess.Popen(  # noqa: S603  # our own commands
                child.command,
                cwd=self.folder,
                env={**os.environ, **child.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                # a terminal's Ctrl-C reaches us alone, so that children end in order and without noise
                start_new_session=True,
                preexec_fn=end_with_parent(os.getpid()),  # noqa: PLW1509  # we have one thread
            )


def _reason(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
