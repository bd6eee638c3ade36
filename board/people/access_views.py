"""How an engineer gets in: one-time links with a QR code, signing out everywhere, and the calendar's address."""

from collections.abc import Callable
from dataclasses import dataclass

import segno
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from board.base_context import render_page
from board.formatting import format_moment
from board.people.access_panel import REFUSALS
from board.people.views import SECTION, engineer_or_404, engineer_to_change
from engineers import calendar_feeds
from engineers.models import Right, Role, User
from engineers.office_accounts import AccountRule, refusal_of
from engineers.permissions import for_right, refusal_text, user_of
from engineers.sign_in import devices, second_factor, sign_in_links
from engineers.sign_in.sign_in_link_views import link_address
from engineers.throttling import RateLimit, rate_limited


@dataclass(frozen=True)
class LinkPage:
    """`picture` is the address as a QR code (a data: address)."""

    name: str
    username: str
    is_engineer: bool
    address: str
    picture: str
    until: str
    back: str


@for_right(Right.CHANGE_PEOPLE, Right.MANAGE_ACCOUNTS)
@require_POST
@rate_limited(RateLimit("sign_in_link", 30))
def issue_link(request: HttpRequest, pk: int) -> HttpResponse:
    """`pk` is a user's. Nobody makes a link to the own account, whose page asks for the old password, or to one
    that may do more."""
    person = get_object_or_404(User.objects.select_related("engineer"), pk=pk)
    if hasattr(person, "engineer"):
        engineer_or_404(person.engineer.pk)
    by = user_of(request)
    needed = sign_in_links.right_to_issue(person)
    if not by.may(needed):
        raise PermissionDenied(refusal_text(needed))
    rule = AccountRule.OWN_ACCOUNT if person == by else refusal_of(person, by=by)
    if rule:
        messages.error(request, str(REFUSALS[rule]))
        return redirect(_page_of(person))
    if not person.is_active:
        messages.error(request, _("This account is suspended. Reinstate it first."))
        return redirect(_page_of(person))
    return show_new_link(request, person)


def show_new_link(request: HttpRequest, person: User) -> HttpResponse:
    """Makes a link and shows it, once."""
    issued = sign_in_links.issue(user=person, by=user_of(request))
    address = link_address(issued.secret)
    page = LinkPage(
        name=person.display_name,
        username=person.username,
        is_engineer=person.role == Role.ENGINEER,
        address=address,
        picture=_qr_code(address),
        until=format_moment(issued.expires_at),
        back=_page_of(person),
    )
    return render_page(request, "board/people/link.html", page, section=SECTION)


def _qr_code(address: str) -> str:
    picture: str = segno.make(address, error="m").svg_data_uri(scale=5, border=4, light="#fff")
    return picture


def _page_of(person: User) -> str:
    if hasattr(person, "engineer"):
        return reverse("board:engineer", args=[person.engineer.pk])
    return reverse("board:account", args=[person.pk])


@for_right(Right.CHANGE_PEOPLE)
@require_POST
def sign_out_everywhere(request: HttpRequest, pk: int) -> HttpResponse:
    text = _("%(name)s was signed out on every device. Unsent work stays on the phone.")
    return _change(request, pk, devices.sign_out_everywhere, text)


@for_right(Right.CHANGE_PEOPLE)
@require_POST
def reset_engineers_second_factor(request: HttpRequest, pk: int) -> HttpResponse:
    """For one who has lost the telephone with the authenticator."""
    text = _("%(name)s was signed out. Two-factor authentication is off until it is set up again.")
    return _change(request, pk, second_factor.reset, text)


def _change(request: HttpRequest, pk: int, change: Callable[..., object], text: str) -> HttpResponse:
    found = engineer_to_change(request, pk)
    change(user=found.user, by=user_of(request))
    messages.success(request, text % {"name": found.name})
    if calendar_feeds.has_address(found.user):
        # whoever lost a telephone may have the calendar on it; on another device it should go on
        text = _("The calendar address still works. If somebody else may have it, revoke it here.")
        messages.warning(request, text)
    return redirect("board:engineer", pk)


@dataclass(frozen=True)
class FeedPage:
    name: str
    address: str
    picture: str
    back: str


@for_right(Right.CHANGE_PEOPLE)
@require_POST
@rate_limited(RateLimit("sign_in_link", 30))
def issue_feed(request: HttpRequest, pk: int) -> HttpResponse:
    """A new calendar address; the one before ends."""
    found = engineer_or_404(pk)
    secret = calendar_feeds.issue(engineer=found, by=user_of(request))
    address = f"{settings.PUBLIC_URL}{reverse('calendar-feed', args=[secret])}"
    page = FeedPage(found.name, address, _qr_code(address), reverse("board:engineer", args=[pk]))
    return render_page(request, "board/people/feed.html", page, section=SECTION)


@for_right(Right.CHANGE_PEOPLE)
@require_POST
def revoke_feed(request: HttpRequest, pk: int) -> HttpResponse:
    found = engineer_or_404(pk)
    calendar_feeds.revoke(engineer=found, by=user_of(request))
    messages.success(request, _("The calendar address doesn't work any more."))
    return redirect("board:engineer", pk)
