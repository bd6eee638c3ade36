"""The dispatcher's pages: the board of a day, a job, search."""

from dataclasses import asdict, dataclass
from datetime import date

from django.contrib import messages
from django.db.models import Count, Max
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _

from dispatch import visits
from dispatch.board import search as finding
from dispatch.board.actions import job_or_404
from dispatch.board.frame import show
from dispatch.board.job_page import job_page
from dispatch.board.lanes import Board, board_of
from dispatch.board.panel import Panel, panel_of
from dispatch.board.placing import offer_lines
from dispatch.models import Job, JobEvent
from engineers.models import CheckIn
from engineers.roles import for_office
from seller_link import alarms, outbox


@dataclass(frozen=True)
class DayPage:
    """The board and, beside it, the job that is chosen."""

    board: Board
    panel: Panel | None
    version: str


@for_office
def day(request: HttpRequest) -> HttpResponse:
    """The board of `?day=`, today by default, with the panel of `?job=`."""
    now, shown = timezone.now(), day_of(request)
    # read before the board: a change in between makes the page look old, never new
    version = version_now()
    chosen = Job.objects.filter(provider_job_id=request.GET.get("job", "")).first()
    page = DayPage(
        board=board_of(shown, now=now, today=timezone.localdate()),
        panel=panel_of(chosen, now=now) if chosen else None,
        version=version,
    )
    return show(request, "board/day.html", page, section="board")


def day_of(request: HttpRequest) -> date:
    asked = request.GET.get("day", "")
    try:
        found = parse_date(asked) if asked else timezone.localdate()
    except ValueError:
        found = None
    if found is None:
        messages.warning(request, _("“%(asked)s” is not a day, so this is today.") % {"asked": asked})
        return timezone.localdate()
    return found


def version_now() -> str:
    """Changes with every event, message in trouble, alarm and overdue check-in, and each minute for the clock."""
    newest = JobEvent.objects.aggregate(newest=Max("pk"))["newest"] or 0
    ringing = alarms.open_alarms().order_by().aggregate(number=Count("pk"), newest=Max("pk"))
    alone = CheckIn.objects.overdue(timezone.now()).aggregate(
        number=Count("pk"), seen=Count("acknowledged_at")
    )
    told = f"{ringing['number']}-{ringing['newest'] or 0}-{alone['number']}-{alone['seen']}"
    return f"{newest}.{told}.{outbox.troubled().count()}.{timezone.now():%H%M}"


@for_office
def pulse(_request: HttpRequest) -> HttpResponse:
    """Has anything changed? Four small queries, asked every two seconds by each open board."""
    response = JsonResponse({"version": version_now()})
    add_never_cache_headers(response)
    return response


@for_office
def job(request: HttpRequest, job_id: str) -> HttpResponse:
    return show(request, "board/job.html", job_page(job_or_404(job_id), now=timezone.now()))


@for_office
def offers(_request: HttpRequest, job_id: str) -> HttpResponse:
    """Who could take the job, for scripts."""
    job = job_or_404(job_id)
    lines = offer_lines(job, visit=visits.current_visit(job))
    return JsonResponse({"offers": [asdict(offer) for offer in lines]})


@for_office
def search(request: HttpRequest) -> HttpResponse:
    found = finding.search(text=request.GET.get("q", ""), name=request.GET.get("list", ""))
    return show(request, "board/search.html", found, section="search")
