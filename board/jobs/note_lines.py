"""Notes and calls of a job as its page and its panel list them, newest first."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass

from board import formatting
from closures.fault_signs import NOTED_CAUSES
from dispatch.models import JobEvent
from dispatch.states import EventKind

MOST_IN_PANEL = 3
CAUSE_LABELS = {value: label for value, label in NOTED_CAUSES if value}


@dataclass(frozen=True)
class NoteLine:
    text: str
    caller: str
    by: str
    at: str
    is_for_engineer: bool
    cause: str


@dataclass(frozen=True)
class NotesView:
    """`note_id` of the form: a second press of the same page adds nothing."""

    lines: list[NoteLine]
    note_id: str

    causes = NOTED_CAUSES

    @property
    def newest(self) -> list[NoteLine]:
        """What the panel of the board has room for."""
        return self.lines[:MOST_IN_PANEL]

    @property
    def earlier_count(self) -> int:
        return len(self.lines) - len(self.newest)


def notes_view(events: Iterable[JobEvent]) -> NotesView:
    lines = [_line(event) for event in events if event.kind == EventKind.NOTE_ADDED]
    return NotesView(lines[::-1], str(uuid.uuid4()))


def _line(event: JobEvent) -> NoteLine:
    return NoteLine(
        # an anonymised job has no texts any more
        text=event.facts.get("note", ""),
        caller=event.facts.get("caller", ""),
        by=event.user.display_name if event.user else "",
        at=formatting.format_exact_moment(event.recorded_at),
        is_for_engineer=bool(event.facts.get("is_for_engineer")),
        cause=str(CAUSE_LABELS.get(event.facts.get("fault_party", ""), "")),
    )
