"""The page “Interfaces”: tokens, webhooks and exports, for supervisors."""

from datetime import timedelta

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from board.base_context import render_page
from dispatch.problems import ActionRefused
from engineers.models import Right
from engineers.permissions import for_right, refusing_limited, user_of
from engineers.throttling import RateLimit, rate_limited
from partner_api import access_tokens, webhook_subscriptions
from partner_api.export_api import stream_download
from partner_api.exports import ExportFormat, ExportKind
from partner_api.interface_forms import ExportForm, TokenForm, WebhookForm
from partner_api.interface_presenter import NewSecret, build_interfaces_page, build_webhook_page
from partner_api.models import WebhookDelivery, WebhookState, WebhookSubscription

TEMPLATE = "partner_api/interfaces.html"
CHANGES = {
    "pause": webhook_subscriptions.pause,
    "resume": webhook_subscriptions.resume,
    "remove": webhook_subscriptions.remove,
}


@for_right(Right.MANAGE_INTERFACES)
@refusing_limited
@require_GET
def interfaces(request: HttpRequest) -> HttpResponse:
    return render_page(request, TEMPLATE, build_interfaces_page())


@for_right(Right.MANAGE_INTERFACES)
@refusing_limited
@require_POST
@rate_limited(RateLimit("access_token", 30))
def add_token(request: HttpRequest) -> HttpResponse:
    """Shows the token, once."""
    form = TokenForm(request.POST, auto_id="token-%s")
    if not form.is_valid():
        return render_page(request, TEMPLATE, build_interfaces_page(token_form=form), status=400)
    data = form.cleaned_data
    expires_at = timezone.now() + timedelta(days=data["days"]) if data["days"] else None
    try:
        issued = access_tokens.issue(
            name=data["name"],
            scopes=data["scopes"],
            areas=list(data["areas"]),
            expires_at=expires_at,
            by=user_of(request),
        )
    except access_tokens.TokenRefused as refused:
        _add_problems(form, refused)
        return render_page(request, TEMPLATE, build_interfaces_page(token_form=form), status=400)
    text = _("Copy the token into the other system now. It is not shown again.")
    return _show_secret(request, NewSecret(issued.token.name, text, issued.secret))


def _add_problems(form: TokenForm | WebhookForm, refused: ActionRefused) -> None:
    for problem in refused.problems:
        form.add_error(problem.where if problem.where in form.fields else None, problem.message)


def _show_secret(request: HttpRequest, secret: NewSecret) -> HttpResponse:
    return render_page(request, TEMPLATE, build_interfaces_page(new_secret=secret))


@for_right(Right.MANAGE_INTERFACES)
@refusing_limited
@require_POST
def revoke_token(request: HttpRequest, pk: int) -> HttpResponse:
    """Twice is as once."""
    access_tokens.revoke(pk=pk, by=user_of(request))
    messages.success(request, _("The token was revoked and no longer gives access."))
    return redirect("interfaces")


@for_right(Right.MANAGE_INTERFACES)
@refusing_limited
@require_POST
@rate_limited(RateLimit("webhook", 30))
def add_webhook(request: HttpRequest) -> HttpResponse:
    """Shows the secret, once."""
    form = WebhookForm(request.POST, auto_id="webhook-%s")
    if not form.is_valid():
        return render_page(request, TEMPLATE, build_interfaces_page(webhook_form=form), status=400)
    data = form.cleaned_data
    try:
        issued = webhook_subscriptions.subscribe(
            name=data["name"],
            url=data["url"],
            kinds=data["kinds"],
            areas=list(data["areas"]),
            by=user_of(request),
        )
    except webhook_subscriptions.SubscriptionRefused as refused:
        _add_problems(form, refused)
        return render_page(request, TEMPLATE, build_interfaces_page(webhook_form=form), status=400)
    return _show_secret(request, NewSecret(issued.subscription.name, _secret_text(), issued.secret))


def _secret_text() -> str:
    return _(
        "Copy the secret into the other system now. It checks our signature with it. It is not shown again."
    )


@for_right(Right.MANAGE_INTERFACES)
@refusing_limited
@require_POST
def replace_secret(request: HttpRequest, pk: int) -> HttpResponse:
    """Shows the new secret, once."""
    issued = webhook_subscriptions.replace_secret(pk=pk, by=user_of(request))
    if issued is None:
        raise Http404
    return _show_secret(request, NewSecret(issued.subscription.name, _secret_text(), issued.secret))


@for_right(Right.MANAGE_INTERFACES)
@refusing_limited
@require_POST
def change_webhook(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """`action` is one of CHANGES. Twice is as once."""
    if action not in CHANGES:
        raise Http404
    changed = CHANGES[action](pk=pk, by=user_of(request))
    texts = {
        "pause": _("The webhook is paused. What happens is kept and sent when you resume it."),
        "resume": _("The webhook was resumed. Events from the pause are sent too."),
        "remove": _("The webhook was removed."),
    }
    messages.success(request, texts[action] if changed else _("No changes."))
    return redirect("interfaces")


@for_right(Right.MANAGE_INTERFACES)
@refusing_limited
@require_GET
def webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """The newest deliveries of one webhook."""
    page = build_webhook_page(pk)
    if page is None:
        raise Http404
    return render_page(request, "partner_api/webhook.html", page)


@for_right(Right.MANAGE_INTERFACES)
@refusing_limited
@require_POST
@rate_limited(RateLimit("webhook_replay", 30))
def replay_deliveries(request: HttpRequest, pk: int) -> HttpResponse:
    """`delivery`: one by its key; without it all that were given up."""
    subscription = get_object_or_404(WebhookSubscription, pk=pk, deleted_at=None)
    deliveries, key = WebhookDelivery.objects.all(), request.POST.get("delivery", "")
    if key:
        deliveries = deliveries.filter(
            pk=int(key) if key.isascii() and key.isdigit() and len(key) < 19 else 0
        )
    else:
        deliveries = deliveries.filter(state=WebhookState.FAILED)
    number = webhook_subscriptions.replay(
        subscription=subscription, deliveries=deliveries, by=user_of(request)
    )
    text = ngettext("%(number)d delivery is sent again.", "%(number)d deliveries are sent again.", number)
    messages.success(request, text % {"number": number})
    return redirect("webhook", pk)


@for_right(Right.MANAGE_INTERFACES)
@refusing_limited
@require_GET
@rate_limited(RateLimit("export", 20))
def export(request: HttpRequest) -> HttpResponseBase:
    """The file that the form asks for."""
    form = ExportForm(request.GET)
    if not form.is_valid():
        return render_page(request, TEMPLATE, build_interfaces_page(export_form=form), status=400)
    kind, period = ExportKind(form.cleaned_data["kind"]), form.period
    return stream_download(kind, period, ExportFormat(form.cleaned_data["file_format"]), to=user_of(request))
