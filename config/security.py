"""What keeps a deployment safe: what a start in production needs and refuses, everything at once; the content security
policy of every page, 400 for a NUL from outside, and the CSRF cookie sent once."""

from collections.abc import Callable, Iterable
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import structlog
from csp.constants import NONE, SELF
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.http.request import validate_host
from django.utils.translation import gettext as _

from config.environment import env_missing
from config.storage import direct_origins

SECRETS = ("SECRET_KEY", "DATABASE_URL")
REQUIRED = (
    "ALLOWED_HOSTS",
    "PUBLIC_URL",
    "EVIDENCE_STORAGE_URL",
    "SELLER_ENDPOINTS",
    "SELLER_CLIENT_CERT",
    "SELLER_CLIENT_KEY",
    "SELLER_CA",
    "SELLER_ALLOWED_SUBJECTS",
    "SELLER_ALLOWED_ADDRESSES",
    "QUESTION_MATRIX",
    "OFFICE_PHONE",
    "ORDER_DESK_PHONE",
)
KEY_CHARACTERS, KEY_DIFFERENT_CHARACTERS = 50, 15
# what Django writes into a new project
KNOWN_KEY = "django-insecure-"


def require_production_settings() -> None:
    """Raises ImproperlyConfigured with everything that is missing, at once."""
    missing = env_missing(*SECRETS, or_file=True) + env_missing(*REQUIRED)
    if missing:
        raise ImproperlyConfigured(
            f"{', '.join(missing)}: not set; DEPLOYMENT=production needs each of them, see docs/operating.md, "
            "First start in production"
        )


def refuse_unsafe_production(
    *,
    debug: bool,
    secret_key: str,
    allowed_hosts: list[str],
    public_url: str,
    seller_files: list[str],
    demo: Path,
) -> None:
    """Raises ImproperlyConfigured with everything that must not be so in production, at once."""
    problems = [
        *(["DEBUG: shows settings and rows to strangers; set 0"] if debug else []),
        *_key_problems(secret_key),
        *(["ALLOWED_HOSTS: * lets anybody choose the host; name yours"] if "*" in allowed_hosts else []),
        *_address_problems(public_url),
        *_host_problems(public_url, allowed_hosts),
        *(
            f"{path}: belongs to the demo, whose authority everybody can use who can read it"
            for path in seller_files
            if Path(path).resolve().is_relative_to(demo.resolve())
        ),
    ]
    if problems:
        raise ImproperlyConfigured("\n".join(problems))


def _key_problems(key: str) -> list[str]:
    is_weak = (
        len(key) < KEY_CHARACTERS or len(set(key)) < KEY_DIFFERENT_CHARACTERS or key.startswith(KNOWN_KEY)
    )
    text = (
        f"SECRET_KEY: too weak; it takes {KEY_CHARACTERS} random characters, for example from "
        "python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"
    )
    return [text] if is_weak else []


def _address_problems(url: str) -> list[str]:
    """It is written into the links that the seller gets."""
    parts = urlsplit(url)
    if parts.scheme != "https":
        return [f"PUBLIC_URL: {url} does not begin with https://"]
    if _is_loopback(parts.hostname or ""):
        return [f"PUBLIC_URL: {url} is an address of this machine only; the seller fetches photos from it"]
    return []


def _host_problems(url: str, allowed_hosts: list[str]) -> list[str]:
    """Every page that is opened under another host than those is answered 400."""
    host = urlsplit(url).hostname or ""
    host = f"[{host}]" if ":" in host else host
    if validate_host(host, allowed_hosts):
        return []
    return [
        f"ALLOWED_HOSTS: does not name {host}, the host of PUBLIC_URL; write it without https:// and port"
    ]


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


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
