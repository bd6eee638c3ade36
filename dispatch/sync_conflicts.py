"""What the seller or the office did while a phone had no signal, and what becomes of what that phone says then.

One rule for each case, with its text for the phone and for the board; docs/phone-rules.md is written from here.
Whatever happened on site is kept: a rule decides what it still moves, never whether it is kept.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext_lazy as _

from dispatch.models import Job, JobEvent, Visit
from dispatch.seller_codes import cancellation_text
from dispatch.states import Actor, EventKind, JobState
from engineers.former_accounts import name_for_reader
from engineers.models import Engineer
from engineers.moment_texts import format_moment, format_moment_phrase, format_recent_moment, format_time
from engineers.shifts import local_time

LazyText = Any  # gettext_lazy gives its own kind of text


class RuleName(StrEnum):
    CANCELLED = "cancelled"
    REASSIGNED = "reassigned"
    JOINED = "joined"
    SECOND_ENGINEER = "second_engineer"
    UNASSIGNED = "unassigned"
    CLOSED_BY_OFFICE = "closed_by_office"
    CLOSED_BEFORE = "closed_before"
    SUPERSEDED = "superseded"
    UNFINISHED = "unfinished"
    NEW_TIME = "new_time"


@dataclass(frozen=True)
class ConflictRule:
    """`explanation` and `effect` explain it; `phone` and `board` have %(who)s, %(when)s or %(at)s, %(reason)s."""

    explanation: LazyText
    effect: LazyText
    phone: LazyText
    board: LazyText


RULES: dict[RuleName, ConflictRule] = {
    RuleName.CANCELLED: ConflictRule(
        _("The seller cancelled the job."),
        _("Kept and shown on the job page. The job stays cancelled. Photos are stored."),
        _("The seller cancelled this job %(when)s%(reason)s. Your work is kept and the office "
"can see it. If you're on site, stop and call the office."),
        _("The seller had cancelled the job %(when)s. Call the engineer, who may be on site."),
    ),
    RuleName.REASSIGNED: ConflictRule(
        _("The office reassigned the job to a colleague."),
        _("Answers, steps, scans and closures are kept and shown on the job page, but they don't "
"change the colleague's job. Photos are added to it."),
        _("This job was reassigned to %(who)s %(when)s. Your work is kept and the office can "
"see it. If you're on site, call the office."),
        _("The job was reassigned to %(who)s %(when)s, so this update did not change it. Tell "
"%(who)s if it matters."),
    ),
    RuleName.JOINED: ConflictRule(
        _("The office reassigned the job to a colleague, who has not set off yet. The answer was "
"given before that, and nobody else has answered this question."),
        _("The answer is added to the job under the name of the engineer who gave it. Safety "
"questions are answered by the engineer on site."),
        _("This job was reassigned to %(who)s %(when)s. Your answer was added to it."),
        _("The job was reassigned to %(who)s %(when)s. This answer was given before that and was "
"added because the question was still open."),
    ),
    RuleName.SECOND_ENGINEER: ConflictRule(
        _("Nothing: the engineer accompanies a colleague, who reports the job's steps."),
        _("Kept and shown on the job page. The job stays as it is. Photos are stored."),
        _("You accompany %(who)s at this job. Only %(who)s reports its steps and answers. Your "
"update is kept and the office can see it."),
        _("The engineer accompanies %(who)s, who reports this job's steps, so this update did "
"not change it."),
    ),
    RuleName.UNASSIGNED: ConflictRule(
        _("The office unassigned the job."),
        _("Kept and shown on the job page. The job stays unassigned. Photos are stored."),
        _("The office unassigned this job %(when)s. Your work is kept and the office can see "
"it. If you're on site, call the office."),
        _("The job was unassigned %(when)s, so this update did not change it. Call the "
"engineer."),
    ),
    RuleName.CLOSED_BY_OFFICE: ConflictRule(
        _("The office closed the job without a visit."),
        _("Kept and shown on the job page. The closure stays as it is. Photos are stored."),
        _("The office closed this job %(when)s%(reason)s. Your work is kept and the office "
"can see it. If you're on site, call the office."),
        _("The office (%(who)s) had closed the job %(when)s, but an engineer was there after "
"all. Check that the closure is right."),
    ),
    RuleName.CLOSED_BEFORE: ConflictRule(
        _("The job had already been closed on site, from this phone or another."),
        _("Kept and shown on the job page. The first closure counts. Photos are stored."),
        _("%(who)s closed this job %(when)s. Your later updates are kept and the office can "
"see them."),
        _("%(who)s had closed the job %(when)s. The first closure counts. Check whether this "
"one differs."),
    ),
    RuleName.SUPERSEDED: ConflictRule(
        _("A newer answer or scan had already arrived, from another phone of the engineer."),
        _("Kept and shown on the job page. The newer answer or scan counts."),
        _("A newer update (%(at)s) had already arrived from another phone and counts. This one "
"is kept and the office can see it."),
        _("A newer update (%(at)s) had already arrived and counts. Check whether this one "
"matters."),
    ),
    RuleName.UNFINISHED: ConflictRule(
        _("The engineer could not finish the answer or request on the job's page: the job had ended, "
"was rescheduled or is a colleague's."),
        _(
            "Kept and shown on the job page. It doesn't count as an answer or a request, even if the engineer has the "
            "job again."
        ),
        _("Your unfinished work is kept and the office can see it. It did not change the job."),
        _("The engineer could not finish this, so it did not change the job. Call the engineer if "
"it matters."),
    ),
    RuleName.NEW_TIME: ConflictRule(
        _("The office rescheduled the visit."),
        _("Every update is applied as it happened."),
        _("The office rescheduled this visit: %(starts)s. Your earlier updates still count."),
        _("The engineer had not yet received the new time, set %(when)s. This update still "
"counts."),
    ),
}  # fmt: skip


# by rule: how the reason that a row keeps is written in the reader's language
_reason_displays: dict[str, Callable[[str], str]] = {}


def register_reason_display(rule: RuleName, display: Callable[[str], str]) -> None:
    """For an app that knows what the reasons of this rule stand for; from its `apps.ready()`."""
    _reason_displays[rule] = display


@dataclass(frozen=True)
class SyncConflict:
    """One rule that applied: since when (an ISO instant), whom its text names, and for what reason, of a cancellation
    with its code; of a visit that was moved, its start before and after that."""

    rule: str
    at: str = ""
    who: str = ""
    reason: str = ""
    start_before: str = ""
    start_after: str = ""
    reason_code: str = ""

    def facts(self) -> dict[str, Any]:
        """For the history; `from_event_facts` reads it again."""
        return {"conflict": asdict(self)}

    @property
    def phone_text(self) -> str:
        return str(RULES[RuleName(self.rule)].phone) % self._values()

    @property
    def board_text(self) -> str:
        return str(RULES[RuleName(self.rule)].board) % self._values()

    def _values(self) -> dict[str, str]:
        at = datetime.fromisoformat(self.at) if self.at else None
        display = _reason_displays.get(self.rule, str)
        reason = cancellation_text({"reason_code": self.reason_code, "reason": display(self.reason)})
        return {
            "at": format_recent_moment(at) if at else "–",
            "when": format_moment_phrase(at) if at else "–",
            "who": name_for_reader(self.who) or "–",
            "reason": f" ({reason})" if reason else "",
            "starts": self._starts(),
        }

    def _starts(self) -> str:
        """`08:00 → 10:30`, with the days where they differ."""
        moments = [datetime.fromisoformat(at) for at in (self.start_before, self.start_after) if at]
        days = {local_time(moment).date() for moment in moments}
        return " → ".join(format_time(each) if len(days) == 1 else format_moment(each) for each in moments)


def from_event_facts(facts: Any) -> SyncConflict | None:
    conflict = facts.get("conflict")
    return SyncConflict(**conflict) if conflict else None


def conflict_for(*, job: Job, engineer: Engineer) -> SyncConflict:
    """Why the job does not go along with this engineer's step any more."""
    visits = list(job.visits.all())
    current = next((visit for visit in visits if visit.unassigned_at is None), None)
    is_second = _accompanies(engineer, current=current, visits=visits)
    if is_second and current and job.is_open:
        return SyncConflict(RuleName.SECOND_ENGINEER, who=current.engineer.name)
    if not is_second and (current is None or current.engineer_id != engineer.pk):
        return _gone([visit for visit in visits if engineer.pk in visit.people_keys], current)
    if job.state == JobState.CANCELLED:
        return _over(_newest_event(job, EventKind.CANCELLED))
    submitted, closed = _newest_event(job, EventKind.SUBMITTED), _newest_event(job, EventKind.CLOSED)
    # an approved closure is the engineer's: the office only let it go
    is_engineers = closed is None or closed.facts.get("reviewed")
    return _over(submitted if submitted and is_engineers else closed)


def _accompanies(engineer: Engineer, *, current: Visit | None, visits: list[Visit]) -> bool:
    """As the second engineer who has never been the first: from such a one the job was taken."""
    is_second = current is not None and current.second_engineer_id == engineer.pk
    return is_second and all(visit.engineer_id != engineer.pk for visit in visits)


def _newest_event(job: Job, kind: EventKind) -> JobEvent | None:
    return next((event for event in reversed(list(job.events.all())) if event.kind == kind), None)


def _gone(theirs: list[Visit], current: Visit | None) -> SyncConflict:
    unassigned_at = max((visit.unassigned_at for visit in theirs if visit.unassigned_at), default=None)
    since = unassigned_at.isoformat() if unassigned_at else ""
    if current is None:
        return SyncConflict(RuleName.UNASSIGNED, since)
    return SyncConflict(RuleName.REASSIGNED, since, current.engineer.name)


def _over(event: JobEvent | None) -> SyncConflict:
    if event is None:
        return SyncConflict(RuleName.CLOSED_BEFORE)
    at, who = event.recorded_at.isoformat(), event.user.display_name if event.user else ""
    if event.kind == EventKind.CANCELLED:
        reason, code = event.facts.get("reason", ""), event.facts.get("reason_code", "")
        return SyncConflict(RuleName.CANCELLED, at, who, reason, reason_code=code)
    if event.actor == Actor.DISPATCHER:
        return SyncConflict(RuleName.CLOSED_BY_OFFICE, at, who, event.facts.get("description", ""))
    return SyncConflict(RuleName.CLOSED_BEFORE, at, who)


def new_time(recorded_at: datetime, facts: Mapping[str, Any]) -> SyncConflict:
    """The rule of a visit that was moved at this moment, `from` one start to the one that is planned."""
    before, after = facts["from"], facts["planned_start"]
    return SyncConflict(RuleName.NEW_TIME, recorded_at.isoformat(), start_before=before, start_after=after)


def unknown_move(events: Iterable[JobEvent], *, occurred_at: datetime) -> SyncConflict | None:
    """The newest move among these that was made after that moment, so that nobody out there knew of it."""
    moves = [
        event for event in events if event.kind == EventKind.RESCHEDULED and event.recorded_at > occurred_at
    ]
    return new_time(moves[-1].recorded_at, moves[-1].facts) if moves else None
