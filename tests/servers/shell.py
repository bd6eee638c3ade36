"""One Django process on a running system's data that stays: stories run code there without a start for each."""

import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import django
from django.db import connections

# a story waits for other writers; what the product's own limit does is shown in tests/config/test_sqlite_lock.py
WRITE_WAIT_SECONDS = 60
ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass
class Shell:
    """The story's end of it."""

    process: subprocess.Popen[str]

    def run(self, code: str) -> str:
        """What the code prints. Raises AssertionError with its error."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(code) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, "the shell has ended; see its log"
        printed, problem = json.loads(answer)
        assert not problem, problem
        return str(printed)


@contextmanager
def running(environment: dict[str, str], log: Path) -> Iterator[Shell]:
    with log.open("ab") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.servers.shell"],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    with process:
        yield Shell(process)


def _answer(code: str) -> tuple[str, str]:
    printed = StringIO()
    try:
        with redirect_stdout(printed):
            exec(code, {})
    except Exception as problem:
        return printed.getvalue(), repr(problem)
    finally:
        connections.close_all()
    return printed.getvalue(), ""


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    # what libraries write is no answer
    os.dup2(2, 1)
    # as in manage.py
    gc.disable()
    django.setup()
    for database in connections.settings.values():
        if database["ENGINE"] == "config.sqlite":
            database["OPTIONS"]["timeout"] = WRITE_WAIT_SECONDS
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
