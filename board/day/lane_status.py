"""How an engineer's day goes, in the row head: jobs to reassign first, then the worst risk of the row's cards."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from board import formatting
from board.day.cards import Card
from board.links import Link, job_link
from dispatch.risk import Level
from engineers.models import Engineer


@dataclass(frozen=True)
class LaneStatus:
    """`text` in words; `reason`: which job it is about and why, where one is in danger; `links`: that job."""

    text: str
    level: Level = Level.NONE
    reason: str = ""
    links: tuple[Link, ...] = ()

    @property
    def css_class(self) -> str:
        """As loud as the cards are."""
        return {Level.LATE: "is-trouble", Level.AT_RISK: "is-at-risk"}.get(self.level, "")


def build_lane_status(
    engineer: Engineer,
    cards: Sequence[Card],
    *,
    is_working: bool,
    to_reassign: Sequence[Card],
    has_jobs: bool,
) -> LaneStatus:
    """`cards`: of the whole day, of which those `to_reassign` come first. `has_jobs`: also those that the reader may
    not see."""
    worst = _worst(to_reassign or cards)
    reason = f"{worst.title}: {worst.risk.reason}" if worst else ""
    links = (job_link(worst.job_id, title=worst.title),) if worst else ()
    if to_reassign:
        number = len(to_reassign)
        parameters = {
            "why": _away(engineer, is_working=is_working),
            "jobs": ngettext("%(number)d job to reassign", "%(number)d jobs to reassign", number)
            % {"number": number},
        }
        return LaneStatus(_("%(why)s · %(jobs)s") % parameters, Level.LATE, reason, links)
    if worst:
        return LaneStatus(_risk_text(worst), worst.level, reason, links)
    if not is_working:
        return LaneStatus(_away(engineer, is_working=False))
    return LaneStatus(str(Level.NONE.label) if has_jobs else _("No jobs"))


def _worst(cards: Sequence[Card]) -> Card | None:
    """None where none is in danger."""
    in_danger = (card for card in cards if card.level != Level.NONE)
    return max(in_danger, key=lambda card: card.severity, default=None)


def _risk_text(card: Card) -> str:
    """By how much it is late where that is known; otherwise the level."""
    if not card.late_minutes:
        return card.risk.label
    late = formatting.format_duration(timedelta(minutes=card.late_minutes))
    return _("%(time)s late") % {"time": late}


def _away(engineer: Engineer, *, is_working: bool) -> str:
    if not engineer.user.is_active:
        return _("Suspended")
    if engineer.absences.all():
        return _("Absent")
    return _("Hours changed") if is_working else _("Not working")
