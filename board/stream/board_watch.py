"""What has changed since the boards were last sent something: one look for all of them, whatever their number."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from django.utils import timezone

from board.board_version import BoardVersion, read_version
from board.day.live_day import BoardView, LiveDay, read_live_day, update_live_day
from board.day.live_parts import BoardParts, render_parts
from board.presence import Visitor, list_visitors, visible_visitors
from dispatch.models import Job, JobEvent
from engineers.area_scope import is_in_scope
from engineers.audit import has_changes_since, newest_key
from engineers.current_scope import AreaScope, limited_to

# an event gets its key before its transaction ends, so that it may be seen after events with higher keys
MOST_OVERTAKING = 200


@dataclass
class EventTail:
    """Keys of the newest events that were seen; None before the first reading."""

    known: frozenset[int] | None = None

    def read_new(self) -> list[Job]:
        """Each job once, with what tells it from others; none the first time. Two queries."""
        newest = max(self.known, default=0) if self.known is not None else _newest_event_key()
        events = JobEvent.objects.filter(pk__gt=newest - MOST_OVERTAKING).order_by()
        jobs_by_key = dict(events.values_list("pk", "job"))
        new = jobs_by_key.keys() - (jobs_by_key.keys() if self.known is None else self.known)
        self.known = frozenset(jobs_by_key)
        found = Job.objects.filter(pk__in={jobs_by_key[key] for key in new})
        return list(found.only("provider_job_id", "postcode", "uprn"))


def _newest_event_key() -> int:
    newest = JobEvent.objects.order_by("-pk").values_list("pk", flat=True).first()
    return newest or 0


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
    days: dict[BoardView, LiveDay] = field(default_factory=dict)
    events: EventTail = field(default_factory=EventTail)
    # the audit's newest line: people, areas, skills and rules change without an event
    audited: int = 0

    def read_changes(self, views: Collection[BoardView]) -> list[BoardMessage]:
        """What these boards must be sent now; a view that is new is known afterwards."""
        return [*self._look_at_version(views), *self._look_at_visitors(views)]

    def greeting(self, view: BoardView) -> dict[str, Any]:
        """For a board that joins: what its page must be, and who is at which job."""
        return {"version": str(self.complete_version), **_visitors(self.visitors.get(view.viewer.scope, []))}

    def _look_at_version(self, views: Collection[BoardView]) -> Iterator[BoardMessage]:
        # read before the board: a change in between makes the boards look old, never new
        version, earlier, now = read_version(), self.version, timezone.now()
        self._forget_all_but(views)
        changed = self.events.read_new() if version != earlier else []
        is_more = version != earlier and self._is_more_changed(version)
        outdated = [view for view in views if version != earlier or self._is_due(view, now)]
        for key in {view.of_day for view in outdated}:
            self._read(key, None if is_more else changed, now=now)
        for view in outdated:
            known = self.parts.get(view)
            fresh = self.parts[view] = render_parts(view, self.days[view.of_day], earlier=known)
            if known is not None and earlier is not None:
                yield from _messages(view, known, fresh, version=version, earlier=earlier, changed=changed)
        self.version = version
        if outdated:
            self.complete_version = read_version()

    def _is_more_changed(self, version: BoardVersion) -> bool:
        """Whether more than the rows of the changed jobs' engineers may differ."""
        before, self.audited = self.audited, newest_key()
        is_other = self.version is None or not version.has_only_newer_events(self.version)
        return is_other or (self.audited != before and has_changes_since(before))

    def _forget_all_but(self, views: Collection[BoardView]) -> None:
        for view in self.parts.keys() - views:
            del self.parts[view]
        for key in self.days.keys() - {view.of_day for view in views}:
            del self.days[key]

    def _is_due(self, view: BoardView, now: datetime) -> bool:
        return view not in self.parts or self.days[view.of_day].is_due(now)

    def _read(self, key: BoardView, changed: list[Job] | None, *, now: datetime) -> None:
        """Only what the changed jobs have changed, unless something else may have, too."""
        known = self.days.get(key)
        if known is None or changed is None or known.is_due(now):
            self.days[key] = read_live_day(key, now=now)
        else:
            self.days[key] = update_live_day(known, key, jobs=changed, now=now)

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


def _messages(
    view: BoardView,
    known: BoardParts,
    fresh: BoardParts,
    *,
    version: BoardVersion,
    earlier: BoardVersion,
    changed: Iterable[Job],
) -> Iterator[BoardMessage]:
    """The parts that differ, and the numbers of the changed jobs that the reader may see, of no other; `is_personal`:
    also what only the reader's own page can say has changed. Nothing where nothing has changed."""
    if known.shape != fresh.shape:
        yield BoardMessage("reload", {"version": str(version)}, view)
        return
    parts = fresh.changed_since(known)
    with limited_to(view.viewer.scope):
        jobs = sorted({job.provider_job_id for job in changed if is_in_scope(job.postcode)})
    if parts or version != earlier:
        is_personal = version.trouble != earlier.trouble
        data = {
            "version": str(version),
            # a board without a day in its address becomes another one at midnight
            "today": str(timezone.localdate()),
            "parts": parts,
            "jobs": jobs,
            "is_personal": is_personal,
        }
        yield BoardMessage("change", data, view)
