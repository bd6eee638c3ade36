"""The message about alarms: title, text and JSON, in the contact's language.

It leaves the house's own machines, so it names no customer and no engineer: alarms about jobs have their title, the
job's number and a link, and only those about the system have their sentence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from alerting.alarm_rules import topic_of
from alerting.models import AlarmEvent, AlarmTopic
from board.formatting import format_moment
from monitoring.alarm_facts import AlarmSubject
from monitoring.alarm_kinds import alarm_kind_facts
from monitoring.alarms import text_of
from monitoring.models import Alarm

# a mail with more of them is not read to its end; the page has them all
MOST_ALARMS = 30
LONGEST_TITLE = 200


@dataclass(frozen=True)
class NotifiedAlarm:
    alarm: Alarm
    level: int


@dataclass(frozen=True)
class AlarmMessage:
    """`payload`: for a webhook (docs/partner-api.md, Alarms)."""

    title: str
    text: str
    payload: dict[str, Any]


def compose(
    notified: Sequence[NotifiedAlarm], *, event: AlarmEvent, language: str, now: datetime
) -> AlarmMessage:
    """A test has no alarms."""
    url = f"{settings.PUBLIC_URL}{reverse('board:alarms')}"
    with translation.override(language):
        title = _title(notified, event)
        payload = {
            "type": str(event),
            "is_test": event == AlarmEvent.TEST,
            "created_at": now.isoformat(),
            "title": title,
            "url": url,
            # all of them: a program opens and closes something for each
            "alarms": [_as_json(each) for each in notified],
        }
        lines = [_paragraph(each) for each in notified[:MOST_ALARMS]] or [_("You don't need to do anything.")]
        return AlarmMessage(title[:LONGEST_TITLE], "\n\n".join([*lines, *_end(notified, url)]), payload)


def _title(notified: Sequence[NotifiedAlarm], event: AlarmEvent) -> str:
    if not notified:
        return _("Test of an alarm contact")
    title, more = _kind_title(notified[0].alarm), len(notified) - 1
    if event == AlarmEvent.CLEARED:
        title = _("Cleared: %(title)s") % {"title": title}
    if not more:
        return title
    text = ngettext("%(title)s, and %(more)d more alarm", "%(title)s, and %(more)d more alarms", more)
    return text % {"title": title, "more": more}


def _kind_title(alarm: Alarm) -> str:
    return str(alarm_kind_facts(alarm.kind).title)


def _paragraph(each: NotifiedAlarm) -> str:
    kind = alarm_kind_facts(each.alarm.kind)
    since = _("Since %(at)s") % {"at": format_moment(each.alarm.raised_at)}
    level = _("Level %(level)d: nobody is handling it.") % {"level": each.level} if each.level > 1 else ""
    when = " ".join(filter(None, [since, level]))
    lines = (str(kind.title), _details(each.alarm), when, str(kind.remedy))
    return "\n".join(filter(None, lines))


def _details(alarm: Alarm) -> str:
    if topic_of(alarm.kind) == AlarmTopic.SYSTEM:
        return str(text_of(alarm))
    return (
        _("Job %(job)s") % {"job": alarm.subject}
        if alarm_kind_facts(alarm.kind).subject is AlarmSubject.JOB
        else ""
    )


def _end(notified: Sequence[NotifiedAlarm], url: str) -> list[str]:
    more = len(notified) - MOST_ALARMS
    text = ngettext(
        "%(more)d more alarm is on the page.", "%(more)d more alarms are on the page.", max(more, 1)
    )
    hidden = [text % {"more": more}] if more > 0 else []
    return [*hidden, _("Handle it: %(url)s") % {"url": url}] if notified else []


def _as_json(each: NotifiedAlarm) -> dict[str, Any]:
    alarm = each.alarm
    return {
        "id": alarm.pk,
        "kind": alarm.kind,
        "topic": str(topic_of(alarm.kind)),
        "level": each.level,
        "title": _kind_title(alarm),
        "details": _details(alarm),
        "raised_at": alarm.raised_at.isoformat(),
        "cleared_at": alarm.cleared_at.isoformat() if alarm.cleared_at else None,
    }
