"""The cards of the board: what one job shows in a lane or in the unassigned list."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from html import escape

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from board.alarms.alarm_presenter import AttentionText
from board.day.timeline import GridPosition
from board.formatting import RiskWord, StateBadge
from dispatch.risk import Level
from dispatch.skills import Flag


@dataclass(frozen=True)
class Card:
    """One job on the board; `cell` and `row` only for a job that lies in a lane."""

    job_id: str
    title: str
    kind: str
    job_type: str
    window: str
    window_half: str
    length: str
    flags: list[Flag]
    look: StateBadge
    risk: RiskWord
    needs_location: bool
    reported_late: bool
    is_held: bool
    # None where it can be neither
    is_pinned: bool | None
    can_hold: bool
    wants_hand_over: bool
    can_move: bool
    # closed or cancelled
    is_ended: bool
    window_cell: GridPosition | None
    minutes: int
    version: str
    street: str = ""
    area: str = ""
    skills: str = ""
    # a short word in place of the street; loud where somebody must act
    alert: str = ""
    is_loud: bool = False
    # since when somebody is en route or on site
    since: str = ""
    # the seller reported a failure after the job was over
    has_late_failure: bool = False
    attention: AttentionText | None = None
    planned: str = ""
    # of a team: with whom; `is_second` in the row of the second engineer
    team: str = ""
    is_second: bool = False
    cell: GridPosition | None = None
    # of the visit, where `cell` begins at another moment: before the hours on show, or off the quarter hour
    starts: str = ""
    row: int = 0
    # by the forecast, where that puts it at risk
    late_minutes: int = 0

    @property
    def level(self) -> Level:
        return Level(self.risk.slug)

    @property
    def severity(self) -> tuple[int, int]:
        """Greater is worse: a higher level, then more minutes late."""
        return self.level.severity, self.late_minutes

    @property
    def attributes(self) -> SafeString:
        """What scripts and filters read of it, as attributes of its element. Marks that are not set are left out; an
        empty `data-pinned` means that it can be pinned."""
        pinned = None if self.is_pinned is None or self.is_second else "1" if self.is_pinned else ""
        return _data_attributes(
            {
                "job": self.job_id,
                "title": self.title,
                "minutes": self.minutes,
                "starts": self.starts or None,
                "version": self.version,
                "kind": self.job_type,
                "window-half": self.window_half,
                "area": self.area,
                "skills": self.skills,
                "risk": self.risk.slug,
                "window": self.window_cell.classes if self.window_cell else None,
                "can-move": "" if self.can_move else None,
                "can-hold": "" if self.can_hold else None,
                "second": "" if self.is_second else None,
                "pinned": pinned,
            }
        )

    @property
    def look_label(self) -> str:
        """What its first icon stands for."""
        attention = self.attention.title if self.attention else ""
        return ", ".join(filter(None, [self.look.label, self.team, attention]))

    @property
    def has_marks(self) -> bool:
        return bool(self.flags or self.wants_hand_over or self.reported_late or self.is_pinned)

    @property
    def is_alert_calm(self) -> bool:
        """The word says only what was agreed."""
        is_on_time = self.risk.slug == Level.NONE and bool(self.risk.label)
        return is_on_time and not (self.is_loud or self.is_held)

    @property
    def classes(self) -> str:
        """Of the style sheet: where it lies, its state and risk, and what marks it."""
        marks = {
            "needs-attention": self.attention is not None,
            "has-alert": bool(self.alert),
            "is-second": self.is_second,
        }
        cell = self.cell.classes if self.cell else ""
        states = f"r{self.row} state-{self.look.slug} risk-{self.risk.slug}"
        return " ".join([cell, states, *(name for name, is_set in marks.items() if is_set)])

    @property
    def description(self) -> str:
        """In one line everything that its icons and short words stand for."""
        state = f"{self.look.label} {self.since}" if self.since else self.look.label
        parts = [f"{self.title} {self.street}", self.kind, self.planned, state]
        parts += [_("second engineer")] if self.is_second else []
        parts += [self.team] if self.team else []
        sentences = [", ".join(map(str, parts))]
        sentences += [self.attention.title] if self.attention else []
        sentences += [_("Provisioning failed after the job was closed")] if self.has_late_failure else []
        sentences += [f"{self.risk.label}: {self.risk.reason}"] if self.risk.label else []
        marks = [flag.label for flag in self.flags]
        marks += [_("Pinned")] if self.is_pinned else []
        marks += [_("Handover requested")] if self.wants_hand_over else []
        marks += [_("Has a sync conflict")] if self.reported_late else []
        return " · ".join([". ".join(map(str, sentences)), *map(str, marks)])

    @property
    def needs_two_lines(self) -> bool:
        """The word stands below the postcode, also in the densest rows."""
        return bool(self.alert) and (self.is_loud or self.risk.slug == Level.LATE)


def _data_attributes(values: Mapping[str, object]) -> SafeString:
    """Without those that are None. A large board has thousands: as nodes of a template they would cost far more."""
    return SafeString(
        "".join(f' data-{name}="{escape(str(value))}"' for name, value in values.items() if value is not None)
    )


def stack_cards(cards: Iterable[Card]) -> list[Card]:
    """Cards that would lie on each other (a cancelled job and its successor) get rows of their own."""
    laid = [card for card in cards if card.cell is not None]
    rows = free_rows([card.cell for card in laid if card.cell is not None])
    return [replace(card, row=row) if row else card for card, row in zip(laid, rows, strict=True)]


def free_rows(cells: Iterable[GridPosition]) -> list[int]:
    """For each position, in order, the first row in which nothing before it lies there."""
    ends: list[int] = []
    rows: list[int] = []
    for cell in cells:
        row = next((row for row, end in enumerate(ends) if end <= cell.start), len(ends))
        ends[row:] = [cell.end, *ends[row + 1 :]]
        rows.append(row)
    return rows
