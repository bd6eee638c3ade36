"""Children are started again when they die, and none outlives the supervisor. Real processes."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from demo.environment import wait_until
from demo.process_manager import MAX_QUICK_EXITS, ProcessManager, ProcessSpec

ROOT = Path(__file__).resolve().parent.parent.parent
SLEEPER = "import time; print('up', flush=True); time.sleep(60)"
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"


def child(name: str, code: str, **environment: str) -> ProcessSpec:
    return ProcessSpec(name, [sys.executable, "-c", code], environment)


def eventually(condition: Callable[[], bool]) -> bool:
    """A minute or two: beside other processes ours begin slowly."""
    return wait_until(condition, seconds=120)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.fixture
def messages() -> list[str]:
    return []


@pytest.fixture
def supervisor(tmp_path: Path, messages: list[str]) -> Iterator[ProcessManager]:
    made = ProcessManager(folder=tmp_path, logs=tmp_path / "logs", say=messages.append)
    yield made
    made.stop()


def test_child_gets_its_environment_and_its_log(supervisor: ProcessManager) -> None:
    supervisor.start([child("greeter", "import os; print(os.environ['WORD'])", WORD="hello")])

    assert eventually(lambda: supervisor.log_of("greeter").read_text().startswith("hello\n"))


def test_dead_child_is_started_again_and_reported(supervisor: ProcessManager, messages: list[str]) -> None:
    supervisor.start([child("sleeper", SLEEPER)])
    first = supervisor.running[0].process
    first.kill()
    first.wait()

    supervisor.restart_ended()

    assert messages == ["sleeper ended after 0 s (signal SIGKILL); started again"]
    assert supervisor.running[0].process.pid != first.pid
    assert supervisor.running[0].process.poll() is None


def test_child_that_keeps_dying_is_given_up_by_name(supervisor: ProcessManager, messages: list[str]) -> None:
    supervisor.start([child("broken", "raise SystemExit(3)"), child("sleeper", SLEEPER)])

    supervisor.watch(until=lambda: len(supervisor.running) == 1)

    assert [line.split(";")[0] for line in messages] == [
        *["broken ended after 0 s (exit code 3)"] * (MAX_QUICK_EXITS - 1),
        "broken ended after 0 s (exit code 3), 5 times in a row",
    ]
    assert [process.child.name for process in supervisor.running] == ["sleeper"]


def test_stop_ends_also_a_child_that_ignores_the_request(
    supervisor: ProcessManager, messages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("demo.process_manager.STOP_TIMEOUT_SECONDS", 1)
    supervisor.start([child("deaf", DEAF), child("sleeper", SLEEPER)])
    assert eventually(lambda: "up" in supervisor.log_of("deaf").read_text())
    pids = [process.process.pid for process in supervisor.running]

    supervisor.stop()

    assert [is_alive(pid) for pid in pids] == [False, False]
    assert messages == ["deaf does not end and is killed"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_no_child_outlives_the_supervisor(tmp_path: Path, number: signal.Signals) -> None:
    program = textwrap.dedent(
        f"""
        import sys
        from pathlib import Path
        from demo.process_manager import ProcessSpec, ProcessManager

        folder = Path({str(tmp_path)!r})
        supervisor = ProcessManager(folder=folder, logs=folder / "logs", say=print)
        supervisor.stop_on_signals()
        supervisor.start([ProcessSpec("sleeper", [sys.executable, "-c", {SLEEPER!r}], {{}})])
        print(supervisor.running[0].process.pid, flush=True)
        try:
            supervisor.watch()
        finally:
            supervisor.stop()
        """
    )
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert eventually(lambda: "up" in (tmp_path / "logs" / "sleeper.log").read_text())

    parent.send_signal(number)
    parent.wait(timeout=20)
    parent.stdout.close()

    assert eventually(lambda: not is_alive(pid))


def test_log_that_has_grown_is_turned_over(
    supervisor: ProcessManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("demo.process_manager.LOG_MAX_BYTES", 1000)
    supervisor.start([child("writer", "import time\nwhile 1: print('x' * 99, flush=True); time.sleep(0.01)")])
    log = supervisor.log_of("writer")
    assert eventually(lambda: log.stat().st_size > 1000)

    supervisor.rotate_logs()

    assert log.with_suffix(".log.1").stat().st_size > 1000
    assert eventually(lambda: log.stat().st_size > 0)
    assert set(log.read_text().split()) == {"x" * 99}
