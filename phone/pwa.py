"""The application on the phone: its page without anybody's data, its worker with the list of its files, its texts.

Page and texts exist in every language, by address: the worker stores all and uses this phone's language.

Its script is what frontend/build.mjs made of static/js/phone and lies in static/built. The files are read from
`static/`, never from what collectstatic made of them: scripts import one another by plain names, and the worker keeps
them under one version, so that no two of them are ever of different ones.
"""

import base64
import hashlib
import json
from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.i18n import JavaScriptCatalog

from dispatch.ont_scans import VENDOR_FILE
from engineers.permissions import for_engineer, for_everyone
from engineers.phone_urls import phone_url

STATIC = Path(settings.BASE_DIR) / "static"
BUILT = "built/js/phone"
READER = "vendor/zxing"
SCRIPT = "text/javascript; charset=utf-8"
PATTERNS = (
    "icons/*.svg",
    "icons/*.png",
    "js/phone/browser_support.js",
    "js/phone/theme.js",
    f"{BUILT}/*.css",
    f"{BUILT}/*.js",
    f"{READER}/*.js",
    f"{READER}/*.wasm",
)


@cache
def files() -> tuple[str, ...]:
    """Paths below static/, in order."""
    found = {path for pattern in PATTERNS for path in STATIC.glob(pattern) if path.is_file()}
    return tuple(sorted(path.relative_to(STATIC).as_posix() for path in found))


def addresses() -> list[str]:
    return [f"{settings.STATIC_URL}{path}" for path in files()]


@cache
def _checksums() -> dict[str, str]:
    """By address, as a browser compares them (W3C Subresource Integrity): another server, of another version, may
    answer for the one that gave the worker."""
    digests = (hashlib.sha256((STATIC / path).read_bytes()).digest() for path in files())
    return {
        address: f"sha256-{base64.b64encode(digest).decode()}"
        for address, digest in zip(addresses(), digests, strict=True)
    }


@cache
def scripts_of(part: str) -> list[str]:
    """By address. `part`: "page", what the first page cannot begin without; "job", what a job's screens need besides.

    The camera and the scanner come when they are wanted.
    """
    manifest = json.loads((STATIC / BUILT / "MANIFEST.json").read_text())
    return [f"{settings.STATIC_URL}{BUILT}/{name}" for name in manifest[part]]


@cache
def version() -> str:
    """Changes with any of the files, with the page and what it says, and with what a page may reach.

    The worker keeps the page with its content security policy: an old one would keep a new bucket out of reach.
    """
    parts = [settings.CONTENT_SECURITY_POLICY, settings.OFFICE_PHONE]
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode())
    for path in (*files(), "js/phone/service_worker.js"):
        digest.update(path.encode())
        digest.update((STATIC / path).read_bytes())
    base = Path(settings.BASE_DIR)
    pages, catalogues = (
        (base / "templates/phone/app").glob("*.html"),
        (base / "locale").glob("*/LC_MESSAGES/*.mo"),
    )
    for other in (VENDOR_FILE, *sorted(pages), *sorted(catalogues)):
        digest.update(other.read_bytes())
    return digest.hexdigest()[:16]


def _asked_language(request: HttpRequest) -> str:
    """The one in the address; else the browser's or the person's own."""
    asked = request.GET.get("language", "")
    return asked if asked in dict(settings.LANGUAGES) else get_language() or settings.LANGUAGE_CODE


def _in_every_language(name: str) -> list[str]:
    return [f"{reverse(name)}?language={code}" for code, _name in settings.LANGUAGES]


@for_everyone
@require_safe
def shell(request: HttpRequest) -> HttpResponse:
    """The frame of every page; the worker keeps it, so it names nobody."""
    return _render(request, is_signed_in=False)


@for_engineer
@never_cache
@require_safe
def page(request: HttpRequest, /, **_parameters: str) -> HttpResponse:
    """The same frame at the address of a page, as long as no worker answers there: the first visit after signing in.

    What stands on the page comes from day.json: the address is not looked up, so it reveals nothing of anybody's job.
    """
    return _render(request, is_signed_in=True)


def _render(request: HttpRequest, *, is_signed_in: bool) -> HttpResponse:
    """`is_signed_in`: the day is fetched with the page, and a browser that cannot run the application offers to sign
    out, where nothing else would."""
    language = _asked_language(request)
    context = {
        "scripts": scripts_of("page"),
        "job_scripts": scripts_of("job"),
        "styles": f"{settings.STATIC_URL}{BUILT}/phone.css",
        "version": version(),
        "static": settings.STATIC_URL,
        "office_phone": settings.OFFICE_PHONE,
        "office_url": phone_url(settings.OFFICE_PHONE),
        "languages": sorted(dict(settings.LANGUAGES), key=lambda code: code != language),
        "is_signed_in": is_signed_in,
    }
    with override(language):
        return render(request, "phone/app/shell.html", context)


@for_everyone
@never_cache
@require_safe
def worker(_request: HttpRequest) -> HttpResponse:
    """The service worker. Another byte in it is another version of the application.

    It is the same for everybody: browsers fetch a worker that is a module without cookies, so it cannot know whose.
    """
    urls = [*_in_every_language("phone:shell"), *_in_every_language("phone:words")]
    pages = [*urls, reverse("phone:vendors"), reverse("phone:reader")]
    head = f'import * as sendQueue from "{settings.STATIC_URL}{BUILT}/send_queue.js";\n'
    head += f"const VERSION = {json.dumps(version())};\n"
    # send_queue.js sends it with each request
    head += "self.phoneVersion = VERSION;\n"
    head += f"const FILES = {json.dumps(dict.fromkeys(pages, '') | _checksums())};\n"
    script = head + (STATIC / "js" / "phone" / "service_worker.js").read_text()
    return HttpResponse(script, content_type=SCRIPT)


@for_everyone
@require_safe
def reader(_request: HttpRequest) -> HttpResponse:
    """The worker that reads labels outside the page's thread.

    It begins at an address below /phone/: only there does the service worker keep for it what it loads.
    """
    script = f'import "{settings.STATIC_URL}{BUILT}/decoder_worker.js";\n'
    return HttpResponse(script, content_type=SCRIPT)


@for_everyone
@require_safe
def messages(request: HttpRequest) -> HttpResponseBase:
    """The translations for the scripts."""
    with override(_asked_language(request)):
        return JavaScriptCatalog.as_view(packages=None)(request)


@for_everyone
@require_safe
def vendors(_request: HttpRequest) -> HttpResponse:
    """How labels are distinguished, as dispatch.ont_label_parser does it."""
    return HttpResponse(VENDOR_FILE.read_bytes(), content_type="application/json")


@for_everyone
@require_safe
def manifest(_request: HttpRequest) -> HttpResponse:
    """What the home screen shows (W3C Web Application Manifest)."""
    icons = [
        {"src": f"{settings.STATIC_URL}icons/app-{size}.png", "sizes": f"{size}x{size}", "type": "image/png"}
        | ({"purpose": "any maskable"} if size == 512 else {})
        for size in (192, 512)
    ]
    manifest_data = {
        "id": reverse("phone:day"),
        "name": _("Fibre dispatch"),
        "short_name": _("My jobs"),
        "start_url": reverse("phone:day"),
        "scope": reverse("phone:day"),
        "display": "standalone",
        "orientation": "portrait",
        "background_color": "#ffffff",
        "theme_color": "#14532d",
        "icons": icons,
    }
    return JsonResponse(manifest_data, content_type="application/manifest+json")
