"""The last log lines for a support bundle: only events that our own code writes, and of them only harmless members."""

import json
import re
import shutil
import subprocess
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings

JOURNAL = ("journalctl", "--unit", "fibre-dispatch-*", "--output", "cat", "--no-pager", "--lines")
JOURNAL_SECONDS = 30
# a line that is longer is no line of ours
LONGEST_LINE = 20_000
WRITTEN = re.compile(r"\.(?:debug|info|warning|error|critical|exception)\(\s*\"([^\"{}]+)\"")
NUMBER_MEMBERS = frozenset(
    {"status", "milliseconds", "attempts", "seconds", "port", "pid", "threads", "times"}
)
# no spaces and no @: a name, an address or a sentence has no such shape
SHAPES = {
    **dict.fromkeys(("level", "logger"), re.compile(r"[a-z_.]{1,60}")),
    "timestamp": re.compile(r"[0-9TZ:.+-]{10,40}"),
    "request_id": re.compile(r"[A-Za-z0-9-]{8,64}"),
    **dict.fromkeys(("route", "task", "part", "kind", "outcome", "cause"), re.compile(r"[a-z0-9_:.-]{1,60}")),
    "method": re.compile(r"[A-Z]{1,10}"),
    "operation": re.compile(r"[A-Za-z]{1,40}"),
    "error": re.compile(r"[A-Za-z]{1,60}"),
}


def last_lines(files: Iterable[Path], *, most: int) -> list[dict[str, Any]]:
    """Of each file, or of the journal without files; what is no JSON line of ours is left out."""
    sources = [_tail(path, most) for path in files] or [_journal(most)]
    return [line for source in sources for text in source if (line := open_line(text))]


def open_line(text: str) -> dict[str, Any]:
    """The harmless members of a line; empty for a line that is not ours."""
    try:
        line = json.loads(text[:LONGEST_LINE])
    except ValueError:
        return {}
    event = line.get("event") if isinstance(line, dict) else None
    if not isinstance(event, str) or event not in our_events():
        return {}
    return {"event": event, **{name: value for name, value in line.items() if _is_harmless(name, value)}}


def _is_harmless(name: str, value: Any) -> bool:
    if name in NUMBER_MEMBERS:
        return isinstance(value, int | float)
    shape = SHAPES.get(name)
    return shape is not None and isinstance(value, str) and shape.fullmatch(value) is not None


@cache
def our_events() -> frozenset[str]:
    """Each event that stands in our code as it is; a text that is put together while the program runs is none."""
    base = Path(settings.BASE_DIR)
    ours = [Path(app.path) for app in apps.get_app_configs() if Path(app.path).parent == base]
    files = [path for folder in ours for path in folder.rglob("*.py")]
    return frozenset(event for path in files for event in WRITTEN.findall(path.read_text()))


def _tail(path: Path, most: int) -> Iterator[str]:
    with path.open(errors="replace") as lines:
        yield from deque(lines, maxlen=most)


def _journal(most: int) -> Iterator[str]:
    """Nothing where there is no journal, or we may not read it."""
    if not shutil.which(JOURNAL[0]):
        return
    done = subprocess.run(  # noqa: S603
        [*JOURNAL, str(most)], capture_output=True, check=False, timeout=JOURNAL_SECONDS
    )
    yield from done.stdout.decode(errors="replace").splitlines()
