"""Due actions of the tests: each notes a line under its subject, in the transaction in which it is done."""

import os
import time
from datetime import datetime, timedelta
from pathlib import Path

from seller_sandbox import clock, due_actions
from seller_sandbox.due_actions import due_action
from seller_sandbox.models import DueAction, Heartbeat

NOTED = "tests.noted"


def write(subject: str, line: str) -> None:
    """Rows of the only table at hand that keeps any text."""
    now = clock.now()
    DueAction.objects.create(name=NOTED, subject=subject, arguments={"line": line}, due_at=now, done_at=now)


def lines(subject: str) -> list[str]:
    noted = DueAction.objects.filter(name=NOTED, subject=subject).order_by("id")
    return [action.arguments["line"] for action in noted]


@due_action("tests.note")
def note(subject: str, *, text: str) -> None:
    """The text and the time that the action sees."""
    write(subject, f"{text} {clock.now().isoformat()}")


@due_action("tests.note_slowly")
def note_slowly(subject: str, *, text: str) -> None:
    """The text and the process, as slow as an action that has something to do."""
    time.sleep(0.005)
    write(subject, f"{text} {os.getpid()}")


@due_action("tests.follow_up")
def follow_up(subject: str, *, hours: list[int]) -> None:
    """Note this, and schedule the next one so many hours later."""
    note(subject, text="follow-up")
    if hours:
        at = clock.now() + timedelta(hours=hours[0])
        due_actions.schedule("tests.follow_up", at=at, subject=subject, hours=hours[1:])


@due_action("tests.fail")
def fail(subject: str, *, until: str) -> None:
    """Leave a row behind and fail, until this time of the sandbox's clock."""
    Heartbeat.objects.create(name=f"fail {clock.now().isoformat()}"[:40], at=clock.now())
    if clock.now() < datetime.fromisoformat(until):
        raise RuntimeError("not yet")
    note(subject, text="at last")


@due_action("tests.cancel_notes")
def cancel_notes(subject: str) -> None:
    """Take back every note of this subject."""
    due_actions.cancel("tests.note", subject=subject)


def run_together(folder: Path, *, processes: int) -> None:
    """Do what is due, one at a time, as soon as so many processes have come here."""
    (folder / f"ready-{os.getpid()}").touch()
    while len(list(folder.glob("ready-*"))) < processes:
        time.sleep(0.01)
    while due_actions.run_due(limit=1):
        time.sleep(0.005)
