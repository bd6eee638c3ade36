"""What a person must look at first on the page of a job: open alarms, held messages, late and far away reports."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from board.alarms.alarm_presenter import AlarmLine
from board.event_descriptions import event_line
from board.jobs.attendance_presenter import PositionLine
from board.jobs.evidence_presenter import ReusedLine
from board.jobs.job_panel import Panel
from board.links import Link, engineer_links
from board.messages.job_messages import MessageLine
from closures.models import Closure
from dispatch.models import JobEvent
from dispatch.states import EventKind


@dataclass(frozen=True)
class UrgentLine:
    """`tone` is alarm or warning; `alarm` is None for what is no alarm, and then nobody needs to handle it."""

    title: str
    text: str
    what_to_do: str
    tone: str
    url: str = ""
    url_text: str = ""
    alarm: AlarmLine | None = None
    # whom and what `text` names
    links: tuple[Link, ...] = ()


def urgent_lines(
    head: Panel,
    *,
    positions: Sequence[PositionLine],
    messages: Sequence[MessageLine],
    events: Sequence[JobEvent],
    unproved: Closure | None,
    reused: Sequence[ReusedLine],
) -> list[UrgentLine]:
    """The worst first. `unproved`: the closure, where no position shows that somebody was there."""
    return [
        *_alarms(head.alarms, messages),
        *_late_failure(head),
        *_reused(reused),
        *_without_position(unproved, positions),
        *_far(positions),
        *_late(events),
    ]


def _alarms(lines: Sequence[AlarmLine], messages: Sequence[MessageLine]) -> Iterator[UrgentLine]:
    """The alarms as everywhere; on the page of the job the held message itself is one press away."""
    held = next((message for message in messages if message.is_held), None)
    for line in lines:
        if held and line.is_held_message:
            yield UrgentLine(
                line.title,
                line.text,
                line.what_to_do,
                "alarm",
                held.url,
                _("Open message"),
                alarm=line,
                links=line.names,
            )
        else:
            yield UrgentLine(line.title, line.text, line.what_to_do, "alarm", alarm=line, links=line.names)


def _late_failure(head: Panel) -> Iterator[UrgentLine]:
    if head.has_late_failure:
        yield UrgentLine(
            _("Provisioning failed after the job was closed"),
            "",
            _(
                "Call the customer: the service may not work. Then ask the seller's order desk for another visit."
            ),
            "alarm",
            url="#history",
            url_text=_("Show in history"),
        )


def _reused(lines: Sequence[ReusedLine]) -> Iterator[UrgentLine]:
    if not lines:
        return
    photos = list(dict.fromkeys(line.photo.question for line in lines))
    what_to_do, url_text = (
        (_("Compare both photos. If it is the same picture, ask the engineer for a new one."), _("Compare"))
        if any(line.other for line in lines)
        else (_("The other job is outside your areas. Ask a supervisor to compare both photos."), _("Show"))
    )
    yield UrgentLine(
        _("A photo is also on another job"),
        ", ".join(photos),
        what_to_do,
        "warning",
        url="#reused",
        url_text=url_text,
    )


def _far(positions: Sequence[PositionLine]) -> Iterator[UrgentLine]:
    for position in positions:
        if position.is_far and position.kind == EventKind.ON_SITE:
            yield UrgentLine(
                _("“On site” was reported far away"),
                _("%(who)s, %(at)s: %(distance)s.")
                % {"who": position.by, "at": position.at, "distance": position.distance},
                _("Check whether the engineer was at the right address, or whether the location is wrong."),
                "warning",
                url="#place",
                url_text=_("Show positions"),
                links=engineer_links(position.by),
            )


def _without_position(closure: Closure | None, positions: Sequence[PositionLine]) -> Iterator[UrgentLine]:
    if closure is None:
        return
    arrivals = [position for position in positions if position.kind == EventKind.ON_SITE]
    yield UrgentLine(
        _("Closed without access, and no position"),
        " ".join(map(_arrival_text, arrivals[-1:])),
        _(
            "Nothing shows that the engineer was there. Ask what else does, and write it down as a note or a call."
        ),
        "warning",
        url="#place",
        url_text=_("Show positions"),
        links=engineer_links(*(arrival.by for arrival in arrivals[-1:])),
    )


def _arrival_text(arrival: PositionLine) -> str:
    return _("%(who)s, %(at)s: %(why)s.") % {"who": arrival.by, "at": arrival.at, "why": arrival.text}


def _late(events: Sequence[JobEvent]) -> Iterator[UrgentLine]:
    """One for all that a phone sent without knowing of the job's change: an hour without signal may bring dozens."""
    late = [event for event in events if event.kind == EventKind.REPORTED_LATE]
    if not late:
        return
    lead, more = _most_important(late), len(late) - 1
    line = event_line(lead)
    text = ngettext("%(number)s more update came late.", "%(number)s more updates came late.", more)
    yield UrgentLine(
        str(EventKind.REPORTED_LATE.label),
        " ".join([line.sentence, *([text % {"number": more}] if more else [])]),
        _("Read the entry in the history and call the engineer if it matters."),
        "warning",
        url=f"#event-{lead.pk}",
        url_text=_("Show in history"),
        links=line.links,
    )


def _most_important(late: Sequence[JobEvent]) -> JobEvent:
    """The closing, of several the newest: it says what came of the visit; else what happened first."""
    closings = [event for event in late if event.facts.get("what") == "close"]
    return closings[-1] if closings else late[0]
