"""For whom a board is drawn, and how that dispatcher wants it.

What a dispatcher chose is kept in the session, so that it is the same after the next sign-in of the day; a page that is
open already keeps its own, on its way to another day too.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from django.db import models
from django.http import HttpRequest, QueryDict
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from board.day.timeline import Span
from engineers.area_scope import scope_of
from engineers.current_scope import EVERYWHERE, AreaScope
from engineers.models import Right, User

SESSION_KEY = "board_view"
# what the page shows that fetches itself anew (static/js/board/live/live_updates.js)
PAGE_HEADER = "Board-View"
# with more engineers than this the rows are compact unless somebody chose otherwise
COMPACT_ABOVE = 20


@dataclass(frozen=True)
class Viewer:
    """`can_move`: cards can be moved; `scope`: whose areas are on show."""

    can_move: bool = True
    scope: AreaScope = EVERYWHERE


def viewer_of(user: User) -> Viewer:
    """One query."""
    return Viewer(user.may(Right.CHANGE_JOBS), scope_of(user))


class Density(models.TextChoices):
    COMFORTABLE = "comfortable", _("Comfortable")
    COMPACT = "compact", _("Compact")
    DENSE = "dense", _("Dense")


class Sort(models.TextChoices):
    """The order of the engineers inside their area."""

    NAME = "name", _("Name")
    LATENESS = "lateness", _("Lateness")
    LOAD = "load", _("Load")


class UnassignedSort(models.TextChoices):
    """By what the unassigned jobs are grouped, and in which order."""

    WINDOW = "window", _("Window")
    RISK = "risk", _("Risk")


class EndedJobs(models.TextChoices):
    """Closed and cancelled jobs in the rows of the engineers."""

    VISIBLE = "visible", _("Show")
    FOLDED = "folded", _("Fold away")


class Layout(models.TextChoices):
    """What the middle of the board shows."""

    TIMELINE = "timeline", _("Timeline")
    SPLIT = "split", _("Split")
    MAP = "map", _("Map")


CHOICES = {
    "density": Density,
    "sort": Sort,
    "unassigned_sort": UnassignedSort,
    "ended_jobs": EndedJobs,
    "span": Span,
    "layout": Layout,
}


@dataclass(frozen=True)
class ViewOptions:
    """`density` is empty until it was chosen."""

    density: str = ""
    sort: str = Sort.NAME
    unassigned_sort: str = UnassignedSort.WINDOW
    ended_jobs: str = EndedJobs.VISIBLE
    span: str = Span.DAY
    layout: str = Layout.TIMELINE

    @property
    def has_map(self) -> bool:
        return self.layout != Layout.TIMELINE

    @property
    def query(self) -> str:
        """As `PAGE_HEADER` has them."""
        return urlencode(asdict(self))

    @property
    def chosen(self) -> list[tuple[str, str]]:
        """As the address of a page has them that goes on in this view."""
        return [(name, value) for name, value in asdict(self).items() if value]

    def density_for(self, engineers: int) -> str:
        return self.density or (Density.COMPACT if engineers > COMPACT_ABOVE else Density.COMFORTABLE)


def read_view_options(fields: Mapping[str, str]) -> ViewOptions:
    """A value that is none, or none any more, counts as not chosen."""
    return ViewOptions(**_choices_in(fields))


def load_view_options(request: HttpRequest) -> ViewOptions:
    """What the page shows that asks for itself, else what its address names, else what was chosen last: perhaps in
    another tab."""
    if PAGE_HEADER in request.headers:
        return read_view_options(QueryDict(request.headers[PAGE_HEADER]))
    return _with_choices(_stored_options(request), request.GET)


def save_view_options(request: HttpRequest, fields: Mapping[str, str]) -> None:
    """Take over the choices among the fields; the others are those of the page that they come from (`view`), else stay
    as they are."""
    before = read_view_options(QueryDict(fields["view"])) if "view" in fields else _stored_options(request)
    request.session[SESSION_KEY] = asdict(_with_choices(before, fields))


def _stored_options(request: HttpRequest) -> ViewOptions:
    return read_view_options(request.session.get(SESSION_KEY, {}))


def _with_choices(options: ViewOptions, fields: Mapping[str, str]) -> ViewOptions:
    return replace(options, **_choices_in(fields))


def _choices_in(fields: Mapping[str, str]) -> dict[str, str]:
    return {name: fields[name] for name in CHOICES if fields.get(name) in CHOICES[name].values}
