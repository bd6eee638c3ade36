"""The control interface: plain JSON on the loopback address, for rehearsals and fault scripts."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from seller_sandbox import clock
from seller_sandbox.console import control_requests, reports
from seller_sandbox.console.control_requests import InvalidControlRequest
from seller_sandbox.console.security import control_only
from seller_sandbox.endpoints import credentials, switches
from seller_sandbox.jobs import dispatching, odd_messages, provisioning, strictness
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.jobs.models import Job, JobQuerySet
from seller_sandbox.messages import message_log, outbox

MAX_LOG_ENTRIES = 1000

View = Callable[..., HttpResponse]


def control(view: View) -> View:
    """A view of the control interface: guarded, its refusals turned into JSON."""

    @control_only
    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except InvalidControlRequest as problem:
            return JsonResponse({"error": str(problem), "mistakes": problem.mistakes}, status=400)
        except ActionNotPossible as problem:
            return JsonResponse({"error": str(problem)}, status=409)
        except Http404 as problem:
            return JsonResponse({"error": str(problem)}, status=404)

    return answered


@control
def unknown_path(request: HttpRequest) -> HttpResponse:
    raise Http404(f"There is no {request.path}. The README lists the requests of the control interface.")


@control
@require_http_methods(["GET", "POST"])
def jobs(request: HttpRequest) -> HttpResponse:
    """GET lists all jobs, oldest first; POST makes a batch and queues its packs."""
    if request.method == "GET":
        return JsonResponse({"jobs": _reports_of(Job.objects.all())})
    batch = control_requests.read_batch(control_requests.read_json(request.body))
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
    reason = control_requests.read_reason(control_requests.read_json(request.body))
    message = dispatching.cancel(_job(seller_job_id), **reason)
    return JsonResponse({"messageId": str(message.message_id)}, status=202)


@control
@require_POST
def provision(request: HttpRequest, seller_job_id: str) -> HttpResponse:
    result = control_requests.read_result(control_requests.read_json(request.body))
    message = provisioning.give_result(job=_job(seller_job_id), result=result)
    return JsonResponse({"messageId": str(message.message_id)}, status=202)


@control
@require_POST
def repeat(request: HttpRequest, seller_job_id: str) -> HttpResponse:
    """Send a delivered message again, with the same messageId and body."""
    operation = control_requests.read_operation(control_requests.read_json(request.body))
    message = dispatching.repeat_last(_job(seller_job_id), operation=operation)
    return JsonResponse({"messageId": str(message.message_id)}, status=202)


@control
@require_POST
def send_again(_: HttpRequest, seller_job_id: str) -> HttpResponse:
    """Queue the messages again that the partner refused."""
    return JsonResponse({"queued": dispatching.send_refused_again(_job(seller_job_id))}, status=202)


@control
@require_http_methods(["GET", "POST"])
def sandbox_clock(request: HttpRequest) -> HttpResponse:
    """What the clock says; POST moves it, and answers when everything that fell due on the way is done."""
    if request.method == "POST":
        clock.move(seconds=control_requests.read_advance(control_requests.read_json(request.body)))
    return JsonResponse(reports.report_clock())


@control
@require_http_methods(["GET", "POST"])
def endpoint(request: HttpRequest, name: str) -> HttpResponse:
    if name not in settings.ENDPOINTS:
        return JsonResponse({"error": f"endpoints are {', '.join(settings.ENDPOINTS)}"}, status=404)
    if request.method == "POST":
        switches.set_switch(
            endpoint=name, **control_requests.read_switch(control_requests.read_json(request.body))
        )
    return JsonResponse(reports.report_switch(switches.current(name)))


@control
@require_http_methods(["GET", "POST"])
def provisioning_rule(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        provisioning.set_rule(**control_requests.read_rule(control_requests.read_json(request.body)))
    return JsonResponse(reports.report_rule())


@control
@require_http_methods(["GET", "POST"])
def checking(request: HttpRequest) -> HttpResponse:
    """How strict the seller is."""
    if request.method == "POST":
        strictness.choose(**control_requests.read_strictness(control_requests.read_json(request.body)))
    return JsonResponse(reports.report_strictness())


@control
@require_http_methods(["GET", "POST"])
def certificate(request: HttpRequest) -> HttpResponse:
    """Which of our certificates is in force."""
    if request.method == "POST":
        uses_next = control_requests.read_certificate(control_requests.read_json(request.body))
        try:
            credentials.change(to_next=uses_next)
        except credentials.NoNextCertificate as problem:
            raise ActionNotPossible(str(problem)) from problem
    return JsonResponse({"uses_next": credentials.uses_next()})


@control
@require_GET
def odd_cases(_: HttpRequest) -> HttpResponse:
    """Odd packs and odd messages by name, with the answer that is due."""
    return JsonResponse(reports.report_odd_cases())


@control
@require_POST
def send_odd(request: HttpRequest, seller_job_id: str) -> HttpResponse:
    name = control_requests.read_odd_message(control_requests.read_json(request.body))
    message = odd_messages.send_odd(_job(seller_job_id), name=name)
    return JsonResponse({"messageId": str(message.message_id)}, status=202)


@control
@require_POST
def retry_queue(_: HttpRequest) -> HttpResponse:
    """Let every waiting message be tried at once."""
    return JsonResponse({"queued": outbox.retry_now()})


@control
@require_GET
def message_log_entries(request: HttpRequest) -> HttpResponse:
    """Message log entries after `since`; ask again from the last id while `more` is true."""
    chosen = control_requests.read_log_filter(request.GET)
    found = message_log.list_entries(**chosen, limit=MAX_LOG_ENTRIES + 1)
    return JsonResponse({"lines": found[:MAX_LOG_ENTRIES], "more": len(found) > MAX_LOG_ENTRIES})


@control
@require_GET
def summary(_: HttpRequest) -> HttpResponse:
    return JsonResponse(reports.summarise())


@require_GET
def healthz(_: HttpRequest) -> HttpResponse:
    """200 while the database answers."""
    return JsonResponse({"status": "ok", "jobs": Job.objects.count()})


def _job(seller_job_id: str) -> Job:
    found = Job.objects.with_breaches().filter(seller_job_id=seller_job_id).first()
    if found is None:
        raise Http404(f"There is no job {seller_job_id}. Give a sellerJobId.")
    return found


def _reports_of(found: JobQuerySet) -> list[dict[str, Any]]:
    return [reports.report_job(job) for job in found.with_breaches().order_by("id")]
