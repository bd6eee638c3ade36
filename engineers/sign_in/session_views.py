"""Where somebody is signed in, for themselves, and how to end it everywhere."""

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from engineers import calendar_feeds
from engineers.moment_texts import format_moment
from engineers.permissions import for_people, user_of
from engineers.sign_in import devices
from engineers.sign_in.devices import SignedInDevice
from engineers.throttling import RateLimit, rate_limited


@dataclass(frozen=True)
class OwnSession:
    """`name` is empty for an unknown browser, a moment that is not known, too."""

    name: str
    signed_in: str
    used: str


@dataclass(frozen=True)
class OwnSessionsPage:
    """`company_account`: by which provider the person may sign in, too; empty for none."""

    sessions: list[OwnSession]
    company_account: str
    is_office: bool


@for_people
@require_GET
@rate_limited(RateLimit("own_sessions", 60))
def own_sessions(request: HttpRequest) -> HttpResponse:
    user = user_of(request)
    identity = user.company_identities.first()
    sessions = [_own_session(device) for device in devices.list_devices([user.pk]).get(user.pk, [])]
    page = OwnSessionsPage(sessions, identity.issuer if identity else "", user.is_office)
    response = render(request, "registration/own_sessions.html", {"page": page})
    add_never_cache_headers(response)
    return response


def _own_session(device: SignedInDevice) -> OwnSession:
    signed_in, used = (format_moment(at) if at else "" for at in (device.signed_in_at, device.used_at))
    return OwnSession(device.name, signed_in, used)


@for_people
@require_POST
def end_own_sessions(request: HttpRequest) -> HttpResponse:
    """Every browser and phone, this one too."""
    user = user_of(request)
    devices.sign_out_everywhere(user=user, by=user)
    logout(request)
    messages.success(request, _("You are signed out on every device."))
    if calendar_feeds.has_address(user):
        text = _(
            "Your calendar address still works. If somebody else may have it, ask your supervisor to revoke it."
        )
        messages.warning(request, text)
    return redirect("login")
