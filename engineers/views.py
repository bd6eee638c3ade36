"""Signing in and out, the second factor with its recovery codes, the own password, the language, and the home page."""

from base64 import b32encode
from dataclasses import dataclass, field
from typing import Any

import segno
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import (
    LoginView,
    PasswordChangeView,
    RedirectURLMixin,
    redirect_to_login,
)
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST
from django.views.i18n import LANGUAGE_QUERY_PARAMETER, set_language
from django_otp.plugins.otp_totp.models import TOTPDevice

from engineers import staff
from engineers.input_values import read_own_path
from engineers.language_cookie import set_language_cookie
from engineers.models import User
from engineers.permissions import (
    for_everyone,
    for_new_password,
    for_people,
    for_second_factor,
    has_phone,
    next_sign_in_step,
    user_of,
)
from engineers.sign_in import second_factor
from engineers.sign_in.own_password import change_own_password
from engineers.sign_in.password_forms import OwnPasswordForm
from engineers.throttling import RateLimit, rate_limited


@for_people
def home(request: HttpRequest) -> HttpResponse:
    """The board for the office, the day for an engineer."""
    return redirect("board:day" if user_of(request).is_office else "phone:day")


class SignInForm(AuthenticationForm):
    """Says what is wrong in one plain sentence, and not which of the two it was."""

    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": gettext_lazy("Wrong user name or password. Upper and lower case matter."),
    }


class SignIn(LoginView):
    """Leads on to what is missing; whoever has chosen a language gets it on this browser, too."""

    authentication_form = SignInForm

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """With the other ways in that are set up."""
        provider = settings.SIGN_IN.provider
        return super().get_context_data(
            company_sign_in=provider is not None,
            company_label=provider.label if provider else "",
            can_reset_password=settings.MAIL_SERVER is not None,
            **kwargs,
        )

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        # sent back to the phone, they would be sent here again by its application
        self.redirect_authenticated_user = not self._is_shut_out()

    def _is_shut_out(self) -> bool:
        """Whether somebody who has no phone pages wants one of them: they sign in as somebody else, or go home."""
        is_phone = self.get_redirect_url().startswith(reverse("phone:day"))
        return is_phone and self.request.user.is_authenticated and not has_phone(user_of(self.request))

    def get_success_url(self) -> str:
        """The step that is missing comes first: the pages of a phone are its own, and would not send them there."""
        wanted = self.get_default_redirect_url() if self._is_shut_out() else super().get_success_url()
        step = next_sign_in_step(self.request)
        return redirect_to_login(wanted, reverse(step)).url if step else wanted

    # one by one, its writes would wait for SQLite's unfair lock, some of them for seconds (docs/adr/0003)
    @transaction.atomic
    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        user = form.get_user()
        if isinstance(user, User):
            set_language_cookie(response, user)
        return response


@for_everyone
@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """The language of this browser, and of whoever is signed in: Django's own way, which goes back to `next`."""
    chosen = request.POST.get(LANGUAGE_QUERY_PARAMETER, "")
    if request.user.is_authenticated and chosen in dict(settings.LANGUAGES):
        staff.choose_language(user=user_of(request), language=chosen)
    response: HttpResponse = set_language(request)
    return response


login = for_everyone(SignIn.as_view())


PASSWORDS = RateLimit("password", 10)


class OwnPassword(RedirectURLMixin, PasswordChangeView):
    """Goes back to where the person wanted to go, if that is one of our pages."""

    form_class = OwnPasswordForm
    template_name = "registration/password_change.html"
    next_page = "home"

    def form_valid(self, form: Any) -> HttpResponse:
        before = form.user.password
        user = form.save(commit=False)
        if not change_own_password(self.request, user=user, before=before):
            return redirect_to_login(self.get_success_url())
        messages.success(self.request, _("Password changed. You are signed out on your other devices."))
        return redirect(self.get_success_url())


# the old password cannot be tried out by whoever finds an open browser
password_change = for_new_password(rate_limited(PASSWORDS)(OwnPassword.as_view()))


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
        return _set_up_authenticator(request)
    if request.method == "POST":
        return _check_code(request)
    if user.is_verified():  # type: ignore[attr-defined]
        left = second_factor.recovery_codes_left(user)
        return _show_second_factor(request, "overview", OverviewPage(left, _next_page(request)))
    return _show_second_factor(request, "code", CodePage(_next_page(request)))


def _set_up_authenticator(request: HttpRequest) -> HttpResponse:
    user = user_of(request)
    if request.method == "POST":
        device = second_factor.begin_set_up(user=user, code=request.POST.get("code", ""))
        if device:
            if not second_factor.complete(request, device):
                return redirect("login")
            codes = second_factor.make_recovery_codes(user=user)
            return _show_second_factor(
                request, "overview", OverviewPage(len(codes), _next_page(request), codes)
            )
    problem = _code_problem(request) if request.method == "POST" else ""
    device = second_factor.new_authenticator(user)
    page = SetUpPage(_qr_code(device), _grouped_key(device), _next_page(request), problem)
    return _show_second_factor(request, "set_up", page, status=400 if problem else 200)


def _check_code(request: HttpRequest) -> HttpResponse:
    device = second_factor.verify(user=user_of(request), code=request.POST.get("code", ""))
    if device is None:
        return _show_second_factor(
            request, "code", CodePage(_next_page(request), _code_problem(request)), status=400
        )
    # the next page asks whoever is signed out meanwhile to sign in
    second_factor.complete(request, device)
    return redirect(_next_page(request))


@for_people
@require_POST
def recovery_codes(request: HttpRequest) -> HttpResponse:
    user = user_of(request)
    if not user.is_verified():  # type: ignore[attr-defined]
        return redirect("second-factor")
    codes = second_factor.make_recovery_codes(user=user)
    return _show_second_factor(request, "overview", OverviewPage(len(codes), _next_page(request), codes))


@for_people
@require_POST
def replace_authenticator(request: HttpRequest) -> HttpResponse:
    """Another telephone: the old authenticator and its codes end, and so do all sessions of this person."""
    user = user_of(request)
    if user.is_verified():  # type: ignore[attr-defined]
        second_factor.reset(user=user, by=user)
    return redirect("second-factor")


def _code_problem(request: HttpRequest) -> str:
    until = second_factor.locked_until(user_of(request))
    if until is None:
        return _("This code is not valid. Enter the current code from the app.")
    text = _("This code is not valid, or you tried again too soon. You can enter the next code at %(time)s.")
    return text % {"time": date_format(timezone.localtime(until), "H:i:s")}


def _next_page(request: HttpRequest) -> str:
    """Back to where the person wanted to go, if that is one of our pages."""
    wanted = request.POST.get(REDIRECT_FIELD_NAME) or request.GET.get(REDIRECT_FIELD_NAME) or ""
    return read_own_path(wanted, request) or "/"


def _qr_code(device: TOTPDevice) -> str:
    picture: str = segno.make(device.config_url, error="m").svg_data_uri(scale=5, border=4, light="#fff")
    return picture


def _grouped_key(device: TOTPDevice) -> str:
    key = b32encode(device.bin_key).decode().rstrip("=")
    return " ".join(key[start : start + 4] for start in range(0, len(key), 4))


def _show_second_factor(
    request: HttpRequest, name: str, page: SetUpPage | CodePage | OverviewPage, status: int = 200
) -> HttpResponse:
    response = render(request, f"registration/second_factor_{name}.html", {"page": page}, status=status)
    add_never_cache_headers(response)
    return response
