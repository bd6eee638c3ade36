"""What a dispatcher does to jobs: POST only, one verb each, the same for forms and for scripts.

A caller that accepts JSON gets `{"ok": true}` or `{"ok": false, "problems": […], "offers": […]}` with 409 (400 for
a value that cannot be read); a form gets the next page, or the refusal as a page with the offers as buttons.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from closures import closing, codes
from closures.closing import Ending
from dispatch import geocoding, jobs, visits
from dispatch.board import undo
from dispatch.board.forms import (
    AssignForm,
    CloseForm,
    LocateForm,
    ReplayForm,
    UnassignForm,
    problems_of,
)
from dispatch.board.frame import show
from dispatch.board.message_page import sees_all, sent_page
from dispatch.board.panel import Panel, panel_of
from dispatch.board.placing import UNDER_WAY, offer_lines, visit_words
from dispatch.geocoding import GeocoderUnavailable
from dispatch.history import By, IllegalEvent
from dispatch.models import Job
from dispatch.problems import Problem, Refused
from dispatch.states import Actor
from engineers.roles import for_office, user_of
from seller_link import outbox
from seller_link.models import OutboundMessage


@dataclass(frozen=True)
class RefusedPage:
    """Why an action could not be done, and what could be done instead."""

    panel: Panel
    problems: list[Problem]
    back: str


def job_or_404(job_id: str) -> Job:
    try:
        return jobs.find(job_id)
    except jobs.JobNotFound as problem:
        raise Http404 from problem


def by_office(request: HttpRequest) -> By:
    return By(Actor.DISPATCHER, user_of(request))


def wants_json(request: HttpRequest) -> bool:
    return request.headers.get("Accept", "").startswith("application/json")


def back_to(request: HttpRequest, *, job: Job | None = None) -> str:
    """The page that the form came from, if it is one of ours; otherwise the job or the board."""
    wanted = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()}):
        return wanted
    return reverse("board:job", args=[job.provider_job_id]) if job else reverse("board:day")


def done(request: HttpRequest, said: str, *, job: Job) -> HttpResponse:
    """`said` is empty where the page says it already, with its way back."""
    if wants_json(request):
        return JsonResponse({"ok": True})
    if said:
        messages.success(request, said)
    return redirect(back_to(request, job=job))


def refused(request: HttpRequest, problems: list[Problem], *, job: Job, status: int = 409) -> HttpResponse:
    if wants_json(request):
        told = [{"code": one.code, "where": one.where, "message": one.message} for one in problems]
        offers = (
            [asdict(offer) for offer in offer_lines(job, visit=visits.current_visit(job))]
            if job.is_open
            else []
        )
        return JsonResponse({"ok": False, "problems": told, "offers": offers}, status=status)
    page = RefusedPage(panel_of(job, now=timezone.now()), problems, back_to(request, job=job))
    return show(request, "board/refused.html", page, status=status)


def attempt(request: HttpRequest, job: Job, act: Callable[[], str]) -> HttpResponse:
    """Do it and say what was done, or say every reason why not."""
    try:
        said = act()
    except Refused as refusal:
        return refused(request, refusal.problems, job=job)
    except IllegalEvent as refusal:
        job.refresh_from_db()
        return refused(request, [Problem("illegal_now", "job", f"{refusal}.")], job=job)
    return done(request, said, job=job)


def placed(request: HttpRequest, job: Job, act: Callable[[], str]) -> HttpResponse:
    """As `attempt`, and the way back is remembered; a handed over job cannot be put back on site by an undo."""
    if job.state in UNDER_WAY:
        return attempt(request, job, act)

    def act_and_remember() -> str:
        before = undo.spot_of(job)
        said = act()
        undo.remember(request, job=job, words=said, before=before)
        return ""

    return attempt(request, job, act_and_remember)


@for_office
@require_POST
def assign(request: HttpRequest, job_id: str) -> HttpResponse:
    """Give a job to an engineer, or move it: fields `engineer` (staff number) and `starts_at`."""
    job, form = job_or_404(job_id), AssignForm(request.POST)
    if not form.is_valid():
        return refused(request, problems_of(form), job=job, status=400)

    def act() -> str:
        given = form.cleaned_data
        visit = visits.assign(
            job=job, engineer=given["engineer"], starts_at=given["starts_at"], by=by_office(request)
        )
        return _("%(place)s is with %(visit)s.") % {"place": place_of(job), "visit": visit_words(visit)}

    return placed(request, job, act)


@for_office
@require_POST
def unassign(request: HttpRequest, job_id: str) -> HttpResponse:
    """Take a job off its engineer: field `reason`, optional."""
    job, form = job_or_404(job_id), UnassignForm(request.POST)
    if not form.is_valid():
        return refused(request, problems_of(form), job=job, status=400)

    def act() -> str:
        visits.unassign(job=job, by=by_office(request), reason=form.cleaned_data["reason"])
        return _("%(place)s waits to be placed again.") % {"place": place_of(job)}

    return placed(request, job, act)


@for_office
@require_POST
def undo_last(request: HttpRequest) -> HttpResponse:
    """Take the last placing back."""
    move = undo.last_move(request)
    if move is None:
        messages.info(request, _("There is nothing to undo any more."))
        return redirect(back_to(request))
    job = job_or_404(move.job_id)

    def act() -> str:
        undo.take_back(move, job=job, by=by_office(request))
        return _("Undone: %(words)s") % {"words": move.words}

    undo.forget(request)
    return attempt(request, job, act)


@for_office
@require_POST
def locate(request: HttpRequest, job_id: str) -> HttpResponse:
    """Put a job on the map: fields `latitude` and `longitude`."""
    job, form = job_or_404(job_id), LocateForm(request.POST)
    if not form.is_valid():
        return refused(request, problems_of(form), job=job, status=400)

    def act() -> str:
        jobs.locate(job=job, by=by_office(request), **form.cleaned_data)
        return _("The location is set.")

    return attempt(request, job, act)


@for_office
@require_POST
def find_place(request: HttpRequest, job_id: str) -> HttpResponse:
    """Ask the configured geocoder for the address."""
    job = job_or_404(job_id)
    try:
        place = geocoding.find_place(job)
    except GeocoderUnavailable:
        problem = Problem(
            "geocoder_unavailable",
            "location",
            _("The address service does not answer. Try again, or set the location by hand."),
        )
        return refused(request, [problem], job=job)
    if place is None:
        problem = Problem(
            "address_unknown", "location", _("The address was not found. Set the location by hand.")
        )
        return refused(request, [problem], job=job)
    latitude, longitude = place

    def act() -> str:
        by = by_office(request)
        jobs.locate(job=job, latitude=latitude, longitude=longitude, by=by, found_by="geocoder")
        return _("The location was found from the address. Check it on the map.")

    return attempt(request, job, act)


@for_office
@require_POST
def close(request: HttpRequest, job_id: str) -> HttpResponse:
    """Close a job that nobody goes to: fields `code`, `secondary_code`, `remarks`."""
    job, form = job_or_404(job_id), CloseForm(request.POST)
    if not form.is_valid():
        return refused(request, problems_of(form), job=job, status=400)

    ending = Ending(**form.cleaned_data)
    if codes.find(ending.code) not in codes.without_visit(job.job_type):
        message = _(
            "Only a closure without a visit is made here; the engineer closes everything else on site."
        )
        return refused(request, [Problem("needs_a_visit", "code", message)], job=job)

    def act() -> str:
        closing.close_job(
            job=job, ending=ending, by=by_office(request), closed_at=timezone.now(), engineer=None
        )
        return _("%(place)s is closed and the seller is told.") % {"place": place_of(job)}

    return attempt(request, job, act)


@for_office
@require_POST
def replay(request: HttpRequest, message_id: UUID) -> HttpResponse:
    """Send a message in trouble again: field `body` for a corrected one."""
    message = OutboundMessage.objects.filter(message_id=message_id).first()
    if message is None:
        messages.info(request, _("This message is not in trouble any more."))
        return redirect("board:trouble")
    form = ReplayForm(request.POST)
    if not form.is_valid():
        wrong = [problem.message for problem in problems_of(form)]
        page = sent_page(
            message, is_shown=sees_all(user_of(request)), draft=request.POST.get("body", ""), problems=wrong
        )
        return show(request, "board/message.html", page, section="messages", status=400)
    try:
        why = request.POST.get("why", "")
        outbox.replay(message=message, by=user_of(request), why=why, body=form.cleaned_data["body"])
    except Refused as refusal:
        for problem in refusal.problems:
            messages.error(request, problem.message)
    else:
        messages.success(request, _("The message goes to the seller again now."))
    return redirect("board:trouble")


def place_of(job: Job) -> str:
    return job.postcode or job.provider_job_id
