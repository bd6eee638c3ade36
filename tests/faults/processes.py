"""Our own processes under attack: started, killed with -9, frozen, and started again by a keeper."""

import os
import signal
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from demo.process_manager import ProcessSpec
from tests.background.worker_process import descendants, eventually, parents

LOOK_EVERY_SECONDS = 0.05
# far above what a busy machine needs to end a process that has got SIGKILL
ORPHAN_SECONDS = 30


@dataclass
class KeptProcess:
    """One process that always runs: who dies is started again at the next look."""

    child: ProcessSpec
    logs: Path
    process: subprocess.Popen[bytes] | None = None
    kills: int = 0
    held: bool = False
    orphans: list[str] = field(default_factory=list)

    def start(self) -> None:
        with (self.logs / f"{self.child.name}.log").open("ab") as log:
            self.process = subprocess.Popen(
                self.child.command,
                env={**os.environ, **self.child.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def kill(self) -> bool:
        """kill -9 of the main process alone, as the kernel does it: all that came from it must end by itself.

        Returns whether somebody was there to die; who lives on is an orphan (and is killed then).
        """
        # held on to: the keeper may put the next one in its place before we have waited
        process = self.process
        if process is None or process.poll() is not None:
            return False
        family = descendants(process.pid)
        process.kill()
        process.wait()
        self._await_end(family)
        self.kills += 1
        return True

    def _await_end(self, family: list[int]) -> None:
        """Old processes that answer as well as new ones would make each kill a kill of nothing."""
        if eventually(lambda: not set(family) & set(parents()), seconds=ORPHAN_SECONDS):
            return
        left = sorted(set(family) & set(parents()))
        self.orphans.append(f"{self.child.name}: processes {left} outlived their killed main process")
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def signal(self, number: int) -> None:
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    def end(self) -> None:
        """Politely, as an operator would; by force after ten seconds."""
        self.held = True
        if self.is_running() and self.process is not None:
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(10)
        self.signal(signal.SIGKILL)


@dataclass
class Keeper:
    """Looks after processes from a thread of its own."""

    processes: dict[str, KeptProcess] = field(default_factory=dict)
    stopped: threading.Event = field(default_factory=threading.Event)
    watcher: threading.Thread | None = None

    def add(self, child: ProcessSpec, *, logs: Path) -> KeptProcess:
        logs.mkdir(parents=True, exist_ok=True)
        process = KeptProcess(child, logs)
        process.start()
        # not before it runs: the watcher would start it, too, and nobody would ever end the first of the two
        self.processes[child.name] = process
        return process

    def watch(self) -> None:
        self.watcher = threading.Thread(target=self._watch, daemon=True)
        self.watcher.start()

    def _watch(self) -> None:
        while not self.stopped.wait(LOOK_EVERY_SECONDS):
            for process in list(self.processes.values()):
                if not process.held and not process.is_running():
                    process.start()

    def orphans(self) -> list[str]:
        return [sentence for process in self.processes.values() for sentence in process.orphans]

    def stop(self) -> None:
        self.stopped.set()
        if self.watcher is not None:
            # it may be about to start one again
            self.watcher.join()
        for process in self.processes.values():
            process.end()


def kill_at_random(keeper: Keeper, *, names: list[str], kills: int, chance: Random, pause: float) -> int:
    """So many kills, one process after the other at points that nobody chose; returns how many hit."""
    hit = 0
    while hit < kills:
        time.sleep(chance.uniform(0, 2 * pause))
        hit += keeper.processes[chance.choice(names)].kill()
    return hit
