"""What guards a console without a log-in: loopback only, no foreign pages, no inline code, no NUL from outside."""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.views.decorators.csrf import csrf_exempt

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
CONTROL_HEADER = "X-Sandbox-Control"
NUL = "\0"

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


class RefuseNul:
    """PostgreSQL takes no NUL in a text, so none may reach a query: 400 for one in an address or a form.

    The texts of a JSON body are looked at where they are read (control_requests.text).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if NUL in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            return _refuse_nul(request)
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        """Behind the check of the form's token, so that no other form is parsed for it."""
        try:
            fields: Iterable[tuple[str, list[Any]]] = request.POST.lists()
        except UnreadablePostError:
            # whoever sent it is gone
            return None
        has_nul = any(NUL in text for name, values in fields for text in (name, *values))
        return _refuse_nul(request) if has_nul else None


def _refuse_nul(request: HttpRequest) -> HttpResponse:
    text = "The address or the form has a NUL character. Take it out."
    if request.path.startswith("/api/"):
        return JsonResponse({"error": text}, status=400)
    return HttpResponse(text, status=400, content_type="text/plain; charset=utf-8")


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
