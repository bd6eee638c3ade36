"""The dispatcher's pages: the board of a day, a job, search, and the buttons of an overdue check-in."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from functools import wraps
from http import HTTPStatus
from urllib.parse import quote

from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.http import urlencode
from django.utils.translation import get_language
from django.views.decorators.http import require_POST

from board import presence
from board.alarms.alarm_presenter import read_open_alarms
from board.base_context import render_page
from board.board_version import read_version
from board.day.board_presenter import Board, build_board
from board.day.day_map import load_places
from board.day.engineer_panel import EngineerPanel, build_engineer_panel
from board.day.timeline import Span
from board.day.view_options import Layout, ViewOptions, load_view_options, save_view_options, viewer_of
from board.day.week_presenter import Week, build_week
from board.form_inputs import selected_day
from board.jobs import search as job_search
from board.jobs import search_audit
from board.jobs.actions import job_or_404
from board.jobs.forms import SlotForm, problems_of
from board.jobs.job_panel import Panel, build_panel
from board.jobs.job_presenter import build_job_page
from board.jobs.responses import BrokenPage, broken_page, suggestions_json
from board.jobs.suggestion_lines import fit_of
from board.models import Activity, FilterPage
from board.saved_filters import SavedFilterLine, list_filters
from dispatch import visits
from dispatch.models import Job
from dispatch.plan_changes.plan_versions import plan_version
from dispatch.problems import build_or_replace
from dispatch.risk import Level
from engineers.audit import ENGINEER_VIEWED, JOB_VIEWED, POSITIONS_VIEWED, record_look
from engineers.models import Engineer
from engineers.permissions import for_office, for_own_settings, user_of
from engineers.throttling import RateLimit, large_response, rate_limited


@dataclass(frozen=True)
class BoardPage:
    """The board and, next to it, the selected job or engineer."""

    board: Board
    saved: list[SavedFilterLine]
    panel: Panel | BrokenPage | None
    engineer: EngineerPanel | None
    version: str
    stream_url: str

    @property
    def is_broken(self) -> bool:
        return isinstance(self.panel, BrokenPage)


@dataclass(frozen=True)
class WeekPage:
    """The week around the selected day."""

    board: Week
    version: str


def with_stream_policy(
    view: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Lets the page connect to the stream, where that has another origin than the page."""

    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponseBase:
        url = settings.BOARD_STREAM_URL
        if not url or url.startswith("/"):
            return view(request)
        origin = "/".join(url.split("/")[:3])
        response: HttpResponseBase = csp_update({"connect-src": [origin]})(view)(request)
        return response

    return answer


@for_office
@rate_limited(RateLimit("board", 240))
@large_response
@with_stream_policy
def day(request: HttpRequest) -> HttpResponse:
    """The board of `?day=`, today by default, with the panel of `?job=`; or its week, where that was chosen."""
    now, displayed_day, options = timezone.now(), selected_day(request), load_view_options(request)
    user, today = user_of(request), timezone.localdate()
    # read before the board: a change in between makes the page look old, never new
    version = str(read_version())
    if options.span == Span.WEEK:
        week = build_week(displayed_day, now=now, today=today, options=options)
        return render_page(request, "board/day/week.html", WeekPage(week, version), section="board")
    chosen = Job.objects.in_scope().filter(provider_job_id=request.GET.get("job", "")).first()
    alarms = read_open_alarms()
    page = BoardPage(
        board=build_board(
            displayed_day, now=now, today=today, options=options, open_alarms=alarms, viewer=viewer_of(user)
        ),
        saved=list_filters(user, FilterPage.BOARD),
        panel=_panel(request, chosen, now=now) if chosen else None,
        engineer=None if chosen else _engineer_panel(request, displayed_day, now=now),
        version=version,
        stream_url=stream_url(displayed_day, options),
    )
    return render_page(request, "board/day/day.html", page, section="board", open_alarms=alarms)


@for_own_settings
@require_POST
def choose_view(request: HttpRequest) -> HttpResponse:
    """Density, order, layout or part of the day, as chosen from now on; back to the day on show."""
    save_view_options(request, request.POST)
    return _redirect_to_day(request, part="middle")


@for_office
def open_day(request: HttpRequest) -> HttpResponse:
    """From the week or the capacity to the board of `?day=`, and from now on a day, or `?span=`, half a day at a time;
    `?engineer=` is brought into view, only jobs of this `?risk=` (Level), `?area=` and `?skill=` stand out."""
    span = request.GET.get("span")
    save_view_options(request, {"span": span if span in {Span.MORNING, Span.AFTERNOON} else Span.DAY})
    engineer = request.GET.get("engineer")
    return _redirect_to_day(request, part="middle" if engineer is None else f"lane-{quote(engineer)}")


def _redirect_to_day(request: HttpRequest, *, part: str) -> HttpResponse:
    """`part` of the page is in view then, also where the window is narrow and all parts lie under each other."""
    fields = {"day": selected_day(request).isoformat()}
    if request.GET.get("risk") in {Level.AT_RISK, Level.LATE}:
        fields["risk"] = request.GET["risk"]
    fields |= {name: request.GET[name] for name in ("area", "skill") if request.GET.get(name)}
    address = f"{reverse('board:day')}?{urlencode(fields)}"
    return redirect(f"{address}#{part}")


@for_office
@rate_limited(RateLimit("map", 240))
def map_json(request: HttpRequest) -> HttpResponse:
    """The places of the jobs of `?day=` for the map beside the board."""
    found = load_places(selected_day(request), now=timezone.now())
    if found.engineers:
        record_look(user_of(request), POSITIONS_VIEWED, f"{timezone.localdate()}")
    response = JsonResponse(asdict(found))
    add_never_cache_headers(response)
    return response


def stream_url(displayed_day: date, options: ViewOptions) -> str:
    """Where the changes of this very view come from; empty when there is no stream (BOARD_STREAM_URL)."""
    if not settings.BOARD_STREAM_URL:
        return ""
    view = {"day": displayed_day.isoformat(), "language": get_language() or settings.LANGUAGE_CODE}
    # the parts are the same with a map and without
    parts = asdict(replace(options, layout=Layout.TIMELINE))
    return f"{settings.BOARD_STREAM_URL}?{urlencode({**view, **parts})}"


def _panel(request: HttpRequest, job: Job, *, now: datetime) -> Panel | BrokenPage:
    record_look(user_of(request), JOB_VIEWED, job.provider_job_id)

    def full() -> Panel | BrokenPage:
        return build_panel(job, now=now, with_unfit="unfit" in request.GET)

    return build_or_replace(job, full, lambda reason: BrokenPage(job.provider_job_id, [reason]))


def _engineer_panel(request: HttpRequest, day: date, *, now: datetime) -> EngineerPanel | None:
    staff_number = request.GET.get("engineer", "")
    # a suspended one too: what is left is reassigned there
    engineer = Engineer.objects.in_scope().filter(staff_number=staff_number).first() if staff_number else None
    if engineer:
        record_look(user_of(request), ENGINEER_VIEWED, staff_number)
    return build_engineer_panel(engineer, day=day, now=now) if engineer else None


@for_office
def board_version_json(_request: HttpRequest) -> HttpResponse:
    """Has anything changed? A few small queries, asked every two seconds by each open board without a stream."""
    visitors = [
        asdict(visitor) for visitor in presence.visible_visitors(presence.list_visitors(timezone.now()))
    ]
    response = JsonResponse({"version": str(read_version()), "visitors": visitors})
    add_never_cache_headers(response)
    return response


@for_own_settings
@require_POST
@rate_limited(RateLimit("presence", 120))
def report_presence(request: HttpRequest) -> HttpResponse:
    """Which job the dispatcher has open or moves in this window, for the boards of the others.
    `left`: the one that the window was at before, and is not any more."""
    found = Job.objects.in_scope().filter(provider_job_id=request.POST.get("job", "")).first()
    activity = request.POST.get("activity", "")
    if left := request.POST.get("left"):
        presence.end_presence(user=user_of(request), job_id=left)
    if found is not None and activity in Activity.values:
        presence.record_presence(
            user=user_of(request), job_id=found.provider_job_id, activity=Activity(activity)
        )
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


@for_office
@rate_limited(RateLimit("job_page", 240))
@large_response
def job(request: HttpRequest, job_id: str) -> HttpResponse:
    found = job_or_404(job_id)
    record_look(user_of(request), JOB_VIEWED, found.provider_job_id)

    def full() -> HttpResponse:
        return render_page(
            request,
            "board/jobs/job.html",
            build_job_page(found, now=timezone.now(), with_unfit="unfit" in request.GET),
        )

    return build_or_replace(found, full, lambda reason: broken_page(request, found, reason))


@for_office
@rate_limited(RateLimit("suggestions", 240))
@large_response
def suggestions(_request: HttpRequest, job_id: str) -> HttpResponse:
    """Who could take the job, and the plan version to assign with, for scripts."""
    found = job_or_404(job_id)
    version = plan_version(visits.current_visit(found))
    return JsonResponse({"version": version, "suggestions": suggestions_json(found)})


@for_office
@rate_limited(RateLimit("check", 600))
def check_assignment(request: HttpRequest, job_id: str) -> JsonResponse:
    """Would the job fit there (`engineer`, `starts_at`), and what becomes of the rest of the day? For the ghost of a
    card that is being moved; changes nothing.
    `{"fits": …, "text": …}`, `can_override` where only a reason is missing, `is_late` where it would begin later."""
    found, form = job_or_404(job_id), SlotForm(request.GET)
    if not form.is_valid():
        return JsonResponse(
            {"fits": False, "text": " ".join(p.message for p in problems_of(form))}, status=400
        )
    engineer, starts_at = form.cleaned_data["engineer"], form.cleaned_data["starts_at"]
    problems = visits.assignment_problems(found, engineer, starts_at=starts_at, not_before=timezone.now())
    if problems:
        can_override = all(problem.can_override for problem in problems)
        return JsonResponse({"fits": False, "text": problems[0].message, "can_override": can_override})
    fit = fit_of(found, engineer, starts_at=starts_at, now=timezone.now())
    return JsonResponse({"fits": True, "text": fit.text, "is_late": fit.is_late})


@for_office
@rate_limited(RateLimit("search", 120))
def search(request: HttpRequest) -> HttpResponse:
    """The jobs and engineers that match `?q=`, or the list that `?list=` names."""
    found = job_search.list_jobs(request.GET.get("list", "")) or job_search.search(request.GET.get("q", ""))
    search_audit.record_results(user_of(request), found)
    return render_page(request, "board/jobs/search.html", found, section="search")


@for_office
@rate_limited(RateLimit("search_suggestions", 600))
def search_suggestions(request: HttpRequest) -> HttpResponse:
    """The first results of `?q=`, drawn as options below the search field while somebody types."""
    found = job_search.search(request.GET.get("q", ""), limit=job_search.MAX_SUGGESTIONS)
    search_audit.record_suggestions(user_of(request), found)
    response = render(request, "board/jobs/_search_options.html", {"page": found})
    add_never_cache_headers(response)
    return response
