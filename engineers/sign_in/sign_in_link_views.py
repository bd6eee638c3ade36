"""The page behind a one-time link: choose a password, and be signed in."""

from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_http_methods

from engineers.language_cookie import set_language_cookie
from engineers.permissions import for_everyone, next_sign_in_step
from engineers.sign_in import sign_in_links
from engineers.sign_in.password_forms import NewPasswordForm

BACKEND = "engineers.permissions.RoleBackend"


def link_address(secret: str) -> str:
    """Absolute, as a QR code or a message needs it."""
    return f"{settings.PUBLIC_URL}{reverse('sign-in-link', args=[secret])}"


@for_everyone
@require_http_methods(["GET", "POST"])
def sign_in_link(request: HttpRequest, token: str) -> HttpResponse:
    """GET changes nothing. A link that is used up, too old or unknown is not found, and says whom to ask."""
    link = sign_in_links.find(token)
    if link is None:
        return _show(request, "registration/sign_in_link_used.html", {}, status=404)
    form: Any = NewPasswordForm(link.user, request.POST or None)
    if request.method != "POST" or not form.is_valid():
        context = {"form": form, "person": link.user}
        status = 400 if request.method == "POST" else 200
        return _show(request, "registration/sign_in_link.html", context, status=status)
    return _use(request, token, form.cleaned_data["new_password1"])


@transaction.atomic
def _use(request: HttpRequest, secret: str, password: str) -> HttpResponse:
    try:
        user = sign_in_links.use(secret=secret, password=password)
    except sign_in_links.LinkUsed as problem:
        raise Http404 from problem
    # an office person at this browser, or the phone's engineer before: their session ends here
    request.session.flush()
    login(request, user, BACKEND)
    response = redirect(next_sign_in_step(request) or "home")
    set_language_cookie(response, user)
    return response


def _show(request: HttpRequest, template: str, context: dict[str, Any], status: int) -> HttpResponse:
    response = render(request, template, context, status=status)
    add_never_cache_headers(response)
    return response
