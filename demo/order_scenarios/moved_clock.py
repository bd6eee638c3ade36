"""The sandbox's moved clock for our own processes: libfaketime adds the offset that a file holds (docs/adr/0021)."""

import os
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from django.utils import timezone

from demo.rehearsal.app_client import SessionError

LIBRARIES = Path("/usr/lib")
MOVED_PROCESS = Path(__file__).parent / "moved_process"
# the seller's days and slots are those of its customers
LOCAL_ZONE = ZoneInfo("Europe/London")


@dataclass
class MovedClock:
    """A visit clock, too: what a simulated engineer does happens at sandbox time."""

    file: Path
    offset: timedelta = timedelta()

    def now(self) -> datetime:
        return timezone.now() + self.offset

    def local_now(self) -> datetime:
        return self.now().astimezone(LOCAL_ZONE)

    def spend(self, minutes: float) -> None:
        """A visit of a scenario has no pauses."""

    def follow(self, sandbox_now: datetime) -> None:
        """Show from now on what the sandbox's clock shows; a reader finds the old offset or the new one."""
        self.offset = timedelta(seconds=round((sandbox_now - timezone.now()).total_seconds()))
        self.file.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.file.with_suffix(".new")
        fresh.write_text(f"{self.offset.total_seconds():+.0f}\n")
        fresh.replace(self.file)

    def environment(self) -> dict[str, str]:
        """Variables of a process that shall show this time. Raises SessionError without libfaketime."""
        return {
            "LD_PRELOAD": str(_library()),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            # read at each look: all processes move at once
            "FAKETIME_NO_CACHE": "1",
            # waiting times pass as they really do
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
            # its sitecustomize.py: time.sleep as it should be
            "PYTHONPATH": str(MOVED_PROCESS),
        }


def _library() -> Path:
    found = sorted(LIBRARIES.glob("*/faketime/libfaketimeMT.so.1"))
    if not found:
        raise SessionError("libfaketime is missing: install the package faketime (apt-get install faketime)")
    return found[0]


def is_clock_movable() -> bool:
    return os.name == "posix" and any(LIBRARIES.glob("*/faketime/libfaketimeMT.so.1"))
