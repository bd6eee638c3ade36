"""The sandbox's clock, which can be moved forward by any step: what falls due meanwhile is done in order of time."""

from datetime import datetime

from django.db.models import BigIntegerField, F

from seller_sandbox import due_actions
from seller_sandbox.compiled_queries import CompiledUpdate, Parameter
from seller_sandbox.models import Clock
from seller_sandbox.sandbox_time import at, now, offset, today

# a commit costs more than most actions, and a year of a town has many
ACTIONS_TOGETHER = 50
_FORWARD = CompiledUpdate(
    lambda: Clock.objects.filter(pk=1),
    offset_seconds=F("offset_seconds") + Parameter("seconds", BigIntegerField()),
)

__all__ = ["advance", "at", "move", "now", "offset", "today"]


def advance(*, seconds: int) -> datetime:
    """Set the clock forward and say what it shows now; nothing that falls due is done here."""
    _set_forward(seconds)
    return now()


def move(*, seconds: int) -> datetime:
    """Set the clock forward, do what fell due on the way, each at its own time, and say what the clock shows now."""
    _set_forward(seconds)
    due_actions.run_due(together=ACTIONS_TOGETHER)
    return now()


def _set_forward(seconds: int) -> None:
    if not _FORWARD.run(seconds=seconds):
        # it was never set before
        Clock.objects.get_or_create(pk=1)
        _FORWARD.run(seconds=seconds)
