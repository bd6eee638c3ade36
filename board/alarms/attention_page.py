"""The Attention list as a page: what is open, and what was."""

from dataclasses import dataclass

from django.utils import timezone

from board.alarms.alarm_presenter import (
    MAX_CLEARED,
    AlarmLine,
    alarm_line,
    build_attention_list,
    read_open_alarms,
)
from board.alarms.check_in_presenter import check_in_entry, list_cleared_check_ins, list_overdue_check_ins
from board.alarms.visible_alarms import visible_alarms
from monitoring.alarms import AlarmKind
from monitoring.models import Alarm


@dataclass(frozen=True)
class AlarmsPage:
    opened: list[AlarmLine]
    cleared: list[AlarmLine]


def alarms_page() -> AlarmsPage:
    """Engineers who have not checked in come first."""
    alone = list(map(check_in_entry, list_overdue_check_ins(timezone.now())))
    return AlarmsPage([*alone, *build_attention_list(read_open_alarms())], _cleared())


def _cleared() -> list[AlarmLine]:
    found = Alarm.objects.exclude(cleared_at=None).exclude(kind=AlarmKind.CHECK_IN_OVERDUE)
    found = found.order_by("-cleared_at").select_related("owner")
    ended = [
        (alarm.cleared_at, alarm_line(alarm))
        for alarm in visible_alarms(found[:MAX_CLEARED])
        if alarm.cleared_at
    ]
    both = sorted([*ended, *list_cleared_check_ins()], key=lambda entry: entry[0], reverse=True)
    return [line for _ended_at, line in both[:MAX_CLEARED]]
