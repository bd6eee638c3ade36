"""Whose areas whoever asks may see: set for the time of a request by engineers.permissions, and everything elsewhere,
as for the worker and the seller's server. Querysets read it by `in_scope()`, so that no page can forget whom it is for.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class AreaScope:
    """`areas` are keys and `names` the names of the areas; None for somebody who sees every area. `own` are the
    postcode codes of these areas, `others` those that other areas name."""

    areas: frozenset[int] | None = None
    names: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()

    @property
    def is_limited(self) -> bool:
        return self.areas is not None

    def covers(self, other: "AreaScope") -> bool:
        """Whether whoever has `other` sees nothing that this one does not."""
        return self.areas is None or (other.areas is not None and other.areas <= self.areas)


EVERYWHERE = AreaScope()
_current: ContextVar[AreaScope] = ContextVar("area_scope", default=EVERYWHERE)


def current_scope() -> AreaScope:
    return _current.get()


@contextmanager
def limited_to(scope: AreaScope) -> Iterator[None]:
    token = _current.set(scope)
    try:
        yield
    finally:
        _current.reset(token)
