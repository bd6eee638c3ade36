"""The live page of an appointment, without a log-in: the signed link is the only key."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_safe

from customer_messages.live_links import read_live_link
from customer_messages.live_presenter import build_live_page
from dispatch.models import Job
from engineers.permissions import for_everyone
from engineers.throttling import RateLimit

LOOKS = RateLimit("live_page", 60)


@for_everyone
@require_safe
def live_page(request: HttpRequest, token: str) -> HttpResponse:
    """404 for a link that we did not sign or that is over; it says so in plain words."""
    now = timezone.now()
    link = read_live_link(token, now=now)
    job = Job.objects.filter(pk=link.job).first() if link else None
    if link is None or job is None:
        return _answer(request, "customer/link_expired.html", {}, status=404)
    if seconds := LOOKS.seconds_to_wait(job.pk):
        response = _answer(request, "customer/live_wait.html", {"seconds": seconds}, status=429)
        response.headers["Retry-After"] = str(seconds)
        return response
    return _answer(request, "customer/live.html", {"page": build_live_page(job, link, now=now)})


def _answer(
    request: HttpRequest, template: str, context: dict[str, object], status: int = 200
) -> HttpResponse:
    """No search engine lists it, and nobody else reads it in this browser. No other site learns of its address by
    SECURE_REFERRER_POLICY."""
    response = render(request, template, context, status=status)
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    add_never_cache_headers(response)
    return response
