"""Several options to go on with a day, side by side: what each would disturb, the best one first."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from django.db.models import Prefetch
from django.utils.translation import gettext as _

from board import formatting
from board.links import Link, engineer_links, job_link
from board.plan_descriptions import occasion_text
from board.plans.plan_notes import assumption_text, end_note, plan_failure
from board.plans.plan_presenter import (
    ChangeLine,
    change_line,
    format_drive,
    lines_of,
    moves_of,
)
from dispatch.models import ChangeKind, Occasion, PlanComparison, PlanProposal, ProposedChange
from dispatch.models.plan_history import PEOPLE
from dispatch.planning.assumptions_entered import is_to_enter
from dispatch.planning.comparisons import FREES_TIME
from dispatch.planning.proposal_texts import reason_text
from dispatch.risk import CLOSE
from dispatch.states import JobState
from engineers.shifts import local_time

MOST_LISTED = 8


@dataclass(frozen=True)
class OptionFigures:
    """The lower, the better, the first ones first. `given_up`: planned visits that nobody would make, by today's plan,
    which all options have in common."""

    given_up: int
    misses: float
    at_risk: int
    moved: int
    other_time: int
    drive_seconds: int


@dataclass(frozen=True)
class OptionColumn:
    """One option. `names`: of this option and of those that come to the same. `missed`: why the urgent job would still
    have nobody."""

    pk: int
    names: list[str]
    missed: str
    figures: OptionFigures
    assigned: int
    drive: str
    weight_minutes: int
    note: str
    lines: list[ChangeLine]
    more: int
    late: list[ChangeLine]
    is_accepted: bool
    # accepting it enters what was assumed, also where nothing else changes
    enters_assumption: bool

    @property
    def has_changes(self) -> bool:
        return bool(self.lines)

    @property
    def can_accept(self) -> bool:
        return self.enters_assumption or (self.has_changes and not self.is_accepted)


@dataclass(frozen=True)
class ComparisonPage:
    title: str
    links: tuple[Link, ...]
    requested: str
    by: str
    # of the plan, where it is not today's, "" otherwise
    day: str
    is_over: bool
    failure: str
    columns: list[OptionColumn]
    assumption: str
    asks_for_reason: bool
    travel_note: str


def comparison_page(comparison: PlanComparison) -> ComparisonPage:
    """Two queries, however many changes."""
    changes = ProposedChange.objects.select_related("job", *PEOPLE)
    proposals = list(comparison.proposals.order_by("pk").prefetch_related(Prefetch("changes", changes)))
    enters = bool(proposals) and is_to_enter(proposals[0])
    failure = next(filter(None, map(plan_failure, proposals)), "")
    is_over = bool(failure) or not any(proposal.is_running for proposal in proposals)
    return ComparisonPage(
        title=occasion_text(comparison),
        links=_links(comparison),
        requested=formatting.format_exact_moment(comparison.requested_at),
        by=comparison.requested_by.display_name,
        day=_later_day(comparison, proposals),
        is_over=is_over,
        failure=failure,
        columns=_columns(comparison, proposals, enters=enters) if is_over and not failure else [],
        assumption=assumption_text(comparison) if enters else "",
        asks_for_reason=comparison.occasion == Occasion.ENGINEER_ABSENT,
        travel_note=next(
            (proposal.get_travel_note_display() for proposal in proposals if proposal.travel_note), ""
        ),
    )


def _later_day(comparison: PlanComparison, proposals: Sequence[PlanProposal]) -> str:
    """Which day these options are for: of an urgent job, the first of its window on which somebody can do it."""
    requested = local_time(comparison.requested_at).date()
    days = [local_time(proposal.starts_at).date() for proposal in proposals]
    return formatting.format_day(days[0]) if days and days[0] > requested else ""


def _links(comparison: PlanComparison) -> tuple[Link, ...]:
    job = comparison.job
    return (
        *engineer_links(comparison.engineer.name if comparison.engineer else ""),
        *((job_link(job.provider_job_id, title=job.title),) if job else ()),
    )


def _columns(
    comparison: PlanComparison, proposals: Sequence[PlanProposal], *, enters: bool
) -> list[OptionColumn]:
    """The best first; options that come to the same are one."""
    found: dict[tuple[object, ...], OptionColumn] = {}
    for proposal in proposals:
        changes = list(proposal.changes.all())
        same = tuple(
            (change.job_id, change.engineer_after_id, change.second_after_id, change.start_after)
            for change in changes
        )
        if same in found:
            found[same].names.append(proposal.get_option_display())
        else:
            missed = _missed_text(comparison, changes)
            found[same] = _column(proposal, changes, enters=enters, missed=missed)
    fills_time = comparison.occasion in FREES_TIME
    return sorted(found.values(), key=partial(_rank, fills_time=fills_time))


def _rank(column: OptionColumn, *, fills_time: bool) -> tuple[float, ...]:
    """`fills_time`: an engineer has time now, so that the options differ in whom they bring."""
    figures = column.figures
    return (
        bool(column.missed),
        figures.given_up,
        -column.assigned if fills_time else 0,
        figures.misses,
        figures.at_risk,
        figures.moved,
        figures.other_time,
        figures.drive_seconds,
    )


def _missed_text(comparison: PlanComparison, changes: Sequence[ProposedChange]) -> str:
    """Empty where the urgent job gets an engineer, and for occasions that are about no single job."""
    job = comparison.job
    if comparison.occasion != Occasion.URGENT_JOB or job is None:
        return ""
    own = next((change for change in changes if change.job_id == job.pk), None)
    if own and own.engineer_after_id:
        return ""
    if job.needs_location:
        return _("This job has no location yet. Set the location first.")
    if own is None and job.state == JobState.ASSIGNED:
        return ""
    return reason_text(own) if own else _("This option doesn't change it.")


def _column(
    proposal: PlanProposal, changes: Sequence[ProposedChange], *, enters: bool, missed: str
) -> OptionColumn:
    moves = moves_of(changes)
    driven = proposal.travel_seconds - proposal.travel_seconds_before
    return OptionColumn(
        pk=proposal.pk,
        names=[proposal.get_option_display()],
        missed=missed,
        figures=_figures(proposal, changes),
        assigned=_count(moves, ChangeKind.ASSIGN),
        drive=("+" if driven >= 0 else "−") + format_drive(abs(driven)),
        weight_minutes=proposal.change_minutes,
        note=end_note(proposal),
        lines=[change_line(change) for change in moves[:MOST_LISTED]],
        more=max(len(moves) - MOST_LISTED, 0),
        late=lines_of(changes, ChangeKind.STAY_LATE),
        is_accepted=bool(moves) and all(change.accepted_at for change in moves),
        enters_assumption=enters,
    )


def _figures(proposal: PlanProposal, changes: Sequence[ProposedChange]) -> OptionFigures:
    return OptionFigures(
        given_up=_count(changes, ChangeKind.UNASSIGN),
        misses=round(proposal.misses or 0, 1),
        at_risk=sum(_is_close(change) for change in changes),
        moved=_count(changes, ChangeKind.REASSIGN),
        other_time=_count(changes, ChangeKind.RESCHEDULE),
        drive_seconds=proposal.travel_seconds,
    )


def _count(changes: Sequence[ProposedChange], kind: ChangeKind) -> int:
    return sum(change.kind == kind for change in changes)


def _is_close(change: ProposedChange) -> bool:
    """Whether it would begin so late that the customer's window is at risk."""
    return change.start_after is not None and change.start_after > change.job.window_end - CLOSE
