"""The engineer's pages. What a tap does is in saying.py; what programs ask is in interface.py."""

from dataclasses import replace
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from closures import codes, editions
from closures.closing import Ending
from closures.matrix import Question
from dispatch.models import Job
from dispatch.states import JobState
from engineers.phone import steps
from engineers.phone.access import show, with_own_job
from engineers.phone.checklist import question_page, review_page
from engineers.phone.day import day_page
from engineers.phone.device import provisioning_page, scan_page
from engineers.phone.endings import cant_complete_page, close_page
from engineers.phone.pages import arrive_page, job_page, travel_page
from engineers.phone.steps import url_of
from engineers.phone.trail import Trail, trail_of
from engineers.roles import engineer_of, for_engineer


@for_engineer
@require_safe
def day(request: HttpRequest) -> HttpResponse:
    return show(request, "phone/day.html", day_page(engineer_of(request)))


@for_engineer
@require_safe
@with_own_job
def job(request: HttpRequest, job: Job) -> HttpResponse:
    return show(request, "phone/job.html", job_page(job))


@for_engineer
@require_safe
@with_own_job
def next_page(request: HttpRequest, job: Job) -> HttpResponse:
    """Redirects to what comes next; the job's page when nobody waits for this engineer."""
    return redirect(next_url(job, trail_of(request.GET)))


def next_url(job: Job, trail: Trail) -> str:
    step = steps.next_step(job)
    if step is None:
        return url_of(job, "job")
    on_trail = replace(trail, after="")
    question = steps.following(job, after=trail.after, closing_code=trail.closing)
    if question and job.state == JobState.ON_SITE:
        return on_trail.url(job, "question", code=question.code)
    if trail.closing:
        return _next_for_closing(job, on_trail)
    if trail.meanwhile and step.name == "provisioning":
        question = steps.first_work_question(job)
        return on_trail.url(job, "question", code=question.code) if question else step.url
    return step.url


def _next_for_closing(job: Job, trail: Trail) -> str:
    """What was found there is said by somebody who is there: arriving comes first."""
    if job.state != JobState.ON_SITE:
        return trail.url(job, "arrive")
    step = steps.next_for_closing(job, code=trail.closing)
    carried = {"secondary": trail.secondary} if trail.secondary else {}
    return f"{step.url}&{urlencode(carried)}" if carried else step.url


@for_engineer
@require_safe
@with_own_job
def travel(request: HttpRequest, job: Job) -> HttpResponse:
    if job.state != JobState.ASSIGNED:
        return redirect("phone:next", job_id=job.provider_job_id)
    return show(request, "phone/travel.html", travel_page(job))


@for_engineer
@require_safe
@with_own_job
def arrive(request: HttpRequest, job: Job) -> HttpResponse:
    trail = trail_of(request.GET)
    if job.state not in {JobState.ASSIGNED, JobState.EN_ROUTE}:
        return redirect(trail.url(job, "next"))
    return show(request, "phone/arrive.html", arrive_page(job, trail=trail))


@for_engineer
@require_safe
@with_own_job
def question(request: HttpRequest, job: Job, code: str) -> HttpResponse:
    if not job.is_open:
        return redirect("phone:job", job_id=job.provider_job_id)
    page = question_page(job, question_or_404(job, code), trail=trail_of(request.GET))
    return show(request, "phone/question.html", page)


def question_or_404(job: Job, code: str) -> Question:
    found = editions.of(job).find(code)
    if found is None or job.job_type not in found.job_types:
        raise Http404
    return found


@for_engineer
@require_safe
@with_own_job
def scan(request: HttpRequest, job: Job) -> HttpResponse:
    if not job.has_ont_scan or job.state != JobState.ON_SITE:
        return redirect("phone:next", job_id=job.provider_job_id)
    return show(request, "phone/scan.html", scan_page(job, trail=trail_of(request.GET)))


@for_engineer
@require_safe
@with_own_job
def provisioning(request: HttpRequest, job: Job) -> HttpResponse:
    if not job.has_ont_scan or job.state != JobState.ON_SITE:
        return redirect("phone:next", job_id=job.provider_job_id)
    return show(request, "phone/provisioning.html", provisioning_page(job))


@for_engineer
@require_safe
@with_own_job
def review(request: HttpRequest, job: Job) -> HttpResponse:
    if not job.is_open:
        return redirect("phone:job", job_id=job.provider_job_id)
    return show(request, "phone/review.html", review_page(job))


@for_engineer
@require_safe
@with_own_job
def cant_complete(request: HttpRequest, job: Job) -> HttpResponse:
    if not job.is_open:
        return redirect("phone:job", job_id=job.provider_job_id)
    chosen, query = request.GET.get("code", ""), request.GET.get("q", "")
    return show(request, "phone/cant_complete.html", cant_complete_page(job, code=chosen, query=query))


@for_engineer
@require_safe
@with_own_job
def close(request: HttpRequest, job: Job) -> HttpResponse:
    if not job.is_open:
        return redirect("phone:job", job_id=job.provider_job_id)
    code = request.GET.get("code") or codes.success_of(job.job_type).code
    ending = Ending(code=code[:40], secondary_code=request.GET.get("secondary", "")[:40])
    return show(request, "phone/close.html", close_page(job, ending=ending))


@for_engineer
@require_safe
@with_own_job
def hand_over(_request: HttpRequest, job: Job) -> HttpResponse:
    """Only the application asks for it; without it the office is a call away."""
    return redirect("phone:job", job_id=job.provider_job_id)
