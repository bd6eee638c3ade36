"""A proposal drawn on one day of the board: what it moves at the proposed place, with the place of today as an outline,
between the visits that stay. Only the engineers whose day changes."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from django.utils.translation import gettext as _

from board import formatting
from board.day.card_presenter import visible_span
from board.day.cards import free_rows
from board.day.day_data import DayData, load_day
from board.day.lanes import Block, build_blocks
from board.day.timeline import Axis, GridPosition, Tick, build_axis
from board.day.view_options import Viewer
from board.plans.plan_presenter import ChangeLine, PlanPage, change_line, people_text, plan_page
from dispatch.models import UNCHANGED_KINDS, PlanProposal, ProposedChange, Visit
from dispatch.models.plan_history import PEOPLE
from engineers.models import Engineer
from engineers.shifts import TimeSpan, absence_spans, local_time


@dataclass(frozen=True)
class ProposedCard:
    """A visit that stays (`look` same), the proposed place of one that moves (new) or the one that it leaves (old).
    `choice`: key of the change that is accepted with it, or None. `text` says all of it."""

    job_id: str
    title: str
    look: str
    icon: str
    label: str
    time: str
    text: str
    cell: GridPosition
    choice: int | None = None
    row: int = 0


@dataclass(frozen=True)
class ProposedLane:
    name: str
    gets: int
    gives: int
    shifts: list[Block]
    breaks: list[Block]
    absences: list[Block]
    cards: list[ProposedCard]

    @property
    def depth(self) -> int:
        return max((card.row + 1 for card in self.cards), default=1)


@dataclass(frozen=True)
class ProposedDay:
    """`plan`: the whole proposal. `days`: those that it changes. `open_count`: changes of this day to be accepted."""

    plan: PlanPage
    day: date
    day_words: str
    days: list[tuple[date, str]]
    quarters: int
    ticks: list[Tick]
    lanes: list[ProposedLane]
    open_count: int


def proposed_day(proposal: PlanProposal, day: date | None, *, now: datetime, viewer: Viewer) -> ProposedDay:
    """Of the day given or the first that changes; a fixed number of queries."""
    plan = plan_page(proposal)
    related = proposal.changes.select_related("job", *PEOPLE)
    moves = list(related.exclude(kind__in=UNCHANGED_KINDS).filter(accepted_at=None))
    days = sorted({changed for move in moves for changed in _days_of(move)})
    displayed = day or next(iter(days), local_time(proposal.starts_at).date())
    changes = [move for move in moves if displayed in _days_of(move)]
    data = load_day(displayed, now=now, open_alarms=(), viewer=viewer)
    engineers = _changed_engineers(data, changes)
    axis = build_axis(displayed, _spans(data, engineers, changes))
    return ProposedDay(
        plan=plan,
        day=displayed,
        day_words=formatting.format_day(displayed),
        days=[(changed, formatting.format_day(changed)) for changed in days],
        quarters=axis.quarters,
        ticks=axis.ticks,
        lanes=[_lane(engineer, changes, axis=axis, data=data) for engineer in engineers],
        open_count=len(changes),
    )


def _days_of(change: ProposedChange) -> set[date]:
    return {local_time(moment).date() for moment in (change.start_before, change.start_after) if moment}


def _changed_engineers(data: DayData, changes: Sequence[ProposedChange]) -> list[Engineer]:
    touched = {person for change in changes for person in [*change.people_before, *change.people_after]}
    return sorted((person for person in data.engineers if person in touched), key=lambda person: person.name)


def _spans(data: DayData, engineers: Iterable[Engineer], changes: Iterable[ProposedChange]) -> list[TimeSpan]:
    """What has a card; a shift beyond them, early or late, would move the cards out of sight."""
    visits = [visit.span for person in engineers for visit in data.visits_of.get(person.pk, [])]
    proposed = [span for change in changes if (span := _span_after(change)) and span.overlaps(data.span)]
    return [*visits, *proposed]


def _span_after(change: ProposedChange) -> TimeSpan | None:
    return (
        TimeSpan(change.start_after, change.start_after + change.job.duration) if change.start_after else None
    )


def _lane(
    engineer: Engineer, changes: Sequence[ProposedChange], *, axis: Axis, data: DayData
) -> ProposedLane:
    by_job = {change.job_id: change for change in changes}
    own = data.visits_of.get(engineer.pk, [])
    present = [_present_card(visit, by_job.get(visit.job_id), axis=axis) for visit in own]
    coming = [change for change in changes if engineer in change.people_after]
    new = [_coming_card(change, engineer, axis=axis) for change in coming]
    cards = [card for card in [*present, *new] if card]
    work = data.work_of[engineer.pk]
    return ProposedLane(
        name=engineer.name,
        gets=sum(engineer not in change.people_before for change in coming),
        gives=_count_given(engineer, changes),
        shifts=build_blocks(axis, work.attended),
        breaks=build_blocks(axis, work.breaks),
        absences=build_blocks(axis, absence_spans(engineer.absences.all())),
        cards=list(_in_rows(cards)),
    )


def _count_given(engineer: Engineer, changes: Collection[ProposedChange]) -> int:
    return sum(engineer in change.people_before and engineer not in change.people_after for change in changes)


def _in_rows(cards: Iterable[ProposedCard]) -> Iterator[ProposedCard]:
    ordered = sorted(cards, key=lambda card: (card.cell.start, card.look))
    rows = free_rows([card.cell for card in ordered])
    return (replace(card, row=row) for card, row in zip(ordered, rows, strict=True))


def _present_card(visit: Visit, change: ProposedChange | None, *, axis: Axis) -> ProposedCard | None:
    """Where the visit is today."""
    cell = axis.position_of(visible_span(visit))
    if cell is None:
        return None
    time = formatting.format_span(visit.span)
    if change is None:
        badge = formatting.state_badge(visit.job)
        text = f"{visit.job.title}, {time}, {badge.label}"
        return ProposedCard(
            visit.job.provider_job_id, visit.job.title, "same", badge.icon, "", time, text, cell
        )
    is_dropped = change.engineer_after is None
    return ProposedCard(
        job_id=visit.job.provider_job_id,
        title=visit.job.title,
        look="old",
        icon="x" if is_dropped else "arrow-right",
        label=_leaves_for(change),
        time=time,
        text=_change_text(change),
        cell=cell,
        choice=change.pk if is_dropped else None,
    )


def _coming_card(change: ProposedChange, engineer: Engineer, *, axis: Axis) -> ProposedCard | None:
    """Where the visit would be; a team's is accepted in the first engineer's row."""
    span = _span_after(change)
    cell = axis.position_of(span) if span else None
    if span is None or cell is None:
        return None
    return ProposedCard(
        job_id=change.job.provider_job_id,
        title=change.job.title,
        look="new",
        icon="check" if change.engineer_before is None else "arrow-right",
        label=_comes_from(change),
        time=formatting.format_span(span),
        text=_change_text(change),
        cell=cell,
        choice=change.pk if engineer == change.engineer_after else None,
    )


def _leaves_for(change: ProposedChange) -> str:
    if change.engineer_after is None or change.start_after is None:
        return _("Unassigned")
    if change.people_after == change.people_before:
        return _("to %(time)s") % {"time": formatting.format_time(change.start_after)}
    return _("to %(engineer)s") % {"engineer": people_text(change.people_after)}


def _comes_from(change: ProposedChange) -> str:
    if change.engineer_before is None or change.start_before is None:
        return _("Newly assigned")
    if change.people_after == change.people_before:
        return _("was %(time)s") % {"time": formatting.format_time(change.start_before)}
    return _("from %(engineer)s") % {"engineer": people_text(change.people_before)}


def _change_text(change: ProposedChange) -> str:
    """`LS6 3AB: Lee Late, Mon 23 Nov 10:00–11:00; now Ann Early, Mon 23 Nov 11:00–12:00. The reason.`"""
    line: ChangeLine = change_line(change)
    after, before = line.after or _("Unassigned"), line.before or _("Unassigned")
    parameters = {"job": line.title, "after": after, "before": before, "reason": line.reason}
    return _("%(job)s: %(after)s; now %(before)s. %(reason)s") % parameters
