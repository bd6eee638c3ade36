"""A dispatcher checks the line of a job: the seller is asked now, and the page shows the result or why there is
none."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from board.jobs.actions import dispatcher_of, job_or_404
from board.jobs.responses import links_of_job, redirect_back, refusal_json, success_response, wants_json
from board.links import link_text
from dispatch.models import Job
from dispatch.problems import Problem
from engineers.models import Right
from engineers.permissions import for_right
from engineers.throttling import RateLimit, rate_limited
from seller_link.line_check import LineCheckUnavailable, check_line


@for_right(Right.CHANGE_JOBS)
@rate_limited(RateLimit("line_check_user", 30))
@require_POST
def check(request: HttpRequest, job_id: str) -> HttpResponse:
    """Ask the seller for the state of the job's line; takes LINE_CHECK_SECONDS at most."""
    job = job_or_404(job_id)
    try:
        check_line(job, by=dispatcher_of(request))
    except LineCheckUnavailable as problem:
        return _unavailable(request, job, problem)
    return success_response(request, _("Line of %(place)s checked.") % {"place": job.title}, job=job)


def _unavailable(request: HttpRequest, job: Job, problem: LineCheckUnavailable) -> HttpResponse:
    """No refusal of what the dispatcher did: the page stays, and says that there is no result and why."""
    if wants_json(request):
        refused = refusal_json([Problem(problem.reason.value, "line", problem.text)])
        return JsonResponse(refused, status=409)
    text = _("Line of %(place)s not checked. %(reason)s") % {"place": job.title, "reason": problem.text}
    messages.warning(request, link_text(text, links_of_job(job)))
    return redirect(redirect_back(request, job=job))
