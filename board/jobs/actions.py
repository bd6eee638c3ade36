"""What a dispatcher does to jobs: POST only, one verb each, the same for forms and for scripts.

A caller that accepts JSON gets `{"ok": true}` or `{"ok": false, "problems": […], "suggestions": […]}` with 409 (400 for
a value that cannot be read); a form gets the next page, or the refusal as a page with the suggestions as buttons.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from board.base_context import render_page
from board.jobs import undo
from board.jobs.assignment_options import UNDER_WAY, suggestion_lines, visit_words
from board.jobs.forms import AssignForm, CloseForm, LocateForm, UnassignForm, problems_of
from board.jobs.job_panel import Panel, build_panel
from closures import closing, codes
from closures.closing import Outcome
from dispatch import geocoding, jobs, visits
from dispatch.display_errors import build_or_replace
from dispatch.geocoding import GeocoderUnavailable
from dispatch.job_events import IllegalEvent, Performer
from dispatch.models import Job
from dispatch.plan_versions import plan_version
from dispatch.problems import ActionRefused, Problem
from dispatch.states import Actor
from engineers.permissions import for_office, user_of
from engineers.throttling import RateLimit, rate_limited, slow_request


@dataclass(frozen=True)
class RefusedPage:
    """Why an action could not be done, and what could be done instead."""

    panel: Panel
    problems: list[Problem]
    back: str


@dataclass(frozen=True)
class BrokenPage:
    job_id: str
    reasons: list[str]


def job_or_404(job_id: str) -> Job:
    try:
        return jobs.find_job(provider_job_id=job_id)
    except jobs.JobNotFound as problem:
        raise Http404 from problem


def dispatcher_of(request: HttpRequest) -> Performer:
    return Performer(Actor.DISPATCHER, user_of(request))


def wants_json(request: HttpRequest) -> bool:
    return request.headers.get("Accept", "").startswith("application/json")


def redirect_back(request: HttpRequest, *, job: Job | None = None) -> str:
    """The page that the form came from, if it is one of ours; otherwise the job or the board."""
    wanted = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()}):
        return wanted
    return reverse("board:job", args=[job.provider_job_id]) if job else reverse("board:day")


def success_response(request: HttpRequest, said: str, *, job: Job) -> HttpResponse:
    """`said` is empty where the page says it already, with its way back."""
    if wants_json(request):
        return JsonResponse({"ok": True})
    if said:
        messages.success(request, said)
    return redirect(redirect_back(request, job=job))


def error_response(
    request: HttpRequest, problems: list[Problem], *, job: Job, status: int = 409
) -> HttpResponse:
    if wants_json(request):
        told = [{"code": one.code, "where": one.where, "message": one.message} for one in problems]
        suggestions = suggestions_json(job) if job.is_open else []
        version = plan_version(visits.current_visit(job))
        answer = {"ok": False, "problems": told, "suggestions": suggestions, "version": version}
        return JsonResponse(answer, status=status)

    def full() -> HttpResponse:
        page = RefusedPage(build_panel(job, now=timezone.now()), problems, redirect_back(request, job=job))
        return render_page(request, "board/refused.html", page, status=status)

    return build_or_replace(job, full, lambda reason: broken_page(request, job, reason, problems))


def suggestions_json(job: Job) -> list[dict[str, str]]:
    def full() -> list[dict[str, str]]:
        return [asdict(offer) for offer in suggestion_lines(job, visit=visits.current_visit(job))]

    return build_or_replace(job, full, lambda _reason: [])


def broken_page(
    request: HttpRequest, job: Job, reason: str, problems: Iterable[Problem] = ()
) -> HttpResponse:
    """The page of a job whose data cannot be shown: its number and why."""
    page = BrokenPage(job.provider_job_id, [reason, *(one.message for one in problems)])
    return render_page(request, "board/broken_job.html", page)


def run_action(request: HttpRequest, job: Job, act: Callable[[], str]) -> HttpResponse:
    """Do it and say what was done, or say every reason why not."""
    try:
        said = act()
    except ActionRefused as refusal:
        return error_response(request, refusal.problems, job=job)
    except IllegalEvent as refusal:
        job.refresh_from_db()
        return error_response(request, [Problem("illegal_now", "job", str(refusal))], job=job)
    return success_response(request, said, job=job)


@dataclass(frozen=True)
class Change:
    """A change of the plan: what to say about it, and the plan version that it made."""

    words: str
    version: str


def run_with_undo(request: HttpRequest, job: Job, act: Callable[[], Change]) -> HttpResponse:
    """As `attempt`, and the way back is remembered; a handed over job cannot be put back on site by an undo."""
    if job.state in UNDER_WAY:
        return run_action(request, job, lambda: act().words)

    def act_and_remember() -> str:
        before = undo.current_assignment(job)
        change = act()
        undo.remember(request, job=job, words=change.words, before=before, version=change.version)
        return ""

    return run_action(request, job, act_and_remember)


@for_office
@require_POST
def assign(request: HttpRequest, job_id: str) -> HttpResponse:
    """Give a job to an engineer, or move it: fields `engineer` (staff number), `starts_at` and `version`."""
    job, form = job_or_404(job_id), AssignForm(request.POST)
    if not form.is_valid():
        return error_response(request, problems_of(form), job=job, status=400)

    def act() -> Change:
        given = form.cleaned_data
        visit = visits.assign(
            job=job,
            engineer=given["engineer"],
            starts_at=given["starts_at"],
            by=dispatcher_of(request),
            not_before=timezone.now(),
            seen=given["version"],
        )
        words = _("%(place)s assigned to %(visit)s.")
        return Change(
            words % {"place": position_from_form(job), "visit": visit_words(visit)}, plan_version(visit)
        )

    return run_with_undo(request, job, act)


@for_office
@require_POST
def unassign(request: HttpRequest, job_id: str) -> HttpResponse:
    """Take a job off its engineer: field `version`, and optional `reason`."""
    job, form = job_or_404(job_id), UnassignForm(request.POST)
    if not form.is_valid():
        return error_response(request, problems_of(form), job=job, status=400)

    def act() -> Change:
        given = form.cleaned_data
        visits.unassign(job=job, by=dispatcher_of(request), reason=given["reason"], seen=given["version"])
        return Change(_("%(place)s unassigned.") % {"place": position_from_form(job)}, plan_version(None))

    return run_with_undo(request, job, act)


@for_office
@require_POST
def undo_last(request: HttpRequest) -> HttpResponse:
    """Undo the last assignment."""
    move = undo.last_move(request)
    if move is None:
        messages.info(request, _("This change can no longer be undone."))
        return redirect(redirect_back(request))
    job = job_or_404(move.job_id)

    def act() -> str:
        visit = undo.undo(move, job=job, by=dispatcher_of(request))
        if visit is None:
            return _("Undone. %(place)s is unassigned again.") % {"place": position_from_form(job)}
        words = _("Undone. %(place)s is assigned to %(visit)s again.")
        return words % {"place": position_from_form(job), "visit": visit_words(visit)}

    undo.forget(request)
    return run_action(request, job, act)


@for_office
@require_POST
def locate(request: HttpRequest, job_id: str) -> HttpResponse:
    """Put a job on the map: fields `latitude` and `longitude`."""
    job, form = job_or_404(job_id), LocateForm(request.POST)
    if not form.is_valid():
        return error_response(request, problems_of(form), job=job, status=400)

    def act() -> str:
        jobs.set_location(job=job, by=dispatcher_of(request), **form.cleaned_data)
        return _("Location saved.")

    return run_action(request, job, act)


@for_office
@rate_limited(RateLimit("geocoding", 30))
@slow_request
@require_POST
def geocode(request: HttpRequest, job_id: str) -> HttpResponse:
    """Ask the configured geocoder for the address."""
    job = job_or_404(job_id)
    try:
        place = geocoding.geocode(job)
    except GeocoderUnavailable:
        problem = Problem(
            "geocoder_unavailable",
            "location",
            _("The address lookup is not responding. Try again, or set the location manually."),
        )
        return error_response(request, [problem], job=job)
    if place is None:
        problem = Problem(
            "address_unknown", "location", _("The address was not found. Set the location manually.")
        )
        return error_response(request, [problem], job=job)
    latitude, longitude = place

    def act() -> str:
        by = dispatcher_of(request)
        jobs.set_location(job=job, latitude=latitude, longitude=longitude, by=by, found_by="geocoder")
        return _("Location found from the address. Check it on the map.")

    return run_action(request, job, act)


@for_office
@require_POST
def close(request: HttpRequest, job_id: str) -> HttpResponse:
    """Close a job that nobody goes to: fields `version`, `code`, `secondary_code`, `remarks`."""
    job, form = job_or_404(job_id), CloseForm(request.POST)
    if not form.is_valid():
        return error_response(request, problems_of(form), job=job, status=400)

    given = form.cleaned_data
    seen = given.pop("version")
    ending = Outcome(**given, without_visit=True)
    if codes.find_code(ending.code) not in closing.office_closure_codes(job):
        message = _(
            "Only a closure without a visit is possible here. All other outcomes are recorded by "
            "the engineer on site."
        )
        return error_response(request, [Problem("needs_a_visit", "code", message)], job=job)

    def act() -> str:
        closing.close_job(
            job=job,
            ending=ending,
            by=dispatcher_of(request),
            closed_at=timezone.now(),
            engineer=closing.attending_engineer(job),
            seen=seen,
        )
        return _("%(place)s closed. The seller is being notified.") % {"place": position_from_form(job)}

    return run_action(request, job, act)


def position_from_form(job: Job) -> str:
    return job.postcode or job.provider_job_id
