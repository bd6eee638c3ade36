"""Pages about one's own account, for everybody who is signed in."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.views import PasswordChangeView, RedirectURLMixin
from django.forms import ValidationError
from django.http import HttpResponse
from django.utils.translation import gettext as _

from engineers import passwords
from engineers.permissions import for_new_password, user_of
from engineers.throttling import RateLimit, rate_limited

PASSWORDS = RateLimit("password", 10)


class OwnPasswordForm(PasswordChangeForm):
    """A temporary password cannot be kept by writing it again."""

    def clean_new_password1(self) -> str:
        chosen: str = self.cleaned_data["new_password1"]
        if self.user.check_password(chosen):
            raise ValidationError(_("This is the password that you have already. Choose another one."))
        return chosen


class OwnPassword(RedirectURLMixin, PasswordChangeView):
    """Goes back to where the person wanted to go, if that is one of our pages."""

    form_class = OwnPasswordForm
    template_name = "registration/password_change.html"
    next_page = "home"

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        passwords.note_change(user=user_of(self.request))
        messages.success(self.request, _("Your password was changed. You were signed out on other devices."))
        return response


# the old password cannot be tried out by whoever finds an open browser
password_change = for_new_password(rate_limited(PASSWORDS)(OwnPassword.as_view()))
