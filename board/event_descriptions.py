"""A job's history in sentences: the facts of each event as a person would say them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from board import formatting
from board.links import Link, event_links
from board.plan_descriptions import (
    describe_assignment,
    describe_move,
    describe_second_engineer,
    describe_unassignment,
    with_reason,
)
from closures.question_matrix.translations import text_for_reader
from dispatch import sync_conflicts
from dispatch.driving import travel
from dispatch.driving.travel import Coordinates, format_distance
from dispatch.models import JobEvent
from dispatch.problems import DISPLAY_ERRORS
from dispatch.seller_codes import cancellation_text, line_state_text
from dispatch.states import Actor, EventKind, JobState
from engineers import clock_skew
from engineers.staff import missing_position_text
from monitoring.coded_texts import reason_text

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class EventLine:
    """One line of the history; `links`: engineers that `sentence` or `by` names.

    `happened` is the time by `clock_name`: the phone, the seller or, empty, our own; `recorded` is when we received it,
    empty for what the office did. `clock` tells of a phone's clock that was wrong.
    """

    event_pk: int
    title: str
    sentence: str
    position: str
    happened: str
    recorded: str
    by: str
    is_late: bool
    clock: str = ""
    clock_name: str = ""
    links: tuple[Link, ...] = ()


def event_lines(events: list[JobEvent], *, premises: Coordinates | None = None) -> list[EventLine]:
    """The whole history of a job, in order; positions with their distance from the premises."""
    return [event_line(event, before=events[:index], premises=premises) for index, event in enumerate(events)]


def event_line(
    event: JobEvent, *, before: Sequence[JobEvent] = (), premises: Coordinates | None = None
) -> EventLine:
    """`before`: what was recorded earlier, which the phone may not have known."""
    try:
        return _full_line(event, before, premises)
    except DISPLAY_ERRORS as error:
        return _broken_line(event, error)


def _broken_line(event: JobEvent, error: Exception) -> EventLine:
    """One entry that cannot be shown leaves the others alone."""
    sentence = _("This entry can't be displayed (%(error)s).") % {"error": type(error).__name__}
    at = formatting.format_exact_moment(event.recorded_at)
    return EventLine(event.pk, str(event.kind), sentence, "", happened=at, recorded="", by="", is_late=False)


def _full_line(event: JobEvent, before: Sequence[JobEvent], premises: Coordinates | None) -> EventLine:
    kind = EventKind(event.kind)
    has_own_clock = event.actor in CLOCK_NAMES
    return EventLine(
        event_pk=event.pk,
        title=str(kind.label),
        sentence=" ".join(filter(None, [SENTENCES[kind](event.facts), _unknown_move(event, before)])),
        position=position_text(event.facts, premises=premises) if kind in WITH_POSITION else "",
        happened=formatting.format_exact_moment(event.occurred_at if has_own_clock else event.recorded_at),
        recorded=formatting.format_exact_moment(event.recorded_at) if has_own_clock else "",
        by=_by(event),
        is_late=kind == EventKind.REPORTED_LATE,
        clock=_clock(event.facts),
        clock_name=str(CLOCK_NAMES.get(Actor(event.actor), "")),
        links=event_links(event),
    )


def _unknown_move(event: JobEvent, before: Sequence[JobEvent]) -> str:
    if event.kind not in {EventKind.EN_ROUTE, EventKind.ON_SITE}:
        return ""
    conflict = sync_conflicts.unknown_move(before, occurred_at=event.occurred_at)
    return conflict.board_text if conflict else ""


def _clock(facts: Facts) -> str:
    """The time on the phone's own clock, where it was wrong."""
    if not facts.get("clock_ahead_seconds"):
        return ""
    how = clock_skew.describe_difference(timedelta(seconds=facts["clock_ahead_seconds"]))
    phone_time = formatting.format_exact_moment(datetime.fromisoformat(facts["phone_time"]))
    return _("phone clock %(how)s, showed %(said)s") % {"how": how, "said": phone_time}


def _by(event: JobEvent) -> str:
    actor = str(Actor(event.actor).label)
    return f"{event.user.display_name} ({actor})" if event.user else actor


def _received(facts: Facts) -> str:
    notes = []
    if facts.get("received_late"):
        notes.append(_("Short notice: received on or after the day of the appointment."))
    if facts.get("needs_location"):
        notes.append(_("The job pack has no position. Set the job's location."))
    return " ".join(notes)


def _located(facts: Facts) -> str:
    finder = _("found from the address") if facts.get("found_by") == "geocoder" else _("set manually")
    # an anonymised job has no position any more
    return f"{_degrees(facts)}, {finder}" if "latitude" in facts else str(finder)


def _asked(facts: Facts) -> str:
    return with_reason(str(facts.get("engineer_name", "")), facts.get("reason"))


def _reason(facts: Facts) -> str:
    return reason_text(facts.get("reason"))


def _who(facts: Facts) -> str:
    return str(facts.get("engineer_name", ""))


def _scanned(facts: Facts) -> str:
    serial = facts.get("serial_number") or _("none given")
    return _("FSAN %(fsan)s, serial number %(serial)s") % {"fsan": facts.get("fsan", ""), "serial": serial}


def _provisioned(facts: Facts) -> str:
    sentence = result_text(facts.get("result_id"), details=facts.get("details", ""))
    if not facts.get("scan_known", True):
        sentence += _(" (for an unknown scan)")
    without_effect = _why_without_effect(facts)
    return f"{sentence}. {without_effect}" if without_effect else sentence


def _why_without_effect(facts: Facts) -> str:
    """Of a result that does not decide; empty for the one that does."""
    if facts.get("older_than_result"):
        return _("Superseded by result %(id)s, which is newer.") % {"id": facts["older_than_result"]}
    if not facts.get("changes_nothing"):
        return ""
    if facts.get("scan_known", True):
        return _("It is for an earlier scan, so it changes nothing.")
    return _("It changes nothing.")


def _closed(facts: Facts) -> str:
    names = ("code", "description", "secondary_code", "secondary_description")
    # codes have no translation, descriptions have
    outcome = " ".join(text_for_reader(str(facts[name])) for name in names if facts.get(name))
    checked = "; ".join(f"{item['text']} {item['answer']}" for item in facts.get("checked", []))
    if not checked:
        return outcome
    parameters = {"outcome": outcome, "answers": checked}
    return _("%(outcome)s. Ticked as checked although it doesn't match: %(answers)s") % parameters


def _sent_back(facts: Facts) -> str:
    items = ", ".join(str(item["text"]) for item in facts.get("items", []))
    return with_reason(items, facts.get("reason"))


def _late(facts: Facts) -> str:
    what, state = str(facts.get("what", "")), str(facts.get("state_then", ""))
    label = str(EventKind(what).label) if what in EventKind.values else str(PHONE_LABELS.get(what, what))
    then = str(JobState(state).label) if state in JobState.values else state
    details = _late_details(what, facts)
    conflict = sync_conflicts.from_event_facts(facts)
    if conflict and conflict.rule == sync_conflicts.RuleName.UNFINISHED:
        late = _("“%(what)s”, unfinished")
    elif conflict and conflict.rule == sync_conflicts.RuleName.SUPERSEDED:
        late = _("“%(what)s” arrived late")
    else:
        late = _("“%(what)s” arrived after the job was already “%(then)s”")
    sentence = late % {"what": label, "then": then}
    sentence = f"{sentence}: {details}" if details else f"{sentence}."
    return f"{sentence} {conflict.board_text}" if conflict else sentence


def _late_details(what: str, facts: Facts) -> str:
    if what == "close":
        return ". ".join(filter(None, [_closed(facts), _remarks(facts)]))
    return (
        SENTENCES[EventKind(what)](facts)
        if what in LATE_WITH_SENTENCE
        else str(facts.get("reported_text", ""))
    )


def _remarks(facts: Facts) -> str:
    return _("Remarks: “%(remarks)s”.") % {"remarks": facts["remarks"]} if facts.get("remarks") else ""


def _note(facts: Facts) -> str:
    return ": ".join(filter(None, [facts.get("caller", ""), facts.get("note", "")]))


def _line_checked(facts: Facts) -> str:
    return f"{line_state_text(str(facts['code']), is_down=bool(facts['is_down']))} ({facts['code']})"


SENTENCES: dict[EventKind, Callable[[Facts], str]] = {
    EventKind.RECEIVED: _received,
    EventKind.LOCATED: _located,
    EventKind.ENGINEER_ASSIGNED: describe_assignment,
    EventKind.RESCHEDULED: describe_move,
    EventKind.SECOND_ENGINEER_CHANGED: describe_second_engineer,
    EventKind.UNASSIGNED: describe_unassignment,
    EventKind.HANDOVER_REQUESTED: _asked,
    EventKind.EN_ROUTE: _who,
    EventKind.ON_SITE: _who,
    EventKind.ONT_SCANNED: _scanned,
    EventKind.ONT_PROVISIONED: _provisioned,
    EventKind.SUBMITTED: _closed,
    EventKind.SENT_BACK: _sent_back,
    EventKind.CLOSED: _closed,
    EventKind.CANCELLED: cancellation_text,
    EventKind.PUT_ON_HOLD: _reason,
    EventKind.RELEASED: _reason,
    EventKind.PINNED: _reason,
    EventKind.UNPINNED: _reason,
    EventKind.NOTE_ADDED: _note,
    EventKind.LINE_CHECKED: _line_checked,
    EventKind.REPORTED_LATE: _late,
}
# who acts by a clock of their own
CLOCK_NAMES = {Actor.ENGINEER: gettext_lazy("Phone"), Actor.SELLER: gettext_lazy("Seller")}
WITH_POSITION = {EventKind.EN_ROUTE, EventKind.ON_SITE, EventKind.REPORTED_LATE}
# what only phones say
PHONE_LABELS = {
    "answered": gettext_lazy("Answer"),
    "answer_withdrawn": gettext_lazy("Answer cleared"),
    "close": gettext_lazy("Closure"),
}
LATE_WITH_SENTENCE = {EventKind.ONT_SCANNED, EventKind.ONT_PROVISIONED, EventKind.CLOSED}

# installation-jobs.md, ONT provisioning results; shown when the seller sent no details of its own
RESULTS = {
    1: gettext_lazy("ONT provisioned"),
    2: gettext_lazy("ONT install successful"),
    3: gettext_lazy("Failed, contact the order desk"),
    4: gettext_lazy("Delay, tried again in 5 minutes"),
    5: gettext_lazy("Failed, wrong device type"),
    6: gettext_lazy("Failed, FSAN or serial number incorrect"),
    7: gettext_lazy("Failed, duplicate device"),
}


def result_text(result_id: Any, *, details: str) -> str:
    text = details or RESULTS.get(result_id, "") or _("no details")
    return _("Result %(id)s: %(details)s") % {"id": result_id, "details": text}


def _degrees(facts: Facts) -> str:
    return formatting.format_degrees(facts["latitude"], facts["longitude"])


def position_text(facts: Facts, *, premises: Coordinates | None = None) -> str:
    """`53.80000, −1.55000 (±8 m), 120 m from the premises`, or why there is none."""
    if facts.get("latitude") is not None and facts.get("longitude") is not None:
        accuracy = facts.get("accuracy_metres")
        text = _degrees(facts) + (f" (±{accuracy:.0f} m)" if accuracy is not None else "")
        distance = distance_text(facts, premises=premises)
        return f"{text}, {distance}" if distance else text
    if facts.get("position_missing_because"):
        return _("No position: %(why)s") % {"why": missing_position_text(facts["position_missing_because"])}
    return ""


def distance_text(facts: Facts, *, premises: Coordinates | None) -> str:
    """`120 m from the premises`; empty when one of the two is not known."""
    if premises is None or facts.get("latitude") is None or facts.get("longitude") is None:
        return ""
    metres = travel.distance_metres((facts["latitude"], facts["longitude"]), premises)
    return _("%(distance)s from the premises") % {"distance": format_distance(metres)}
