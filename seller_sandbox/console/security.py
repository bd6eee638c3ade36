"""What guards a console without a log-in: loopback only, no foreign pages, no inline code."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
CONTROL_HEADER = "X-Sandbox-Control"

View = Callable[..., HttpResponse]


class SecurityHeaders:
    """Puts the headers on every answer of the console."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response["Content-Security-Policy"] = POLICY
        response["Referrer-Policy"] = "same-origin"
        response["X-Content-Type-Options"] = "nosniff"
        return response


def control_only(view: View) -> View:
    """Let a JSON POST in without a form token: another site's page cannot send these two headers here."""

    @csrf_exempt
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        is_ours = request.headers.get(CONTROL_HEADER) == "1" and request.content_type == "application/json"
        if request.method == "POST" and not is_ours:
            wanted = f"Send Content-Type: application/json and {CONTROL_HEADER}: 1"
            return JsonResponse({"error": wanted}, status=403)
        return view(request, *args, **kwargs)

    return guarded
