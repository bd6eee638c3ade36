"""For machines that watch this one: alive, ready, and the application in figures."""

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from prometheus_client import CONTENT_TYPE_LATEST

from monitoring.health_checks import DISPENSABLE, part_problems
from monitoring.ip_addresses import plain_address
from monitoring.metrics import metrics_text

# for all parts together; who asks has a time limit, too
READY_WITHIN_SECONDS = 2.0


def _for_anybody(view: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """The mark of engineers.permissions.for_everyone, which lies above this app."""
    view.opened_by = "anybody"  # type: ignore[attr-defined]
    return view


@_for_anybody
@never_cache
def healthz(_request: HttpRequest) -> HttpResponse:
    """This process answers; nothing else is asked."""
    return JsonResponse({"status": "alive"})


@_for_anybody
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """503 while a part is not fit for work, and which, within READY_WITHIN_SECONDS; 200 where that part is
    dispensable. Writes nothing."""
    _refuse_others(request)
    problems = part_problems(within_seconds=READY_WITHIN_SECONDS)
    is_ready = not any(problem for name, problem in problems.items() if name not in DISPENSABLE)
    parts = {name: problem or "ok" for name, problem in problems.items()}
    status = "ready" if is_ready else "not ready"
    return JsonResponse(
        {"status": status, "version": settings.VERSION, "parts": parts}, status=200 if is_ready else 503
    )


@_for_anybody
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    _refuse_others(request)
    return HttpResponse(metrics_text(), content_type=CONTENT_TYPE_LATEST)


def _refuse_others(request: HttpRequest) -> None:
    """For METRICS_ALLOWED_ADDRESSES only; what a proxy passed on came from elsewhere, whatever its address."""
    is_passed_on = any(name.startswith("X-Forwarded") for name in request.headers)
    address = plain_address(request.META.get("REMOTE_ADDR", ""))
    if is_passed_on or address not in settings.METRICS_ALLOWED_ADDRESSES:
        raise PermissionDenied
