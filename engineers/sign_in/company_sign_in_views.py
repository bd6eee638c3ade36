"""Signing in with the company's account, and out of it. The addresses are there only where OIDC_ISSUER is set."""

from typing import Any

import structlog
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME, login, logout
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from engineers.input_values import read_own_path
from engineers.language_cookie import set_language_cookie
from engineers.permissions import for_everyone, next_sign_in_step
from engineers.sign_in import second_factor
from engineers.sign_in.company_sign_in import (
    CompanyProvider,
    ProviderBusy,
    ProviderRefused,
    ProviderUnavailable,
    SignInRefused,
    SignInRule,
    find_account,
    has_second_factor,
)
from engineers.sign_in.sign_in_link_views import BACKEND
from engineers.throttling import RateLimit, client_address, rate_limit_text

log = structlog.get_logger("engineers.sign_in.company_sign_in")
# from one address, which a whole office may share: as many as nginx lets sign in with a password. The way back asks the
# provider, too, and may come for the starts of two minutes
STARTS, RETURNS = RateLimit("company_sign_in", 60), RateLimit("company_callback", 120)
NEXT, SIGNED_IN_BY_PROVIDER = "company_next", "company_signed_in"
REFUSALS = {
    SignInRule.NO_ACCOUNT: gettext_lazy(
        "No account here belongs to your company account. Ask a supervisor to add one with your e-mail address."
    ),
    SignInRule.EMAIL_UNVERIFIED: gettext_lazy(
        "Your company account does not say that your e-mail address is verified. Ask your administrator."
    ),
    SignInRule.SUSPENDED: gettext_lazy("Your account is suspended. Ask a supervisor."),
}


def _provider_or_404() -> CompanyProvider:
    provider: CompanyProvider | None = settings.SIGN_IN.provider
    if provider is None:
        raise Http404
    return provider


def _of_provider(name: str) -> Any:
    """Loaded by name: a process without a provider needs none of its library."""
    return import_string(f"engineers.sign_in.company_provider.{name}")


@for_everyone
@require_GET
def company_sign_in(request: HttpRequest) -> HttpResponse:
    """To the provider; `?next=` where the person wanted to go."""
    _provider_or_404()
    if seconds := STARTS.seconds_to_wait(client_address(request)):
        return _refused(request, rate_limit_text(seconds))
    request.session[NEXT] = request.GET.get(REDIRECT_FIELD_NAME, "")
    address = f"{settings.PUBLIC_URL}{reverse('company-callback')}"
    try:
        response: HttpResponse = _of_provider("authorize")(request, redirect_uri=address)
    except ProviderUnavailable as problem:
        return _unavailable(request, problem)
    add_never_cache_headers(response)
    return response


@for_everyone
@require_GET
def company_callback(request: HttpRequest) -> HttpResponse:
    """Back from the provider, once for each start in this browser."""
    provider, wanted = _provider_or_404(), request.session.get(NEXT, "")
    if seconds := RETURNS.seconds_to_wait(client_address(request)):
        return _refused(request, rate_limit_text(seconds))
    try:
        claims = _of_provider("read_claims")(request)
        user = find_account(claims, provider=provider)
    except ProviderUnavailable as problem:
        return _unavailable(request, problem)
    except ProviderRefused as refused:
        log.warning("company sign-in refused", reason=str(refused))
        return _refused(request, _("The sign-in was not completed. Start again."))
    except SignInRefused as refused:
        log.warning("company sign-in refused", reason=refused.rule)
        return _refused(request, str(REFUSALS[refused.rule]))
    # whoever was signed in at this browser before: their session ends here
    request.session.flush()
    login(request, user, BACKEND)
    request.session[SIGNED_IN_BY_PROVIDER] = True
    if has_second_factor(claims, provider=provider):
        second_factor.accept_provider(request)
    response = _go_on(request, wanted)
    set_language_cookie(response, user)
    return response


def _go_on(request: HttpRequest, wanted: str) -> HttpResponse:
    address, step = read_own_path(wanted, request) or reverse("home"), next_sign_in_step(request)
    return redirect_to_login(address, reverse(step)) if step else redirect(address)


def _unavailable(request: HttpRequest, problem: ProviderUnavailable) -> HttpResponse:
    log.warning("company sign-in unavailable", reason=str(problem))
    if isinstance(problem, ProviderBusy):
        return _refused(request, _("Several people are signing in. Try again."))
    return _refused(
        request, _("Your company's sign-in does not answer. Try again, or sign in with your password.")
    )


def _refused(request: HttpRequest, text: str) -> HttpResponse:
    messages.error(request, text)
    return redirect("login")


@for_everyone
@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Ends this session. Whoever came by the provider is offered its sign-out: at a shared computer, the next person
    would come in with the same company account."""
    is_by_provider = settings.SIGN_IN.provider and request.session.get(SIGNED_IN_BY_PROVIDER)
    logout(request)
    if not is_by_provider:
        return redirect("login")
    back_to = f"{settings.PUBLIC_URL}{reverse('login')}"
    address = _of_provider("sign_out_address")(back_to=back_to)
    response = render(request, "registration/company_signed_out.html", {"address": address})
    add_never_cache_headers(response)
    return response
