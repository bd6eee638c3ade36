"""What time it is at the sandbox: the real clock plus an offset; inside a due action the action's own time."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, datetime, timedelta

from django.conf import settings
from django.utils import timezone

from seller_sandbox.compiled_queries import CompiledQuery
from seller_sandbox.models import Clock

_OFFSET = CompiledQuery(lambda: Clock.objects.filter(pk=1).values_list("offset_seconds"))
_moment: ContextVar[datetime | None] = ContextVar("sandbox_moment", default=None)


def offset() -> timedelta:
    """How far the sandbox's clock runs ahead of the real one."""
    row = _OFFSET.row()
    return timedelta(seconds=row[0] if row else 0)


def lock() -> datetime:
    """What the clock shows, its row locked until the transaction ends: due actions are done in turn."""
    row = Clock.objects.select_for_update().get_or_create(pk=1)[0]
    return timezone.now() + timedelta(seconds=row.offset_seconds)


def now() -> datetime:
    """Sandbox time: every instant on a message, in the message log and of a due action (order-decisions.md, D21)."""
    return _moment.get() or timezone.now() + offset()


def today() -> date:
    return now().astimezone(settings.LOCAL_ZONE).date()


@contextmanager
def at(moment: datetime) -> Iterator[None]:
    """Let `now()` be this moment inside the block, in this thread only."""
    token = _moment.set(moment)
    try:
        yield
    finally:
        _moment.reset(token)
