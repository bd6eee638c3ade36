"""The board of one day as frozen values, read with a fixed number of queries however long the day is."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.conf import settings
from django.utils.translation import gettext as _

from board import formatting
from board.alarms.alarm_presenter import read_open_alarms
from board.day.card_presenter import build_card
from board.day.cards import Card
from board.day.day_data import DayData, load_day
from board.day.lanes import Lane, build_lane, fold_ended
from board.day.timeline import Axis, Span, Tick, build_axis
from board.day.unassigned_groups import CardGroup, group_cards
from board.day.view_options import Density, EndedJobs, Layout, Sort, UnassignedSort, Viewer, ViewOptions
from board.day.window_halves import WindowHalf
from board.formatting import StateBadge
from dispatch.models import Job
from dispatch.risk import Level
from engineers.areas import group_by_area
from engineers.models import Engineer
from monitoring.models import Alarm


@dataclass(frozen=True)
class LaneGroup:
    """The engineers of one area. `key` names the group in the browser."""

    key: str
    name: str
    lanes: list[Lane]
    jobs: int
    at_risk: int


@dataclass(frozen=True)
class StateCount:
    """How many of the day's jobs are in a state, for the legend."""

    badge: StateBadge
    number: int


@dataclass(frozen=True)
class Board:
    """Everything that the page of a day prints. `now` is the moment's place on the axis in per cent."""

    day: date
    day_words: str
    previous: date
    next: date
    today: date
    axis_start: datetime
    quarters: int
    ticks: list[Tick]
    now: float | None
    now_text: str
    options: ViewOptions
    density: str
    unassigned: list[Card]
    unassigned_groups: list[CardGroup]
    groups: list[LaneGroup]
    waiting_elsewhere: int
    needing_location: int
    at_risk: int
    late: int
    # of the day, as simulated: expected, and in nine of ten cases at most
    misses: int
    most_misses: int
    has_forecast: bool
    jobs: int
    kinds: list[tuple[str, str]]
    skills: list[tuple[str, str]]
    areas: list[str]
    legend: list[StateCount]

    spans = Span.choices
    densities = Density.choices
    sorts = Sort.choices
    unassigned_sorts = UnassignedSort.choices
    window_halves = WindowHalf.choices
    ended_jobs = EndedJobs.choices
    layouts = Layout.choices

    @property
    def previous_label(self) -> str:
        return _("Previous day")

    @property
    def next_label(self) -> str:
        return _("Next day")

    @property
    def tiles_url(self) -> str:
        return settings.MAP_TILES_URL

    @property
    def tiles_attribution(self) -> str:
        return settings.MAP_TILES_ATTRIBUTION

    @property
    def lanes(self) -> list[Lane]:
        return [lane for group in self.groups for lane in group.lanes]

    @property
    def is_empty(self) -> bool:
        return not self.jobs


def build_board(
    day: date,
    *,
    now: datetime,
    today: date,
    options: ViewOptions | None = None,
    open_alarms: Sequence[Alarm] | None = None,
    viewer: Viewer | None = None,
) -> Board:
    """The board of a day as it stands at `now`; fifteen queries, one less with the open alarms."""
    options = options or ViewOptions()
    found = read_open_alarms() if open_alarms is None else open_alarms
    data = load_day(day, now=now, open_alarms=found, viewer=viewer or Viewer())
    axis = axis_of(day, data, part=options.span)
    return lay_out_board(
        day, data=data, axis=axis, lanes=build_lanes(data, axis), today=today, options=options
    )


def axis_of(day: date, data: DayData, *, part: str) -> Axis:
    """Of a day that was read whole."""
    worked = [window for work in data.work_of.values() for window in work.attended]
    return build_axis(day, worked + [visit.span for visit in data.visits], part=part)


def build_lanes(data: DayData, axis: Axis) -> dict[int, Lane]:
    """By the engineer's key."""
    return {engineer.pk: build_lane(engineer, axis=axis, data=data) for engineer in data.engineers}


def lay_out_board(
    day: date,
    *,
    data: DayData,
    axis: Axis,
    lanes: Mapping[int, Lane],
    today: date,
    options: ViewOptions,
) -> Board:
    """Of rows that are built already: all of the day's engineers, by their keys. Two queries."""
    unassigned = [build_card(job, visit=None, axis=axis, data=data) for job in data.waiting]
    groups = _lane_groups(data.engineers, _visible_lanes(lanes, options), sort=options.sort)
    cards = unassigned + [card for group in groups for lane in group.lanes for card in lane.own_cards]
    return Board(
        day=day,
        day_words=formatting.format_day(day),
        previous=day - timedelta(days=1),
        next=day + timedelta(days=1),
        today=today,
        axis_start=axis.start,
        quarters=axis.quarters,
        ticks=axis.ticks,
        now=axis.percent(data.now),
        now_text=formatting.format_time(data.now),
        options=options,
        density=options.density_for(len(data.engineers)),
        unassigned=unassigned,
        unassigned_groups=group_cards(unassigned, sort=options.unassigned_sort),
        groups=groups,
        # counted after the cards were read: some may have been assigned in between
        waiting_elsewhere=max(0, Job.objects.unassigned().in_scope().count() - len(unassigned)),
        needing_location=Job.objects.needing_location().in_scope().count(),
        at_risk=sum(card.risk.slug == Level.AT_RISK for card in cards),
        late=sum(card.risk.slug == Level.LATE for card in cards),
        misses=round(data.on_time.misses),
        most_misses=data.on_time.most_misses,
        has_forecast=data.on_time.made_at is not None,
        jobs=len(cards),
        kinds=sorted({(card.job_type, card.kind) for card in cards if card.kind}),
        skills=formatting.skill_choices(code for card in cards for code in card.skills.split()),
        areas=sorted({area.name for area in data.areas.values()}),
        legend=_count_states(cards),
    )


def _visible_lanes(lanes: Mapping[int, Lane], options: ViewOptions) -> Mapping[int, Lane]:
    if options.ended_jobs == EndedJobs.VISIBLE:
        return lanes
    return {key: fold_ended(lane) for key, lane in lanes.items()}


def _lane_groups(engineers: Iterable[Engineer], lanes: Mapping[int, Lane], *, sort: str) -> list[LaneGroup]:
    """By area; inside an area as the dispatcher chose."""
    return [
        _lane_group(area, sorted((lanes[engineer.pk] for engineer in members), key=LANE_ORDER[sort]))
        for area, members in group_by_area(engineers)
    ]


def _lane_group(area: str, lanes: list[Lane]) -> LaneGroup:
    cards = [card for lane in lanes for card in lane.own_cards]
    return LaneGroup(
        key=area or "-",
        name=area or _("No area"),
        lanes=lanes,
        jobs=len(cards),
        at_risk=sum(card.risk.slug != Level.NONE for card in cards),
    )


# each ends with the name, so that equal rows keep one order
LANE_ORDER: dict[str, Callable[[Lane], tuple[int | str, ...]]] = {
    Sort.NAME: lambda lane: (0, lane.name),
    Sort.LATENESS: lambda lane: (*(-part for part in lane.severity), lane.name),
    Sort.LOAD: lambda lane: (-lane.booked_minutes * 1000 // max(lane.at_work_minutes, 1), lane.name),
}


def _count_states(cards: Iterable[Card]) -> list[StateCount]:
    slugs = [card.look.slug for card in cards]
    return [StateCount(badge, slugs.count(badge.slug)) for badge in formatting.legend()]
