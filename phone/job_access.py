"""Whose job it is: every address that answers with a job's data comes through here."""

from collections.abc import Callable
from datetime import date, timedelta
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.db.models import Max
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.cache import add_never_cache_headers

from dispatch.models import Job, Visit
from dispatch.states import ENDED_STATES, JobState
from engineers.models import Engineer
from engineers.permissions import engineer_of
from engineers.shifts import day_window
from phone import provisioning_advice

P = ParamSpec("P")
JobView = Callable[Concatenate[HttpRequest, Job, P], HttpResponse]


def with_own_job(view: JobView[P]) -> Callable[..., HttpResponse]:
    """Gives the view the job; 404 for another engineer's. Who had it and has it no more is told so."""

    @wraps(view)
    def opened(request: HttpRequest, job_id: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        engineer = engineer_of(request)
        job = Job.objects.for_engineer(engineer).filter(provider_job_id=job_id).first()
        if job is None:
            return _unassigned_response(job_id, engineer)
        return view(request, job, *args, **kwargs)

    return opened


def _unassigned_response(job_id: str, engineer: Engineer) -> HttpResponse:
    """Given to somebody else meanwhile. Raises Http404 for a stranger."""
    if not Job.objects.filter(provider_job_id=job_id, visits__engineer=engineer).exists():
        raise Http404
    return json_response({"state": "taken_off", "version": "taken off"})


def json_response(said: dict[str, Any], *, status: int = 200) -> JsonResponse:
    response = JsonResponse(said, status=status)
    add_never_cache_headers(response)
    return response


UNDER_WAY = frozenset({JobState.EN_ROUTE, JobState.ON_SITE})


def list_visits(engineer: Engineer, today: date) -> list[Visit]:
    """Today's and tomorrow's, and what is left open of earlier days, in the order of the plan."""
    tomorrow = day_window(today + timedelta(days=1))
    soon = engineer.visits.active().filter(planned_start__lt=tomorrow.end)
    unfinished = soon.exclude(job__state__in=ENDED_STATES)
    recent = soon.filter(planned_end__gt=day_window(today).start)
    return list((unfinished | recent).select_related("job__closure").order_by("planned_start", "pk"))


def is_today(visit: Visit, today: date) -> bool:
    """A job begun on an earlier day belongs to today until it is finished; so does one begun early."""
    return visit.planned_start < day_window(today).end or visit.job.state in UNDER_WAY


def job_version(job: Job) -> str:
    """Also changes when waiting has become too long, so that the advice on the page changes by itself."""
    newest = job.events.aggregate(newest=Max("seq"))["newest"] or 0
    advice = provisioning_advice.advice_for(job)
    return f"{newest}.{job.results.count()}.{advice.tone if advice else ''}"
