"""The dispatcher's pages: the board of a day, a job, search."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.contrib import messages
from django.db.models import Count, Max
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _

from board.base_context import render_page
from board.day.board_presenter import Board, build_board
from board.jobs import search as finding
from board.jobs.actions import broken_page, job_or_404, suggestions_json
from board.jobs.job_panel import Panel, build_panel
from board.jobs.job_presenter import build_job_page
from dispatch import visits
from dispatch.display_errors import build_or_replace
from dispatch.models import Job, JobEvent
from dispatch.plan_versions import plan_version
from engineers.models import CheckIn
from engineers.permissions import for_office
from engineers.throttling import RateLimit, rate_limited
from monitoring import alarms
from seller_link import outbox

# no window of the seller's lies further away (wire profile 1.1: five years), and no visit of ours
MAX_DAYS_AWAY = timedelta(days=3653)


@dataclass(frozen=True)
class BoardPage:
    """The board and, beside it, the job that is chosen."""

    board: Board
    panel: Panel | None
    version: str


@for_office
@rate_limited(RateLimit("board", 240))
def day(request: HttpRequest) -> HttpResponse:
    """The board of `?day=`, today by default, with the panel of `?job=`."""
    now, shown = timezone.now(), selected_day(request)
    # read before the board: a change in between makes the page look old, never new
    version = board_version()
    chosen = Job.objects.filter(provider_job_id=request.GET.get("job", "")).first()
    page = BoardPage(
        board=build_board(shown, now=now, today=timezone.localdate()),
        panel=_panel(request, chosen, now=now) if chosen else None,
        version=version,
    )
    return render_page(request, "board/day.html", page, section="board")


def _panel(request: HttpRequest, job: Job, *, now: datetime) -> Panel | None:
    def broken(reason: str) -> None:
        messages.error(request, reason)

    return build_or_replace(job, lambda: build_panel(job, now=now), broken)


def selected_day(request: HttpRequest) -> date:
    asked = request.GET.get("day", "")
    try:
        found = parse_date(asked) if asked else timezone.localdate()
    except ValueError:
        found = None
    if found is None:
        messages.warning(
            request, _("“%(asked)s” is not a valid date. Showing today instead.") % {"asked": asked}
        )
        return timezone.localdate()
    if abs(found - timezone.localdate()) > MAX_DAYS_AWAY:
        words = _("“%(asked)s” is more than ten years away. Showing today instead.")
        messages.warning(request, words % {"asked": asked})
        return timezone.localdate()
    return found


def board_version() -> str:
    """Changes with every event, message in trouble, alarm and overdue check-in, and each minute for the clock."""
    newest = JobEvent.objects.aggregate(newest=Max("pk"))["newest"] or 0
    ringing = alarms.open_alarms().order_by().aggregate(number=Count("pk"), newest=Max("pk"))
    alone = CheckIn.objects.overdue(timezone.now()).aggregate(
        number=Count("pk"), seen=Count("acknowledged_at")
    )
    told = f"{ringing['number']}-{ringing['newest'] or 0}-{alone['number']}-{alone['seen']}"
    return f"{newest}.{told}.{outbox.stuck_messages().count()}.{timezone.now():%H%M}"


@for_office
def board_version_json(_request: HttpRequest) -> HttpResponse:
    """Has anything changed? Four small queries, asked every two seconds by each open board."""
    response = JsonResponse({"version": board_version()})
    add_never_cache_headers(response)
    return response


@for_office
@rate_limited(RateLimit("job_page", 240))
def job(request: HttpRequest, job_id: str) -> HttpResponse:
    found = job_or_404(job_id)

    def full() -> HttpResponse:
        return render_page(request, "board/job.html", build_job_page(found, now=timezone.now()))

    return build_or_replace(found, full, lambda reason: broken_page(request, found, reason))


@for_office
@rate_limited(RateLimit("suggestions", 240))
def suggestions(_request: HttpRequest, job_id: str) -> HttpResponse:
    """Who could take the job, and the plan version to assign with, for scripts."""
    found = job_or_404(job_id)
    version = plan_version(visits.current_visit(found))
    return JsonResponse({"version": version, "suggestions": suggestions_json(found)})


@for_office
@rate_limited(RateLimit("search", 120))
def search(request: HttpRequest) -> HttpResponse:
    found = finding.search(text=request.GET.get("q", ""), name=request.GET.get("list", ""))
    return render_page(request, "board/search.html", found, section="search")
