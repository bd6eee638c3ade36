"""What an entry of the audit says of before and after, in words; the entry itself keeps names and values as stored."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Choices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from engineers.models import Right, Role, Weekday
from monitoring.alarm_kinds import ALARM_KINDS
from monitoring.models import Urgency

LONGEST = 400
NOTHING = "–"
# values that have texts of their own, whatever they are called
LABELLED = (Role, Right, Urgency)
# by what a value is called: the choices that it is one of
_choices: dict[str, list[type[Choices]]] = {"office_days": [Weekday], "on_call_days": [Weekday]}
# what those who record an entry call it → for people
NAMES = {
    "areas": gettext_lazy("Areas"),
    "bytes": gettext_lazy("Bytes"),
    "channel": gettext_lazy("Channel"),
    "corrected": gettext_lazy("Corrected"),
    "day": gettext_lazy("Day"),
    "days": gettext_lazy("Days"),
    "deliveries": gettext_lazy("Deliveries"),
    "due_at": gettext_lazy("Due"),
    "email": gettext_lazy("E-mail address"),
    "engineers": gettext_lazy("Engineers"),
    "entries": gettext_lazy("Entries"),
    "entry": gettext_lazy("Entry"),
    "escalation_minutes": gettext_lazy("Minutes before escalation"),
    "extra_minutes": gettext_lazy("Extra minutes"),
    "fields": gettext_lazy("Changed"),
    "first_name": gettext_lazy("First name"),
    "from_to": gettext_lazy("Period"),
    "held_reason": gettext_lazy("Held because"),
    "is_signed": gettext_lazy("Digitally signed"),
    "is_superuser": gettext_lazy("Administrator"),
    "is_used": gettext_lazy("In use"),
    "jobs": gettext_lazy("Jobs"),
    "kind": gettext_lazy("Kind"),
    "kinds": gettext_lazy("Events"),
    "kit": gettext_lazy("Kit"),
    "last_name": gettext_lazy("Last name"),
    "lead_days": gettext_lazy("Days ahead"),
    "level": gettext_lazy("Level"),
    "made_at": gettext_lazy("Created"),
    "message_id": gettext_lazy("Message"),
    "name": gettext_lazy("Name"),
    "needs_survey": gettext_lazy("Needs a survey"),
    "needs_two_people": gettext_lazy("Needs two people"),
    "office_days": gettext_lazy("Office days"),
    "office_ends": gettext_lazy("Office closes"),
    "office_starts": gettext_lazy("Office opens"),
    "on_call_days": gettext_lazy("Days on call"),
    "on_call_hours": gettext_lazy("Hours on call"),
    "outcome": gettext_lazy("Outcome"),
    "photos": gettext_lazy("Photos"),
    "postcodes": gettext_lazy("Postcodes"),
    "reason": gettext_lazy("Reason"),
    "replay": gettext_lazy("Replay"),
    "role": gettext_lazy("Role"),
    "scopes": gettext_lazy("Scopes"),
    "sha256": gettext_lazy("SHA-256"),
    "skill": gettext_lazy("Skill"),
    "staff_number": gettext_lazy("Staff number"),
    "starts_at": gettext_lazy("Starts"),
    "state": gettext_lazy("State"),
    "token": gettext_lazy("Access token"),
    "topic": gettext_lazy("Topic"),
    "url": gettext_lazy("Address"),
    "username": gettext_lazy("User name"),
}


def register_choices(name: str, choices: type[Choices]) -> None:
    """For an app that the board does not know, from its `apps.ready()`: values of this name read as their labels."""
    if choices not in _choices.setdefault(name, []):
        _choices[name].append(choices)


def describe_facts(before: Any, after: Any) -> str:
    """`Role: Dispatcher → Planner · Name: …`: what differs, or all of it where there is only one side. Shortened."""
    text = " · ".join(_differences(before, after))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _differences(before: Any, after: Any) -> Iterator[str]:
    if any(facts and not isinstance(facts, dict) for facts in (before, after)):
        yield _change("", before, after, both=before is not None and after is not None)
        return
    old, new = before or {}, after or {}
    for name in sorted({**old, **new}):
        if old.get(name) != new.get(name):
            change = _change(name, old.get(name), new.get(name), both=bool(old and new))
            yield f"{_name(name)}: {change}"


def _change(name: str, before: Any, after: Any, *, both: bool) -> str:
    if not both:
        return value_text(name, after if before is None else before)
    if isinstance(before, list) and isinstance(after, list):
        added = [item for item in after if item not in before]
        removed = [item for item in before if item not in after]
        parts = ((_("added: %(what)s"), added), (_("removed: %(what)s"), removed))
        return "; ".join(text % {"what": value_text(name, some)} for text, some in parts if some)
    return f"{value_text(name, before)} → {value_text(name, after)}"


def _name(name: str) -> str:
    """An alarm's kind is a name, too (alerting.alarm_rules)."""
    label = ALARM_KINDS[name].card_title if name in ALARM_KINDS else NAMES.get(name)
    return str(label or name.replace("_", " ").capitalize())


def value_text(name: str, value: Any) -> str:
    """A value that is called `name`, in the reader's language."""
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    if isinstance(value, list):
        return ", ".join(value_text(name, item) for item in value) or NOTHING
    if isinstance(value, dict):
        parts = (f"{_name(key)} {value_text(key, part)}" for key, part in sorted(value.items()))
        return ", ".join(parts) or NOTHING
    for labelled in (*LABELLED, *_choices.get(name, ())):
        if value in labelled.values:
            return str(labelled(value).label)
    return NOTHING if value in (None, "") else str(value)
