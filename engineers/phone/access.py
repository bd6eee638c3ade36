"""Whose job it is: every address of the phone that names a job comes through here."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _

from dispatch.models import Job
from engineers.models import Engineer
from engineers.roles import engineer_of

P = ParamSpec("P")
JobView = Callable[Concatenate[HttpRequest, Job, P], HttpResponse]


def with_own_job(view: JobView[P]) -> Callable[..., HttpResponse]:
    """Gives the view the job; 404 for another engineer's. Who had it and has it no more is told so."""

    @wraps(view)
    def opened(request: HttpRequest, job_id: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        engineer = engineer_of(request)
        job = Job.objects.for_engineer(engineer).filter(provider_job_id=job_id).first()
        if job is None:
            return taken_off(request, job_id, engineer)
        return view(request, job, *args, **kwargs)

    return opened


def taken_off(request: HttpRequest, job_id: str, engineer: Engineer) -> HttpResponse:
    """Given to somebody else meanwhile: back to the day with a word about it. Raises Http404 for a stranger."""
    if not Job.objects.filter(provider_job_id=job_id, visits__engineer=engineer).exists():
        raise Http404
    if request.headers.get("Accept", "").startswith("application/json"):
        return answer_json({"state": "taken_off", "version": "taken off", "next_url": reverse("phone:day")})
    said = _(
        "Job %(job)s is not with you any more. What you did there is kept. Call the office if you are there."
    )
    messages.warning(request, said % {"job": job_id})
    return redirect("phone:day")


def show(request: HttpRequest, template: str, page: Any, *, status: int = 200) -> HttpResponse:
    """A page that the browser's Back asks for again: answers change, and phones change hands."""
    response = render(request, template, {"page": page}, status=status)
    add_never_cache_headers(response)
    return response


def answer_json(said: dict[str, Any], *, status: int = 200) -> JsonResponse:
    response = JsonResponse(said, status=status)
    add_never_cache_headers(response)
    return response
