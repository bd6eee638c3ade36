"""What has changed since the boards were last sent something: one look for all of them, whatever their number."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from django.utils import timezone

from board.board_version import BoardVersion, read_version
from board.day.live_parts import BoardParts, BoardView, render_parts
from board.presence import Visitor, list_visitors, visible_visitors
from dispatch.models import JobEvent
from engineers.area_scope import postcode_filter
from engineers.current_scope import AreaScope, limited_to


@dataclass(frozen=True)
class BoardMessage:
    """One event of the stream; for the boards of one view, or for all."""

    event: str
    data: dict[str, Any]
    view: BoardView | None = None


@dataclass
class BoardWatch:
    """What was sent to the boards of each view last. For one thread at a time.

    `version` was read before the parts, `complete_version` after them: a page of the latter has all that they have.
    """

    version: BoardVersion | None = None
    complete_version: BoardVersion | None = None
    visitors: dict[AreaScope, list[Visitor]] = field(default_factory=dict)
    parts: dict[BoardView, BoardParts] = field(default_factory=dict)

    def look(self, views: Collection[BoardView]) -> list[BoardMessage]:
        """What these boards must be sent now; a view that is new is known afterwards."""
        return [*self._look_at_version(views), *self._look_at_visitors(views)]

    def greeting(self, view: BoardView) -> dict[str, Any]:
        """For a board that joins: what its page must be, and who is at which job."""
        return {"version": str(self.complete_version), **_visitors(self.visitors.get(view.viewer.scope, []))}

    def _look_at_version(self, views: Collection[BoardView]) -> Iterator[BoardMessage]:
        # read before the board: a change in between makes the boards look old, never new
        version, earlier, now = read_version(), self.version, timezone.now()
        for view in self.parts.keys() - views:
            del self.parts[view]
        jobs = _changed_jobs_by_scope(views, earlier, version)
        outdated = [view for view in views if view not in self.parts or version != earlier]
        for view in outdated:
            known = self.parts.get(view)
            fresh = self.parts[view] = render_parts(view, now=now, earlier=known)
            if known is not None and earlier is not None:
                numbers = jobs[view.viewer.scope]
                yield _message(view, known, fresh, version=version, earlier=earlier, jobs=numbers)
        self.version = version
        if outdated:
            self.complete_version = read_version()

    def _look_at_visitors(self, views: Collection[BoardView]) -> Iterator[BoardMessage]:
        everybody, earlier = list_visitors(timezone.now()), self.visitors
        self.visitors = {}
        for scope in {view.viewer.scope for view in views}:
            with limited_to(scope):
                self.visitors[scope] = visible_visitors(everybody)
        changed = {scope for scope, found in self.visitors.items() if found != earlier.get(scope, [])}
        if changed and not any(scope.is_limited for scope in self.visitors):
            yield BoardMessage("presence", _visitors(everybody))
            return
        for view in views:
            if view.viewer.scope in changed:
                yield BoardMessage("presence", _visitors(self.visitors[view.viewer.scope]), view)


def _visitors(found: Iterable[Visitor]) -> dict[str, Any]:
    return {"visitors": [asdict(visitor) for visitor in found]}


def _changed_jobs_by_scope(
    views: Collection[BoardView], earlier: BoardVersion | None, version: BoardVersion
) -> dict[AreaScope, list[str]]:
    """A board is told the numbers of the jobs that its reader may see, and of no other."""
    found: dict[AreaScope, list[str]] = {}
    for scope in {view.viewer.scope for view in views}:
        with limited_to(scope):
            found[scope] = _changed_jobs(earlier, version)
    return found


def _changed_jobs(earlier: BoardVersion | None, version: BoardVersion) -> list[str]:
    if earlier is None or earlier.last_event == version.last_event:
        return []
    events = JobEvent.objects.filter(postcode_filter("job__"), pk__gt=earlier.last_event)
    return sorted(set(events.values_list("job__provider_job_id", flat=True)))


def _message(
    view: BoardView,
    known: BoardParts,
    fresh: BoardParts,
    *,
    version: BoardVersion,
    earlier: BoardVersion,
    jobs: list[str],
) -> BoardMessage:
    """The parts that differ; `is_personal`: also what only the reader's own page can say has changed."""
    if known.shape != fresh.shape:
        return BoardMessage("reload", {"version": str(version)}, view)
    data = {
        "version": str(version),
        "parts": fresh.changed_since(known),
        "jobs": jobs,
        "is_personal": version.trouble != earlier.trouble,
    }
    return BoardMessage("change", data, view)
