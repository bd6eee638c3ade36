"""One step back for the last assignment of a dispatcher, for a few minutes, kept in the session."""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from dispatch import visits
from dispatch.job_events import Performer
from dispatch.models import Job, Visit
from dispatch.plan_versions import PlanChanged, last_change
from dispatch.problems import ActionRefused, Problem
from dispatch.states import JobState
from engineers.models import Engineer

SESSION_KEY = "board_last_move"
UNDO_SECONDS = timedelta(minutes=3)
UNDOABLE_STATES = (JobState.RECEIVED, JobState.ASSIGNED)


class NothingToUndo(ActionRefused):
    """Somebody has changed the job since; nothing has changed now."""


@dataclass(frozen=True)
class Assignment:
    """Where a job stands: with whom and from when; both empty while it waits."""

    engineer: str = ""
    starts_at: str = ""


@dataclass(frozen=True)
class Move:
    """What was done last, in words, the spot before it, and the plan version that it made."""

    job_id: str
    words: str
    before: Assignment
    version: str
    made_at: str


def current_assignment(job: Job) -> Assignment:
    visit = visits.current_visit(job)
    return Assignment(visit.engineer.staff_number, visit.planned_start.isoformat()) if visit else Assignment()


def remember(request: HttpRequest, *, job: Job, words: str, before: Assignment, version: str) -> None:
    made_at = timezone.now().isoformat()
    move = Move(job.provider_job_id, words, before=before, version=version, made_at=made_at)
    request.session[SESSION_KEY] = asdict(move)


def forget(request: HttpRequest) -> None:
    request.session.pop(SESSION_KEY, None)


def last_move(request: HttpRequest) -> Move | None:
    """Offered while it is fresh and nobody has set off yet."""
    kept = request.session.get(SESSION_KEY)
    # a session of an earlier version remembers a move without it
    if kept is None or "version" not in kept:
        return None
    move = Move(**{**kept, "before": Assignment(**kept["before"])})
    if timezone.now() - datetime.fromisoformat(move.made_at) >= UNDO_SECONDS:
        return None
    waits = Job.objects.filter(provider_job_id=move.job_id, state__in=UNDOABLE_STATES).exists()
    return move if waits else None


def undo(move: Move, *, job: Job, by: Performer) -> Visit | None:
    """Put the job where it was: its visit, None when it is unassigned. Raises NothingToUndo, or what the verb
    itself refuses."""
    try:
        if not move.before.engineer:
            visits.unassign(job=job, by=by, reason="Undone", seen=move.version)
            return None
        engineer = Engineer.objects.get(staff_number=move.before.engineer)
        starts_at = datetime.fromisoformat(move.before.starts_at)
        return visits.assign(job=job, engineer=engineer, starts_at=starts_at, by=by, seen=move.version)
    except PlanChanged as changed:
        message = _("%(change)s Your change can't be undone.") % {"change": last_change(job)}
        raise NothingToUndo([Problem("plan_changed", "job", message)]) from changed
