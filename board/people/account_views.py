"""The pages of office accounts: dispatchers read, supervisors change."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from board.base_context import render_page
from board.people.access_panel import REFUSALS
from board.people.access_views import show_new_link
from board.people.account_pages import (
    account_form,
    build_account_page,
    build_accounts_page,
    new_account_form,
    office_accounts,
)
from board.people.record_forms import AccountForm
from board.people.views import SECTION
from engineers import office_accounts as accounts_of_office
from engineers.models import Right, User
from engineers.office_accounts import AccountChanged, AccountRefused, AreaGone
from engineers.permissions import for_office, for_right, user_of
from engineers.refusals import NameTaken
from engineers.rights import holders_everywhere
from engineers.throttling import RateLimit, rate_limited, slow_request

INTERFACES_GO_ON = gettext_lazy(
    "If %(name)s created access tokens or webhooks, they still work. Check “Interfaces”."
)
USERNAME_IN_USE = gettext_lazy("Somebody else has this user name. Choose a different one.")


@for_office
@rate_limited(RateLimit("people", 120))
def accounts(request: HttpRequest) -> HttpResponse:
    return _show_list(request)


@for_right(Right.MANAGE_ACCOUNTS)
@require_POST
@rate_limited(RateLimit("sign_in_link", 30))
@slow_request
def add_account(request: HttpRequest) -> HttpResponse:
    """Answers with the one-time link. The same form twice makes one account, and the newer link counts."""
    form = new_account_form(user_of(request), request.POST)
    if not form.is_valid():
        return _show_list(request, form)
    try:
        user = accounts_of_office.create_account(record=form.record(), by=user_of(request))
    except NameTaken:
        form.add_error("username", str(USERNAME_IN_USE))
        return _show_list(request, form)
    except AreaGone:
        form.add_error("areas", _("This area doesn't exist any more."))
        return _show_list(request, form)
    except AccountRefused as refused:
        form.add_error(None, str(REFUSALS[refused.rule]))
        return _show_list(request, form)
    messages.success(request, _("%(name)s was added.") % {"name": user.display_name})
    return show_new_link(request, user)


def _show_list(request: HttpRequest, form: AccountForm | None = None) -> HttpResponse:
    page = build_accounts_page(form or new_account_form(user_of(request)))
    status = 400 if form else 200
    return render_page(request, "board/people/accounts.html", page, section=SECTION, status=status)


@for_office
@rate_limited(RateLimit("people", 120))
def account(request: HttpRequest, pk: int) -> HttpResponse:
    return _show(request, _account_or_404(pk))


@for_right(Right.MANAGE_ACCOUNTS)
@require_POST
def change_account(request: HttpRequest, pk: int) -> HttpResponse:
    found, by = _account_or_404(pk), user_of(request)
    form = account_form(found, by=by, data=request.POST)
    if not form.is_valid():
        return _show(request, found, form)
    managed_interfaces = holders_everywhere(Right.MANAGE_INTERFACES)
    try:
        changed = accounts_of_office.change_account(user=found, record=form.record(), seen=form.seen, by=by)
    except NameTaken:
        form.add_error("username", str(USERNAME_IN_USE))
        return _show(request, found, form)
    except AreaGone:
        form.add_error("areas", _("This area doesn't exist any more."))
        return _show(request, found, form)
    except AccountChanged:
        form.add_error(None, _("Somebody changed this account after you opened the form. Open it again."))
        return _show(request, found, form, status=409)
    except AccountRefused as refused:
        messages.error(request, str(REFUSALS[refused.rule]))
        return redirect("board:account", pk)
    text = _("%(name)s was saved.") if changed else _("No changes. %(name)s is as before.")
    messages.success(request, text % {"name": form.cleaned_data["name"]})
    if pk in managed_interfaces - holders_everywhere(Right.MANAGE_INTERFACES):
        messages.warning(request, str(INTERFACES_GO_ON) % {"name": form.cleaned_data["name"]})
    return redirect("board:account", pk)


def _account_or_404(pk: int) -> User:
    return get_object_or_404(office_accounts(), pk=pk)


def _show(
    request: HttpRequest, found: User, form: AccountForm | None = None, status: int = 400
) -> HttpResponse:
    """`status` where a form is shown again."""
    page = build_account_page(found, by=user_of(request), form=form)
    status = status if form else 200
    return render_page(request, "board/people/account.html", page, section=SECTION, status=status)


@for_right(Right.MANAGE_ACCOUNTS)
@require_POST
def suspend_account(request: HttpRequest, pk: int) -> HttpResponse:
    """Twice is as once."""
    text = _("%(name)s can no longer sign in and was signed out everywhere.")
    return _change(request, pk, accounts_of_office.suspend_account, f"{text} {INTERFACES_GO_ON}")


@for_right(Right.MANAGE_ACCOUNTS)
@require_POST
def reinstate_account(request: HttpRequest, pk: int) -> HttpResponse:
    return _change(request, pk, accounts_of_office.reinstate_account, _("%(name)s can sign in again."))


@for_right(Right.MANAGE_ACCOUNTS)
@require_POST
def sign_out_account(request: HttpRequest, pk: int) -> HttpResponse:
    text = _("%(name)s was signed out on every device.")
    return _change(request, pk, accounts_of_office.sign_out_everywhere, text)


@for_right(Right.MANAGE_ACCOUNTS)
@require_POST
def reset_second_factor(request: HttpRequest, pk: int) -> HttpResponse:
    text = _("%(name)s was signed out and must set up two-factor authentication again.")
    return _change(request, pk, accounts_of_office.reset_second_factor, text)


def _change(request: HttpRequest, pk: int, change: Callable[..., object], text: str) -> HttpResponse:
    found = _account_or_404(pk)
    try:
        is_changed = change(user=found, by=user_of(request))
    except AccountRefused as refused:
        messages.error(request, str(REFUSALS[refused.rule]))
        return redirect("board:account", pk)
    if is_changed is not False:
        messages.success(request, text % {"name": found.display_name})
    return redirect("board:account", pk)
