"""The content security policy of every page, 400 for a NUL from outside, and the CSRF cookie sent once."""

from collections.abc import Callable, Iterable
from typing import Any

import structlog
from csp.constants import NONE, SELF
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.utils.translation import gettext as _

from config.storage import direct_origins

# a page's policy holds for its scripts, and the board starts no workers
BOARD_SCRIPTS = "/static/built/js/board/"


def content_security_policy(tiles_url: str, evidence_url: str) -> dict[str, Any]:
    """CONTENT_SECURITY_POLICY for MAP_TILES_URL, which may be empty, and EVIDENCE_STORAGE_URL."""
    tiles = "/".join(tiles_url.split("/")[:3]).replace("{s}", "*")
    directives = {
        "default-src": [SELF],
        "script-src": [SELF, "'wasm-unsafe-eval'"],
        "style-src": [SELF],
        "img-src": [SELF, "blob:", "data:", *([tiles] if tiles else [])],
        "media-src": [SELF, "blob:"],
        "connect-src": [SELF, *direct_origins(evidence_url)],
        "worker-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "object-src": [NONE],
        "frame-ancestors": [NONE],
    }
    return {"DIRECTIVES": directives, "EXCLUDE_URL_PREFIXES": [BOARD_SCRIPTS]}


log = structlog.get_logger("config.security")
NUL = "\0"
GetResponse = Callable[[HttpRequest], HttpResponse]


class RefuseNulMiddleware:
    """Behind CsrfViewMiddleware: no unknown caller's form is parsed for it, and before anybody asks for the session.

    JSON bodies are looked at by whoever reads them (phone.serializers.find_unstorable).
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        query = request.META.get("QUERY_STRING", "")
        if "%00" in query or _has_nul([request.path, query, *request.COOKIES.values()]):
            return _refused(request)
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        """Here, since only a view's request may be read: what no view takes is never parsed."""
        try:
            texts = [text for name, values in request.POST.lists() for text in [name, *values]]
        except UnreadablePostError:
            # whoever sent it is gone
            return None
        return _refused(request) if _has_nul(texts) else None


def keep_csrf_cookie(get_response: GetResponse) -> GetResponse:
    """Inside CsrfViewMiddleware, which sends the cookie again with every form it serves.

    An answer that comes late would put the old cookie over that of a sign-in page opened in between, whose form is then
    refused: a cookie that the browser has is not sent again.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.COOKIES.get(settings.CSRF_COOKIE_NAME) == request.META.get("CSRF_COOKIE"):
            request.META["CSRF_COOKIE_NEEDS_UPDATE"] = False
        return response

    return answer


def _has_nul(texts: Iterable[object]) -> bool:
    return any(isinstance(text, str) and NUL in text for text in texts)


def _refused(request: HttpRequest) -> HttpResponse:
    log.warning("nul character", method=request.method)
    message = _("The address or the form contains a NUL character.")
    if request.headers.get("Accept", "").startswith("application/json"):
        return JsonResponse({"error": "nul_character", "message": message}, status=400)
    return HttpResponse(message, status=400, content_type="text/plain; charset=utf-8")
