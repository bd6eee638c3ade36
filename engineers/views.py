"""Signing in, signing out, the language, and where somebody lands after signing in."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.views import (
    LoginView,
    LogoutView,
    PasswordChangeView,
    RedirectURLMixin,
    redirect_to_login,
)
from django.db import transaction
from django.forms import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST
from django.views.i18n import LANGUAGE_QUERY_PARAMETER, set_language

from engineers import staff
from engineers.models import User
from engineers.permissions import (
    for_everyone,
    for_new_password,
    for_people,
    has_phone,
    next_sign_in_step,
    user_of,
)
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
        if isinstance(user, User) and user.language:
            _use_language(response, user.language)
        return response


def _use_language(response: HttpResponse, language: str) -> None:
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite="Lax",
    )


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
logout = for_everyone(LogoutView.as_view())


PASSWORDS = RateLimit("password", 10)


class OwnPasswordForm(PasswordChangeForm):
    """A temporary password cannot be kept by writing it again."""

    def clean_new_password1(self) -> str:
        chosen: str = self.cleaned_data["new_password1"]
        if self.user.check_password(chosen):
            raise ValidationError(_("This is your current password. Choose a different one."))
        return chosen


class OwnPassword(RedirectURLMixin, PasswordChangeView):
    """Goes back to where the person wanted to go, if that is one of our pages."""

    form_class = OwnPasswordForm
    template_name = "registration/password_change.html"
    next_page = "home"

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        staff.record_password_change(user=user_of(self.request))
        messages.success(self.request, _("Password changed. You are signed out on your other devices."))
        return response


# the old password cannot be tried out by whoever finds an open browser
password_change = for_new_password(rate_limited(PASSWORDS)(OwnPassword.as_view()))
