"""A job's history in sentences: the facts of each event as a person would say them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from board import formatting
from dispatch import sync_conflicts
from dispatch.display_errors import DISPLAY_ERRORS
from dispatch.models import JobEvent
from dispatch.states import Actor, EventKind, JobState
from engineers import clock_skew

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class EventLine:
    """One line of the history; `recorded` is empty when that was the same second."""

    title: str
    sentence: str
    position: str
    happened: str
    recorded: str
    by: str
    is_late: bool
    clock: str = ""


def event_lines(events: list[JobEvent]) -> list[EventLine]:
    """The whole history of a job, in order."""
    return [event_line(event, before=events[:place]) for place, event in enumerate(events)]


def event_line(event: JobEvent, *, before: Sequence[JobEvent] = ()) -> EventLine:
    """`before`: what was recorded earlier, which the phone may not have known."""
    try:
        return _full_line(event, before)
    except DISPLAY_ERRORS as error:
        return _broken_line(event, error)


def _broken_line(event: JobEvent, error: Exception) -> EventLine:
    """One entry that cannot be shown leaves the others alone."""
    sentence = _("This entry cannot be displayed (%(error)s).") % {"error": type(error).__name__}
    at = formatting.format_exact_moment(event.recorded_at)
    return EventLine(str(event.kind), sentence, "", happened=at, recorded="", by="", is_late=False)


def _full_line(event: JobEvent, before: Sequence[JobEvent]) -> EventLine:
    kind = EventKind(event.kind)
    return EventLine(
        title=str(kind.label),
        sentence=" ".join(filter(None, [SENTENCES[kind](event.facts), _unknown_move(event, before)])),
        position=position_words(event.facts) if kind in WITH_POSITION else "",
        happened=formatting.format_exact_moment(event.occurred_at),
        recorded=_recorded(event),
        by=_by(event),
        is_late=kind == EventKind.REPORTED_LATE,
        clock=_clock(event.facts),
    )


def _unknown_move(event: JobEvent, before: Sequence[JobEvent]) -> str:
    if event.kind not in {EventKind.EN_ROUTE, EventKind.ON_SITE}:
        return ""
    meeting = sync_conflicts.unknown_move(before, occurred_at=event.occurred_at)
    return meeting.board_words if meeting else ""


def _clock(facts: Facts) -> str:
    """What the phone's own clock said, where it was wrong."""
    if not facts.get("clock_ahead_seconds"):
        return ""
    how = clock_skew.difference_words(timedelta(seconds=facts["clock_ahead_seconds"]))
    said = formatting.format_exact_moment(datetime.fromisoformat(facts["clock_said"]))
    return _("phone clock %(how)s, showed %(said)s") % {"how": how, "said": said}


def _recorded(event: JobEvent) -> str:
    happened, recorded = (
        formatting.format_exact_moment(event.occurred_at),
        formatting.format_exact_moment(event.recorded_at),
    )
    return recorded if recorded != happened else ""


def _by(event: JobEvent) -> str:
    actor = str(Actor(event.actor).label)
    return f"{event.user.display_name} ({actor})" if event.user else actor


def _received(facts: Facts) -> str:
    told = []
    if facts.get("received_late"):
        told.append(_("Short notice: received on or after the day of the appointment."))
    if facts.get("needs_location"):
        told.append(_("The job pack has no position. Set the job's location."))
    return " ".join(told)


def _located(facts: Facts) -> str:
    finder = _("found from the address") if facts.get("found_by") == "geocoder" else _("set manually")
    # an anonymised job has no position any more
    return f"{_degrees(facts)}, {finder}" if "latitude" in facts else str(finder)


def _assigned(facts: Facts) -> str:
    plan = f"{facts.get('engineer_name', '')}, {_plan(facts)}"
    if facts.get("state_then") in {JobState.EN_ROUTE, JobState.ON_SITE}:
        then = str(JobState(facts["state_then"]).label).lower()
        told = {"plan": plan, "before": facts.get("instead_of", ""), "then": then}
        return _("%(plan)s, handed over by %(before)s (%(then)s)") % told
    if facts.get("instead_of"):
        return _("%(plan)s, reassigned from %(before)s") % {"plan": plan, "before": facts["instead_of"]}
    return plan


def _moved(facts: Facts) -> str:
    start = formatting.format_moment(datetime.fromisoformat(facts["from"]))
    who = facts.get("engineer_name", "")
    return _("%(who)s, from %(start)s to %(plan)s") % {"who": who, "start": start, "plan": _plan(facts)}


def _unassigned(facts: Facts) -> str:
    return _with_reason(str(facts.get("engineer_name", "")), facts.get("reason"))


def _asked(facts: Facts) -> str:
    return _with_reason(str(facts.get("engineer_name", "")), facts.get("reason"))


def _who(facts: Facts) -> str:
    return str(facts.get("engineer_name", ""))


def _scanned(facts: Facts) -> str:
    serial = facts.get("serial_number") or _("none given")
    return _("FSAN %(fsan)s, serial number %(serial)s") % {"fsan": facts.get("fsan", ""), "serial": serial}


def _provisioned(facts: Facts) -> str:
    sentence = result_words(facts.get("result_id"), details=facts.get("details", ""))
    if not facts.get("scan_known", True):
        sentence += _(" (for an unknown scan)")
    if facts.get("older_than_result"):
        older = _("Superseded by result %(id)s, which is newer.")
        sentence = f"{sentence}. {older % {'id': facts['older_than_result']}}"
    return sentence


def _closed(facts: Facts) -> str:
    names = ("code", "description", "secondary_code", "secondary_description")
    return " ".join(str(facts[name]) for name in names if facts.get(name))


def _cancelled(facts: Facts) -> str:
    return _with_reason(str(facts.get("reason_code", "")), facts.get("reason"))


def _late(facts: Facts) -> str:
    what, state = str(facts.get("what", "")), str(facts.get("state_then", ""))
    label = str(EventKind(what).label) if what in EventKind.values else str(PHONE_WORDS.get(what, what))
    then = str(JobState(state).label) if state in JobState.values else state
    told = _seller_was_told(what, facts)
    sentence = _("“%(what)s” arrived after the job was already “%(then)s”") % {"what": label, "then": then}
    sentence = f"{sentence}: {told}" if told else f"{sentence}."
    meeting = sync_conflicts.from_event_facts(facts)
    return f"{sentence} {meeting.board_words}" if meeting else sentence


def _seller_was_told(what: str, facts: Facts) -> str:
    if what == "close":
        return _closed(facts)
    return SENTENCES[EventKind(what)](facts) if what in LATE_IN_WORDS else str(facts.get("told", ""))


SENTENCES: dict[EventKind, Callable[[Facts], str]] = {
    EventKind.RECEIVED: _received,
    EventKind.LOCATED: _located,
    EventKind.ENGINEER_ASSIGNED: _assigned,
    EventKind.MOVED: _moved,
    EventKind.UNASSIGNED: _unassigned,
    EventKind.HAND_OVER_ASKED: _asked,
    EventKind.EN_ROUTE: _who,
    EventKind.ON_SITE: _who,
    EventKind.ONT_SCANNED: _scanned,
    EventKind.ONT_PROVISIONED: _provisioned,
    EventKind.CLOSED: _closed,
    EventKind.CANCELLED: _cancelled,
    EventKind.REPORTED_LATE: _late,
}
WITH_POSITION = {EventKind.EN_ROUTE, EventKind.ON_SITE, EventKind.REPORTED_LATE}
# what only phones say
PHONE_WORDS = {
    "answered": gettext_lazy("Answer"),
    "answer_withdrawn": gettext_lazy("Answer cleared"),
    "close": gettext_lazy("Closure"),
}
LATE_IN_WORDS = {EventKind.ONT_SCANNED, EventKind.ONT_PROVISIONED, EventKind.CLOSED}

# installation-jobs.md, ONT provisioning results; said when the seller gave no details of its own
RESULTS = {
    1: "ONT provisioned",
    2: "ONT install successful",
    3: "Failed, contact the order desk",
    4: "Delay, tried again in 5 minutes",
    5: "Failed, wrong device type",
    6: "Failed, FSAN or serial number incorrect",
    7: "Failed, duplicate device",
}


def result_words(result_id: Any, *, details: str) -> str:
    told = details or RESULTS.get(result_id, "") or _("no details")
    return _("Result %(id)s: %(told)s") % {"id": result_id, "told": told}


def _degrees(facts: Facts) -> str:
    return f"{facts['latitude']:.5f}, {facts['longitude']:.5f}".replace("-", "−")


def position_words(facts: Facts) -> str:
    """`53.80000, −1.55000 (±8 m)`, or why there is none."""
    if facts.get("latitude") is not None and facts.get("longitude") is not None:
        accuracy = facts.get("accuracy_metres")
        return _degrees(facts) + (f" (±{accuracy:.0f} m)" if accuracy is not None else "")
    if facts.get("position_missing_because"):
        return _("No position: %(why)s") % {"why": facts["position_missing_because"]}
    return ""


def _plan(facts: Facts) -> str:
    start, end = (datetime.fromisoformat(facts[name]) for name in ("planned_start", "planned_end"))
    return f"{formatting.format_moment(start)}–{formatting.format_time(end)}"


def _with_reason(subject: str, reason: Any) -> str:
    return ": ".join(part for part in (subject, str(reason or "")) if part)
