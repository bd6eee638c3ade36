"""Stopping what the seller can never accept: one message, or all that wait of one job."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from board.base_context import render_page
from board.jobs.forms import StopForm, problems_of
from board.messages.job_stop import job_stop_page
from board.messages.message_presenter import Draft, may_see_personal_data, outbound_page
from board.messages.views import outbound_or_404
from dispatch.models import Job
from dispatch.problems import ActionRefused, Problem
from engineers.input_values import read_number
from engineers.models import Right
from engineers.permissions import for_right, user_of
from engineers.throttling import RateLimit, rate_limited
from seller_link import outbox
from seller_link.models import OutboundMessage


@for_right(Right.RESEND_MESSAGES)
@rate_limited(RateLimit("replay", 60))
@require_POST
def stop_message(request: HttpRequest, message_id: UUID) -> HttpResponse:
    """Never send this message again; `reason` stays on the page when it is refused."""
    found, form = outbound_or_404(message_id), StopForm(request.POST)
    if not form.is_valid():
        return _refused_stop(request, found, problems_of(form))
    try:
        outbox.stop_message(message=found, by=user_of(request), reason=form.cleaned_data["reason"])
    except ActionRefused as refusal:
        return _refused_stop(request, found, refusal.problems)
    messages.success(request, _("Sending stopped. Later messages for this job are sent."))
    return redirect("board:message", message_id)


def _refused_stop(request: HttpRequest, found: OutboundMessage, problems: list[Problem]) -> HttpResponse:
    stop = Draft(reason=request.POST.get("reason", ""), problems=[problem.message for problem in problems])
    page = outbound_page(found, is_shown=may_see_personal_data(user_of(request)), stop=stop)
    return render_page(request, "board/messages/message.html", page, section="messages", status=400)


@for_right(Right.RESEND_MESSAGES)
@rate_limited(RateLimit("replay", 60))
def stop_job_messages(request: HttpRequest, job_id: str) -> HttpResponse:
    """GET lists what waits and what was stopped; POST with `reason` and each `message` that was listed stops them, all
    or none, and the list says what became of each."""
    job = get_object_or_404(Job.objects.in_scope(), provider_job_id=job_id)
    if request.method != "POST":
        return render_page(request, "board/messages/job_stop.html", job_stop_page(job), section="messages")
    form = StopForm(request.POST)
    if not form.is_valid():
        return _refused_job_stop(request, job, problems_of(form))
    seen = [pk for pk in map(read_number, request.POST.getlist("message")) if pk is not None]
    try:
        stopped = outbox.stop_job_messages(
            job=job, seen=seen, by=user_of(request), reason=form.cleaned_data["reason"]
        )
    except ActionRefused as refusal:
        return _refused_job_stop(request, job, refusal.problems)
    text = ngettext(
        "Sending of %(number)d message stopped.", "Sending of %(number)d messages stopped.", len(stopped)
    )
    messages.success(request, text % {"number": len(stopped)})
    return redirect("board:stop-job-messages", job_id)


def _refused_job_stop(request: HttpRequest, job: Job, problems: list[Problem]) -> HttpResponse:
    """With the reason as it was typed, and the messages as they are now."""
    page = job_stop_page(
        job, reason=request.POST.get("reason", ""), problems=[problem.message for problem in problems]
    )
    return render_page(request, "board/messages/job_stop.html", page, section="messages", status=400)
