"""For whom a board is drawn: what decides, besides the day, what stands on it."""

from dataclasses import dataclass

from engineers.area_scope import scope_of
from engineers.current_scope import EVERYWHERE, AreaScope
from engineers.models import Right, User


@dataclass(frozen=True)
class Viewer:
    """`can_move`: cards can be moved; `scope`: whose areas are on show."""

    can_move: bool = True
    scope: AreaScope = EVERYWHERE


def viewer_of(user: User) -> Viewer:
    """One query."""
    return Viewer(user.may(Right.CHANGE_JOBS), scope_of(user))
