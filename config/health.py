"""For machines that watch this one: alive, ready, and the link in figures."""

from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from prometheus_client import CONTENT_TYPE_LATEST

from engineers.roles import for_anybody
from seller_link.expiry import unusable_certificates
from seller_link.metrics import LinkCollector, text_of
from seller_link.models import Heartbeat

# a relay beats every two seconds
RELAY_SILENT_AFTER = timedelta(seconds=30)
COLLECTOR = LinkCollector()


class NotReady(Exception):
    """A part that is not fit for work, in words."""


def _database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _storage() -> None:
    """Written for real: a full disk or a lost right shows nowhere else."""
    storage = storages["evidence"]
    storage.delete(storage.save("health/probe", ContentFile(b"alive")))


def _relay() -> None:
    newest = (
        Heartbeat.objects.filter(process__startswith="relay")
        .order_by("-beat_at")
        .values_list("beat_at", flat=True)
        .first()
    )
    if newest is None or timezone.now() - newest > RELAY_SILENT_AFTER:
        since = f"since {newest.isoformat()}" if newest else "at all"
        raise NotReady(f"no relay was alive {since}")


def _certificates() -> None:
    ended = unusable_certificates()
    if ended:
        raise NotReady(f"ended or not readable: {', '.join(ended)}")


PARTS: dict[str, Callable[[], None]] = {
    "database": _database,
    "storage": _storage,
    "relay": _relay,
    "certificates": _certificates,
}


@for_anybody
@never_cache
def healthz(_request: HttpRequest) -> HttpResponse:
    """This process answers; nothing else is asked."""
    return JsonResponse({"status": "alive"})


@for_anybody
@never_cache
def readyz(_request: HttpRequest) -> HttpResponse:
    """503 while a part is not fit for work, and which; the reason in full is in no stranger's answer."""
    failed = {name: problem for name, part in PARTS.items() if (problem := _problem(part))}
    told = {name: failed.get(name, "ok") for name in PARTS}
    return JsonResponse(
        {"status": "not ready" if failed else "ready", "parts": told}, status=503 if failed else 200
    )


def _problem(part: Callable[[], None]) -> str:
    try:
        part()
    except NotReady as problem:
        return str(problem)
    # whatever a database or a storage raises: it is not ready, and its words may name what nobody should know
    except Exception as problem:
        return type(problem).__name__
    return ""


@for_anybody
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """For METRICS_ALLOWED_ADDRESSES only; what a proxy passed on came from elsewhere, whatever its address."""
    is_passed_on = any(name.startswith("X-Forwarded") for name in request.headers)
    if is_passed_on or request.META.get("REMOTE_ADDR") not in settings.METRICS_ALLOWED_ADDRESSES:
        raise PermissionDenied
    return HttpResponse(text_of(COLLECTOR), content_type=CONTENT_TYPE_LATEST)
