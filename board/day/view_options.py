"""How a dispatcher wants the board: kept in the session, so that it is the same after the next sign-in of the day."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from django.db import models
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from board.day.timeline import Span

SESSION_KEY = "board_view"
# with more engineers than this the rows are compact unless somebody chose otherwise
COMPACT_ABOVE = 20


class Density(models.TextChoices):
    COMFORTABLE = "comfortable", _("Comfortable")
    COMPACT = "compact", _("Compact")
    DENSE = "dense", _("Dense")


class Sort(models.TextChoices):
    """The order of the engineers inside their area."""

    NAME = "name", _("Name")
    LATENESS = "lateness", _("Lateness")
    LOAD = "load", _("Load")


class Layout(models.TextChoices):
    """What the middle of the board shows."""

    TIMELINE = "timeline", _("Timeline")
    SPLIT = "split", _("Split")
    MAP = "map", _("Map")


CHOICES = {"density": Density, "sort": Sort, "span": Span, "layout": Layout}


@dataclass(frozen=True)
class ViewOptions:
    """`density` is empty until it was chosen."""

    density: str = ""
    sort: str = Sort.NAME
    span: str = Span.DAY
    layout: str = Layout.TIMELINE

    @property
    def has_map(self) -> bool:
        return self.layout != Layout.TIMELINE

    def density_for(self, engineers: int) -> str:
        return self.density or (Density.COMPACT if engineers > COMPACT_ABOVE else Density.COMFORTABLE)


def load_view_options(request: HttpRequest) -> ViewOptions:
    """What was chosen; a value that is none any more counts as not chosen."""
    stored = request.session.get(SESSION_KEY, {})
    return ViewOptions(**{name: stored[name] for name in CHOICES if stored.get(name) in CHOICES[name].values})


def save_view_options(request: HttpRequest, fields: Mapping[str, str]) -> None:
    """Take over the choices among the fields; the others stay as they are."""
    chosen = {name: fields[name] for name in CHOICES if fields.get(name) in CHOICES[name].values}
    request.session[SESSION_KEY] = asdict(load_view_options(request)) | chosen
