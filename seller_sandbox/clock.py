"""The sandbox's clock, which can be moved forward by any step: what falls due meanwhile is done in order of time."""

from datetime import datetime

from django.db.models import F

from seller_sandbox import due_actions
from seller_sandbox.models import Clock
from seller_sandbox.sandbox_time import at, now, offset, today

# a commit costs more than most actions, and a year of a town has many
ACTIONS_TOGETHER = 50

__all__ = ["advance", "at", "move", "now", "offset", "today"]


def advance(*, seconds: int) -> datetime:
    """Set the clock forward and say what it shows now; nothing that falls due is done here."""
    Clock.objects.get_or_create(pk=1)
    Clock.objects.filter(pk=1).update(offset_seconds=F("offset_seconds") + seconds)
    return now()


def move(*, seconds: int) -> datetime:
    """Set the clock forward, do what fell due on the way, each at its own time, and say what the clock shows now."""
    advance(seconds=seconds)
    due_actions.run_due(together=ACTIONS_TOGETHER)
    return now()
