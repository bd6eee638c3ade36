"""The control interface: plain JSON on the loopback address, for rehearsals and fault scripts."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from seller_sandbox import clock
from seller_sandbox.console import orders_given, reports
from seller_sandbox.console.orders_given import BadOrder
from seller_sandbox.console.security import control_only
from seller_sandbox.endpoints import credentials, switches
from seller_sandbox.jobs import dispatching, ledger, odd_messages, outbox, provisioning, strictness
from seller_sandbox.jobs.models import Job, JobQuerySet
from seller_sandbox.jobs.not_possible import NotPossible

MAX_LEDGER_LINES = 1000

View = Callable[..., HttpResponse]


def control(view: View) -> View:
    """A view of the control interface: guarded, its refusals turned into JSON."""

    @control_only
    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except BadOrder as problem:
            return JsonResponse({"error": str(problem), "mistakes": problem.mistakes}, status=400)
        except NotPossible as problem:
            return JsonResponse({"error": str(problem)}, status=409)

    return answered


@control
@require_http_methods(["GET", "POST"])
def jobs(request: HttpRequest) -> HttpResponse:
    """GET lists all jobs, oldest first; POST makes a batch and queues its packs."""
    if request.method == "GET":
        return JsonResponse({"jobs": _reports_of(Job.objects.all())})
    batch = orders_given.read_batch(orders_given.read_json(request.body))
    made = dispatching.send_batch(batch)
    return JsonResponse(
        {"jobs": _reports_of(Job.objects.filter(id__in=[job.id for job in made]))}, status=201
    )


@control
@require_GET
def job(_: HttpRequest, seller_job_id: str) -> HttpResponse:
    return JsonResponse(reports.report_job_in_full(_job(seller_job_id)))


@control
@require_POST
def cancel(request: HttpRequest, seller_job_id: str) -> HttpResponse:
    reason = orders_given.read_reason(orders_given.read_json(request.body))
    message = dispatching.cancel(_job(seller_job_id), **reason)
    return JsonResponse({"messageId": str(message.message_id)}, status=202)


@control
@require_POST
def provision(request: HttpRequest, seller_job_id: str) -> HttpResponse:
    result = orders_given.read_result(orders_given.read_json(request.body))
    message = provisioning.give_result(job=_job(seller_job_id), result=result)
    return JsonResponse({"messageId": str(message.message_id)}, status=202)


@control
@require_POST
def repeat(request: HttpRequest, seller_job_id: str) -> HttpResponse:
    """Say a delivered message again, with the same messageId and body."""
    operation = orders_given.read_operation(orders_given.read_json(request.body))
    message = dispatching.repeat_last(_job(seller_job_id), operation=operation)
    return JsonResponse({"messageId": str(message.message_id)}, status=202)


@control
@require_POST
def send_again(_: HttpRequest, seller_job_id: str) -> HttpResponse:
    """Queue the messages again that the partner refused."""
    return JsonResponse({"queued": dispatching.send_refused_again(_job(seller_job_id))}, status=202)


@control
@require_POST
def move_clock(request: HttpRequest) -> HttpResponse:
    seconds = orders_given.read_advance(orders_given.read_json(request.body))
    return JsonResponse({"now": clock.advance(seconds=seconds).isoformat()})


@control
@require_http_methods(["GET", "POST"])
def endpoint(request: HttpRequest, name: str) -> HttpResponse:
    if name not in settings.ENDPOINTS:
        return JsonResponse({"error": f"endpoints are {', '.join(settings.ENDPOINTS)}"}, status=404)
    if request.method == "POST":
        switches.set_switch(endpoint=name, **orders_given.read_switch(orders_given.read_json(request.body)))
    return JsonResponse(reports.report_switch(switches.current(name)))


@control
@require_http_methods(["GET", "POST"])
def provisioning_rule(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        provisioning.set_rule(**orders_given.read_rule(orders_given.read_json(request.body)))
    return JsonResponse(reports.report_rule())


@control
@require_http_methods(["GET", "POST"])
def checking(request: HttpRequest) -> HttpResponse:
    """How strict the seller is."""
    if request.method == "POST":
        strictness.choose(**orders_given.read_strictness(orders_given.read_json(request.body)))
    return JsonResponse(reports.report_strictness())


@control
@require_http_methods(["GET", "POST"])
def certificate(request: HttpRequest) -> HttpResponse:
    """Which of our certificates is in force."""
    if request.method == "POST":
        uses_next = orders_given.read_certificate(orders_given.read_json(request.body))
        try:
            credentials.change(to_next=uses_next)
        except credentials.NoNextCertificate as problem:
            raise NotPossible(str(problem)) from problem
    return JsonResponse({"uses_next": credentials.uses_next()})


@control
@require_GET
def odd_cases(_: HttpRequest) -> HttpResponse:
    """Odd packs and odd messages by name, with the answer that is due."""
    return JsonResponse(reports.report_odd_cases())


@control
@require_POST
def send_odd(request: HttpRequest, seller_job_id: str) -> HttpResponse:
    name = orders_given.read_odd_message(orders_given.read_json(request.body))
    message = odd_messages.send_odd(_job(seller_job_id), name=name)
    return JsonResponse({"messageId": str(message.message_id)}, status=202)


@control
@require_POST
def retry_queue(_: HttpRequest) -> HttpResponse:
    """Let every waiting message be tried at once."""
    return JsonResponse({"queued": outbox.retry_now()})


@control
@require_GET
def ledger_lines(request: HttpRequest) -> HttpResponse:
    """Lines after `since`; ask again from the last id while `more` is true."""
    since = request.GET.get("since", "0")
    if not since.isdecimal():
        raise BadOrder(["since: must be the id of a line"])
    found = ledger.lines(since=int(since), limit=MAX_LEDGER_LINES + 1)
    return JsonResponse({"lines": found[:MAX_LEDGER_LINES], "more": len(found) > MAX_LEDGER_LINES})


@control
@require_GET
def summary(_: HttpRequest) -> HttpResponse:
    return JsonResponse(reports.summarise())


@require_GET
def healthz(_: HttpRequest) -> HttpResponse:
    """200 while the database answers."""
    return JsonResponse({"status": "ok", "jobs": Job.objects.count()})


def _job(seller_job_id: str) -> Job:
    return get_object_or_404(Job.objects.with_breaches(), seller_job_id=seller_job_id)


def _reports_of(found: JobQuerySet) -> list[dict[str, Any]]:
    return [reports.report_job(job) for job in found.with_breaches().order_by("id")]
