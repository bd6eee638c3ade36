"""One step back for the last placing of a dispatcher, for a few minutes, kept in the session."""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.http import HttpRequest
from django.utils import timezone

from dispatch import visits
from dispatch.history import By
from dispatch.models import Job
from dispatch.problems import Problem, Refused
from dispatch.states import JobState
from engineers.models import Engineer

KEY = "board_last_move"
LASTS = timedelta(minutes=3)
STILL_PLANNED = (JobState.RECEIVED, JobState.ASSIGNED)


class NothingToUndo(Refused):
    """The last move is gone, or somebody has changed the job since; nothing has changed now."""


@dataclass(frozen=True)
class Spot:
    """Where a job stands: with whom and from when; both empty while it waits."""

    engineer: str = ""
    starts_at: str = ""


@dataclass(frozen=True)
class Move:
    """What was done last, in words, and the spots before and after it."""

    job_id: str
    words: str
    before: Spot
    after: Spot
    made_at: str


def spot_of(job: Job) -> Spot:
    visit = visits.current_visit(job)
    return Spot(visit.engineer.staff_number, visit.planned_start.isoformat()) if visit else Spot()


def remember(request: HttpRequest, *, job: Job, words: str, before: Spot) -> None:
    made_at = timezone.now().isoformat()
    move = Move(job.provider_job_id, words, before=before, after=spot_of(job), made_at=made_at)
    request.session[KEY] = asdict(move)


def forget(request: HttpRequest) -> None:
    request.session.pop(KEY, None)


def last_move(request: HttpRequest) -> Move | None:
    """Offered while it is fresh and nobody has set off yet."""
    kept = request.session.get(KEY)
    if kept is None:
        return None
    move = Move(**{**kept, "before": Spot(**kept["before"]), "after": Spot(**kept["after"])})
    if timezone.now() - datetime.fromisoformat(move.made_at) >= LASTS:
        return None
    waits = Job.objects.filter(provider_job_id=move.job_id, state__in=STILL_PLANNED).exists()
    return move if waits else None


def take_back(move: Move, *, job: Job, by: By) -> None:
    """Put the job where it was. Raises NothingToUndo, or what the verb itself refuses."""
    if spot_of(job) != move.after:
        message = "Somebody has changed this job since, so your move was not undone."
        raise NothingToUndo([Problem("changed_since", "job", message)])
    if not move.before.engineer:
        visits.unassign(job=job, by=by, reason="Undone")
        return
    engineer = Engineer.objects.get(staff_number=move.before.engineer)
    visits.assign(job=job, engineer=engineer, starts_at=datetime.fromisoformat(move.before.starts_at), by=by)
