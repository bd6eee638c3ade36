"""Setting up a second factor, showing its code after signing in, and new recovery codes."""

from base64 import b32encode
from dataclasses import dataclass, field

import segno
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.formats import date_format
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST
from django_otp.plugins.otp_totp.models import TOTPDevice

from engineers import second_factor
from engineers.permissions import for_people, for_second_factor, user_of


@dataclass(frozen=True)
class SetUpPage:
    """`picture` is the key as a QR code (a data: address), `key` in groups of four for typing."""

    picture: str
    key: str
    next: str
    problem: str = ""


@dataclass(frozen=True)
class CodePage:
    next: str
    problem: str = ""


@dataclass(frozen=True)
class OverviewPage:
    """`codes` only right after they were made."""

    left: int
    next: str
    codes: list[str] = field(default_factory=list)


@for_second_factor
@require_http_methods(["GET", "POST"])
def second_factor_page(request: HttpRequest) -> HttpResponse:
    """Without an authenticator: set one up. With one: show a code, then see what there is."""
    user = user_of(request)
    authenticator = second_factor.authenticator_of(user)
    if authenticator is None:
        return _set_up(request)
    if request.method == "POST":
        return _check_code(request)
    if user.is_verified():  # type: ignore[attr-defined]
        left = second_factor.recovery_codes_left(user)
        return _show(request, "overview", OverviewPage(left, _next(request)))
    return _show(request, "code", CodePage(_next(request)))


def _set_up(request: HttpRequest) -> HttpResponse:
    user = user_of(request)
    if request.method == "POST":
        device = second_factor.begin_set_up(user=user, code=request.POST.get("code", ""))
        if device:
            second_factor.complete(request, device)
            codes = second_factor.make_recovery_codes(user=user)
            return _show(request, "overview", OverviewPage(len(codes), _next(request), codes))
    problem = _problem(request) if request.method == "POST" else ""
    device = second_factor.new_authenticator(user)
    page = SetUpPage(_picture(device), _key(device), _next(request), problem)
    return _show(request, "set_up", page, status=400 if problem else 200)


def _check_code(request: HttpRequest) -> HttpResponse:
    device = second_factor.verify(user=user_of(request), code=request.POST.get("code", ""))
    if device is None:
        return _show(request, "code", CodePage(_next(request), _problem(request)), status=400)
    second_factor.complete(request, device)
    return redirect(_next(request))


@for_people
@require_POST
def recovery_codes(request: HttpRequest) -> HttpResponse:
    user = user_of(request)
    if not user.is_verified():  # type: ignore[attr-defined]
        return redirect("second_factor")
    codes = second_factor.make_recovery_codes(user=user)
    return _show(request, "overview", OverviewPage(len(codes), _next(request), codes))


@for_people
@require_POST
def replace(request: HttpRequest) -> HttpResponse:
    """Another telephone: the old authenticator and its codes end, and so do all sessions of this person."""
    user = user_of(request)
    if user.is_verified():  # type: ignore[attr-defined]
        second_factor.reset(user=user, by=user)
    return redirect("second_factor")


def _problem(request: HttpRequest) -> str:
    until = second_factor.locked_until(user_of(request))
    if until is None:
        return _("This code is not valid. Enter the current code from the app.")
    words = _("This code is not valid, or you tried again too soon. You can enter the next code at %(time)s.")
    return words % {"time": date_format(timezone.localtime(until), "H:i:s")}


def _next(request: HttpRequest) -> str:
    """Back to where the person wanted to go, if that is one of our pages."""
    wanted = request.POST.get(REDIRECT_FIELD_NAME) or request.GET.get(REDIRECT_FIELD_NAME) or "/"
    is_ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if is_ours else "/"


def _picture(device: TOTPDevice) -> str:
    picture: str = segno.make(device.config_url, error="m").svg_data_uri(scale=5, border=4, light="#fff")
    return picture


def _key(device: TOTPDevice) -> str:
    key = b32encode(device.bin_key).decode().rstrip("=")
    return " ".join(key[start : start + 4] for start in range(0, len(key), 4))


def _show(
    request: HttpRequest, name: str, page: SetUpPage | CodePage | OverviewPage, status: int = 200
) -> HttpResponse:
    response = render(request, f"registration/second_factor_{name}.html", {"page": page}, status=status)
    add_never_cache_headers(response)
    return response
