"""Pages of the console."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from seller_sandbox.console.clock.clock_page import make_clock_page
from seller_sandbox.console.message_pages import make_job_page, make_message_log_page
from seller_sandbox.console.overview import make_overview
from seller_sandbox.jobs.models import Job

FILTERS = ("job", "operation", "direction", "breaches")


@require_GET
def overview(request: HttpRequest) -> HttpResponse:
    page = make_overview(page=request.GET.get("page", "1"))
    return render(request, "sandbox/overview.html", {"page": page, "here": "overview"})


@require_GET
def job(request: HttpRequest, seller_job_id: str) -> HttpResponse:
    found = get_object_or_404(Job.objects.with_breaches(), seller_job_id=seller_job_id)
    return render(request, "sandbox/job.html", {"page": make_job_page(found)})


@require_GET
def messages(request: HttpRequest) -> HttpResponse:
    filters = {name: request.GET.get(name, "").strip() for name in FILTERS}
    return render(
        request, "sandbox/messages.html", {"page": make_message_log_page(filters), "here": "messages"}
    )


@require_GET
def clock(request: HttpRequest) -> HttpResponse:
    return render(request, "sandbox/clock.html", {"page": make_clock_page(), "here": "clock"})


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001  # Django's signature
    """A form without a valid token: from another site, or from before the console was started again."""
    return render(request, "sandbox/form_expired.html", status=403)
