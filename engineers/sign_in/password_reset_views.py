"""The page of somebody who has forgotten the password."""

from dataclasses import dataclass

from django import forms
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from engineers.permissions import for_everyone
from engineers.sign_in.password_reset import LONGEST_NAME, send_password_links
from engineers.throttling import RateLimit, client_address, rate_limit_text
from monitoring import task_queue

# from one address; issue_for_mail counts the mails to one person
REQUESTS = RateLimit("password_reset", 5)


class PasswordResetForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("User name or e-mail address"),
        max_length=LONGEST_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )


@dataclass(frozen=True)
class PasswordResetPage:
    """`is_sent`: the same sentence for everybody, whether the account exists or not."""

    form: PasswordResetForm
    is_sent: bool = False
    problem: str = ""


@for_everyone
@require_http_methods(["GET", "POST"])
def password_reset(request: HttpRequest) -> HttpResponse:
    """POST with `name`. Only where a mail server is set."""
    if settings.MAIL_SERVER is None:
        raise Http404
    form = PasswordResetForm(request.POST or None)
    if request.method != "POST":
        return _show(request, PasswordResetPage(form))
    seconds = REQUESTS.seconds_to_wait(client_address(request))
    if seconds:
        return _show(request, PasswordResetPage(form, problem=rate_limit_text(seconds)), status=429)
    if not form.is_valid():
        return _show(request, PasswordResetPage(form), status=400)
    if not task_queue.enqueue(send_password_links, form.cleaned_data["name"]):
        # nothing would look for it later, as for other tasks
        problem = _("The server is busy. Nothing was saved. Try again.")
        return _show(request, PasswordResetPage(form, problem=problem), status=503)
    return _show(request, PasswordResetPage(form, is_sent=True))


def _show(request: HttpRequest, page: PasswordResetPage, status: int = 200) -> HttpResponse:
    response = render(request, "registration/password_reset.html", {"page": page}, status=status)
    add_never_cache_headers(response)
    return response
