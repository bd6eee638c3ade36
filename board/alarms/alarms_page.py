"""The Attention list as a page: all that is open, and what was cleared, a page at a time."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from board.alarms.alarm_presenter import AlarmLine, alarm_line, build_attention_list, read_open_alarms
from board.alarms.check_in_presenter import check_in_entry, list_cleared_check_ins, list_overdue_check_ins
from board.alarms.visible_alarms import rows_to_read, visible_alarms
from monitoring import alarms
from monitoring.models import Alarm, AlarmKind

PAGE_SIZE = 50
# what is older is on no page: each one reads all before it
MOST_PAGES = 100


@dataclass(frozen=True)
class AlarmsPage:
    """`older` and `newer`: the numbers of the next pages of `cleared`, 0 where there is none."""

    opened: list[AlarmLine]
    cleared: list[AlarmLine]
    older: int
    newer: int


def alarms_page(number: int = 1) -> AlarmsPage:
    """Engineers who have not checked in come first; `number`: the page of what was cleared, from 1."""
    number = min(max(number, 1), MOST_PAGES)
    alone = map(check_in_entry, list_overdue_check_ins(timezone.now()))
    start = (number - 1) * PAGE_SIZE
    found = _cleared(start + PAGE_SIZE + 1)[start:]
    is_last = len(found) <= PAGE_SIZE or number == MOST_PAGES
    return AlarmsPage(
        opened=[*alone, *build_attention_list(read_open_alarms())],
        cleared=found[:PAGE_SIZE],
        older=0 if is_last else number + 1,
        newer=number - 1,
    )


def _cleared(most: int) -> list[AlarmLine]:
    """The newest first; two queries."""
    found = Alarm.objects.exclude(cleared_at=None).exclude(kind=AlarmKind.CHECK_IN_OVERDUE)
    found = found.exclude(alarms.was_grouped()).order_by("-cleared_at", "-pk").select_related("owner")
    newest = visible_alarms(found[: rows_to_read(most)])[:most]
    both = sorted([*_with_ends(newest), *list_cleared_check_ins(most)], key=_end, reverse=True)
    return [line for _ended_at, line in both[:most]]


def _with_ends(cleared: Iterable[Alarm]) -> Iterable[tuple[datetime, AlarmLine]]:
    return ((alarm.cleared_at, alarm_line(alarm)) for alarm in cleared if alarm.cleared_at)


def _end(entry: tuple[datetime, AlarmLine]) -> datetime:
    return entry[0]
