"""Whose job it is: every address that answers with a job's data comes through here."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.cache import add_never_cache_headers

from dispatch.models import Job
from engineers.models import Engineer
from engineers.permissions import engineer_of

P = ParamSpec("P")
JobView = Callable[Concatenate[HttpRequest, Job, P], HttpResponse]


def with_own_job(view: JobView[P]) -> Callable[..., HttpResponse]:
    """Gives the view the job; 404 for another engineer's. Who had it and has it no more is told so."""

    @wraps(view)
    def opened(request: HttpRequest, job_id: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        engineer = engineer_of(request)
        job = Job.objects.for_engineer(engineer).filter(provider_job_id=job_id).first()
        if job is None:
            return _taken_off(job_id, engineer)
        return view(request, job, *args, **kwargs)

    return opened


def _taken_off(job_id: str, engineer: Engineer) -> HttpResponse:
    """Given to somebody else meanwhile. Raises Http404 for a stranger."""
    if not Job.objects.filter(provider_job_id=job_id, visits__engineer=engineer).exists():
        raise Http404
    return answer_json({"state": "taken_off", "version": "taken off"})


def answer_json(said: dict[str, Any], *, status: int = 200) -> JsonResponse:
    response = JsonResponse(said, status=status)
    add_never_cache_headers(response)
    return response
