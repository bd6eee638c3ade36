"""A plan as a dispatcher reads it: how far it is, what it would change, and for whom."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from board import formatting
from board.links import Link, engineer_links
from board.plan_descriptions import plan_subjects
from board.plans.forms import AcceptForm, PlanForm
from board.plans.plan_notes import assumption_text, end_note, plan_failure, search_note, weight_note
from dispatch.models import (
    UNCHANGED_KINDS,
    ChangeKind,
    Job,
    Occasion,
    PlanOption,
    PlanProposal,
    ProposedChange,
)
from dispatch.models.plan_history import PEOPLE
from dispatch.planning.assumptions_entered import is_to_enter
from dispatch.planning.proposal_texts import pinned_text, reason_text
from engineers.models import Engineer
from engineers.shifts import TimeSpan

MOST_LISTED = 20
# they look for nobody but those whom it concerns
PARTIAL_OPTIONS = frozenset({PlanOption.NEAREST, PlanOption.WIDER})


@dataclass(frozen=True)
class PlanLine:
    pk: int
    requested: str
    by: str
    part: str
    subject: str
    state: str


@dataclass(frozen=True)
class PlansPage:
    form: PlanForm
    lines: list[PlanLine]


@dataclass(frozen=True)
class ChangeLine:
    """`after` and `before`: with whom and when, empty for unassigned; `until`: when one that is late ends; `links`:
    who they are."""

    pk: int
    job_id: str
    title: str
    window: str
    kind: str
    before: str
    after: str
    until: str
    reason: str
    is_accepted: bool
    links: tuple[Link, ...]


@dataclass(frozen=True)
class PinnedLine:
    """A visit that breaks a rule and stays, pinned or overridden by a dispatcher: which rule."""

    job_id: str
    title: str
    text: str


@dataclass(frozen=True)
class EngineerBalance:
    """How many of the changed jobs an engineer gives away and gets."""

    name: str
    gets: int
    gives: int


@dataclass(frozen=True)
class PlanPage:
    """`failure` where it could not be made; `note` for a plan that the time limit or the dispatcher ended; `search`:
    with what it is found again. `is_empty`: there was no job to plan."""

    line: PlanLine
    is_over: bool
    is_running: bool
    is_empty: bool
    failure: str
    weight: str
    note: str
    search: str
    travel_note: str
    value_percent: int
    drive_before: str
    drive_after: str
    misses_before: float | None
    misses: float | None
    # None where only some jobs were looked at
    unassigned_before: int | None
    unassigned_after: int | None
    changes: list[ChangeLine]
    # visits that customers expect today and that nobody would make, "" for none; they lead the changes
    warning: str
    unassigned: list[ChangeLine]
    late: list[ChangeLine]
    pinned: list[PinnedLine]
    engineers: list[EngineerBalance]
    open_count: int
    # of a comparison: what is entered with the changes
    assumption: str
    accept_form: AcceptForm | None


def plans_page(form: PlanForm) -> PlansPage:
    related = ("requested_by", "action", "comparison__job", "comparison__engineer__user")
    newest = list(PlanProposal.objects.in_scope().select_related(*related)[:MOST_LISTED])
    subjects = plan_subjects(newest)
    changes = ProposedChange.objects.filter(proposal__in=newest, accepted_at__isnull=False)
    accepted = set(changes.values_list("proposal", flat=True))
    lines = [_line(each, subjects[each.pk], is_accepted=each.pk in accepted) for each in newest]
    return PlansPage(form, lines)


def _line(proposal: PlanProposal, subject: str = "", *, is_accepted: bool) -> PlanLine:
    """`is_accepted`: any of its changes."""
    part = formatting.format_days(TimeSpan(proposal.starts_at, proposal.ends_at))
    # a comparison may have had nothing to accept but what it assumed
    is_entered = proposal.action is not None and proposal.action.undone_at is None
    return PlanLine(
        proposal.pk,
        formatting.format_exact_moment(proposal.requested_at),
        proposal.requested_by.display_name,
        part,
        subject,
        _("Accepted") if is_accepted or is_entered else proposal.get_state_display(),
    )


def plan_page(proposal: PlanProposal) -> PlanPage:
    """One query, however many changes; up to two more for what a comparison assumed, one for pinned visits."""
    comparison = proposal.comparison
    changes = list(proposal.changes.select_related("job", *PEOPLE))
    moves = moves_of(changes)
    failure = plan_failure(proposal)
    kinds = Counter(change.kind for change in changes)
    left, is_partial = kinds[ChangeKind.REMAIN_UNASSIGNED], proposal.option in PARTIAL_OPTIONS
    is_over = bool(failure) or not proposal.is_running
    return PlanPage(
        line=_line(proposal, is_accepted=any(change.accepted_at for change in changes)),
        is_over=is_over,
        is_empty=is_over and not failure and not proposal.possible_value and not changes,
        is_running=proposal.is_running and not failure,
        failure=failure,
        weight=weight_note(proposal),
        note=end_note(proposal),
        search=search_note(proposal),
        travel_note=proposal.get_travel_note_display(),
        value_percent=round(100 * proposal.value / proposal.possible_value) if proposal.possible_value else 0,
        drive_before=format_drive(proposal.travel_seconds_before),
        drive_after=format_drive(proposal.travel_seconds),
        misses_before=proposal.misses_before,
        misses=proposal.misses,
        unassigned_before=None if is_partial else left + kinds[ChangeKind.ASSIGN],
        unassigned_after=None if is_partial else left + kinds[ChangeKind.UNASSIGN],
        changes=[change_line(change) for change in moves],
        warning=_unassign_warning(moves),
        unassigned=lines_of(changes, ChangeKind.REMAIN_UNASSIGNED),
        late=lines_of(changes, ChangeKind.STAY_LATE),
        pinned=_pinned_lines(proposal),
        engineers=_engineer_lines(moves),
        open_count=sum(change.accepted_at is None for change in moves),
        assumption=assumption_text(comparison) if comparison and is_to_enter(proposal) else "",
        accept_form=AcceptForm() if comparison and comparison.occasion == Occasion.ENGINEER_ABSENT else None,
    )


def moves_of(changes: Iterable[ProposedChange]) -> list[ProposedChange]:
    """Those that change something; visits that nobody would make any more first."""
    moves = [change for change in changes if change.kind not in UNCHANGED_KINDS]
    return sorted(moves, key=lambda change: change.kind != ChangeKind.UNASSIGN)


def lines_of(changes: Iterable[ProposedChange], kind: ChangeKind) -> list[ChangeLine]:
    return [change_line(change) for change in changes if change.kind == kind]


def format_drive(seconds: int) -> str:
    minutes = formatting.drive_minutes(timedelta(seconds=seconds))
    return formatting.format_duration(timedelta(minutes=minutes))


def _unassign_warning(changes: Iterable[ProposedChange]) -> str:
    open_kinds = Counter(change.kind for change in changes if change.accepted_at is None)
    number = open_kinds[ChangeKind.UNASSIGN]
    if not number:
        return ""
    text = ngettext(
        "This plan unassigns %(number)d planned visit. Clear its box to keep it.",
        "This plan unassigns %(number)d planned visits. Clear their boxes to keep them.",
        number,
    )
    return text % {"number": number}


def change_line(change: ProposedChange) -> ChangeLine:
    ends_at = change.parameters.get("ends_at")
    return ChangeLine(
        pk=change.pk,
        job_id=change.job.provider_job_id,
        title=change.job.title,
        window=formatting.format_window_with_day(change.job),
        kind=change.get_kind_display(),
        before=_visit_text(change.people_before, change.start_before),
        after=_visit_text(change.people_after, change.start_after),
        until=formatting.format_time(datetime.fromisoformat(ends_at)) if ends_at else "",
        reason=reason_text(change),
        is_accepted=change.accepted_at is not None,
        links=engineer_links(*(who.name for who in [*change.people_before, *change.people_after])),
    )


def _pinned_lines(proposal: PlanProposal) -> list[PinnedLine]:
    codes = {breach["job"]: breach["codes"] for breach in proposal.pinned_breaches}
    jobs = Job.objects.filter(pk__in=codes).order_by("pk") if codes else []
    return [PinnedLine(job.provider_job_id, job.title, pinned_text(codes[job.pk])) for job in jobs]


def people_text(people: Sequence[Engineer]) -> str:
    """Empty for nobody."""
    names = [person.name for person in people]
    return formatting.format_team(names[0], "".join(names[1:])) if names else ""


def _visit_text(people: Sequence[Engineer], start: datetime | None) -> str:
    return f"{people_text(people)}, {formatting.format_moment(start)}" if people and start else ""


def _engineer_lines(changes: Iterable[ProposedChange]) -> list[EngineerBalance]:
    gets: Counter[str] = Counter()
    gives: Counter[str] = Counter()
    for change in changes:
        before, after = change.people_before, change.people_after
        gives.update(person.name for person in before if person not in after)
        gets.update(person.name for person in after if person not in before)
    return [EngineerBalance(name, gets[name], gives[name]) for name in sorted({*gets, *gives})]
