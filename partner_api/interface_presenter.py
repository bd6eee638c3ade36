"""What the page “Interfaces” and the page of one webhook show."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Count, Max, Prefetch, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from board.formatting import format_moment
from engineers.models import Right, User
from engineers.rights import holders_everywhere
from monitoring import heartbeats
from monitoring.coded_texts import reason_text
from monitoring.health_checks import NotReady
from partner_api.interface_forms import ExportForm, TokenForm, WebhookForm, usual_export_form
from partner_api.models import (
    AccessToken,
    Scope,
    WebhookAttempt,
    WebhookDelivery,
    WebhookKind,
    WebhookState,
    WebhookSubscription,
)
from partner_api.webhook_queue import FAILING_FROM

MOST_DELIVERIES, ATTEMPTS_SHOWN = 100, 5
NOTHING_SENT = {"waiting": 0, "failed": 0, "delivered_at": None}
GOOD, WARNING, ALARM = "good", "warning", "alarm"
DELIVERY_TONES = {WebhookState.READY: WARNING, WebhookState.DELIVERED: GOOD, WebhookState.FAILED: ALARM}


@dataclass(frozen=True)
class CreatorLine:
    """Who created a token or webhook, which goes on after that person has left; `mark` says why this person could not
    create it now, empty where it could be."""

    name: str
    mark: str


@dataclass(frozen=True)
class TokenLine:
    pk: int
    name: str
    creator: CreatorLine
    start: str
    scopes: list[str]
    areas: str
    created: str
    used: str
    expires: str
    is_expired: bool


@dataclass(frozen=True)
class WebhookLine:
    """`tone` is one of GOOD, WARNING and ALARM."""

    pk: int
    name: str
    creator: CreatorLine
    url: str
    kinds: list[str]
    areas: str
    state: str
    tone: str
    is_paused: bool
    waiting: int
    failed: int
    delivered: str


@dataclass(frozen=True)
class NewSecret:
    """Shown once; `text` says what it is for."""

    name: str
    text: str
    secret: str


@dataclass(frozen=True)
class InterfacesPage:
    """`is_sender_missing`: nobody sends webhooks now."""

    tokens: list[TokenLine]
    webhooks: list[WebhookLine]
    is_sender_missing: bool
    api_url: str
    token_form: TokenForm
    webhook_form: WebhookForm
    export_form: ExportForm
    new_secret: NewSecret | None


@dataclass(frozen=True)
class WebhookDeliveryLine:
    pk: int
    job: str
    kind: str
    created: str
    state: str
    tone: str
    attempts: list[str]
    can_be_sent_again: bool


@dataclass(frozen=True)
class WebhookPage:
    webhook: WebhookLine
    deliveries: list[WebhookDeliveryLine]
    most: int = MOST_DELIVERIES


def token_lines() -> list[TokenLine]:
    """Those that are not revoked; four queries."""
    tokens = (
        AccessToken.objects.filter(revoked_at=None).select_related("created_by").prefetch_related("areas")
    )
    managers = holders_everywhere(Right.MANAGE_INTERFACES)
    return [_token_line(token, timezone.now(), managers) for token in tokens]


def _token_line(token: AccessToken, now: datetime, managers: frozenset[int]) -> TokenLine:
    return TokenLine(
        pk=token.pk,
        name=token.name,
        creator=_creator(token.created_by, managers),
        start=f"{token.start}…",
        scopes=[str(Scope(scope).label) for scope in token.scopes],
        areas=_areas([area.name for area in token.areas.all()], is_limited=token.is_limited_to_areas),
        created=format_moment(token.created_at),
        used=format_moment(token.last_used_at) if token.last_used_at else _("Never"),
        expires=format_moment(token.expires_at) if token.expires_at else _("Never"),
        is_expired=token.expires_at is not None and token.expires_at <= now,
    )


def _creator(user: User | None, managers: frozenset[int]) -> CreatorLine:
    if user is None:
        return CreatorLine("–", "")
    if not user.is_active:
        return CreatorLine(user.display_name, _("Suspended"))
    return CreatorLine(
        user.display_name, "" if user.pk in managers else _("May not manage interfaces any more")
    )


def _areas(names: Iterable[str], *, is_limited: bool) -> str:
    if not is_limited:
        return _("All areas")
    return ", ".join(sorted(names)) or _("None: its areas were deleted")


def webhook_lines() -> list[WebhookLine]:
    """Five queries."""
    managers = holders_everywhere(Right.MANAGE_INTERFACES)
    subscriptions = WebhookSubscription.objects.filter(deleted_at=None).select_related("created_by")
    counted = WebhookDelivery.objects.filter(subscription__deleted_at=None).order_by().values("subscription")
    figures = {
        row["subscription"]: row
        for row in counted.annotate(
            waiting=Count("pk", filter=Q(state=WebhookState.READY)),
            failed=Count("pk", filter=Q(state=WebhookState.FAILED)),
            delivered_at=Max("delivered_at"),
        )
    }
    return [
        _webhook_line(each, figures.get(each.pk, NOTHING_SENT), managers)
        for each in subscriptions.prefetch_related("areas")
    ]


def _webhook_line(
    subscription: WebhookSubscription, figures: Mapping[str, Any], managers: frozenset[int]
) -> WebhookLine:
    state, tone = _webhook_state(subscription)
    names, last = [area.name for area in subscription.areas.all()], figures["delivered_at"]
    return WebhookLine(
        pk=subscription.pk,
        name=subscription.name,
        creator=_creator(subscription.created_by, managers),
        url=subscription.url,
        kinds=[str(WebhookKind(kind).label) for kind in subscription.kinds],
        areas=_areas(names, is_limited=subscription.is_limited_to_areas),
        state=state,
        tone=tone,
        is_paused=subscription.paused_at is not None,
        waiting=figures["waiting"],
        failed=figures["failed"],
        delivered=format_moment(last) if last else _("Never"),
    )


def _webhook_state(subscription: WebhookSubscription) -> tuple[str, str]:
    if subscription.paused_at:
        return _("Paused"), WARNING
    if subscription.failures >= FAILING_FROM:
        return _("Failing, retried less often"), ALARM
    return _("Working"), GOOD


def build_interfaces_page(
    *,
    token_form: TokenForm | None = None,
    webhook_form: WebhookForm | None = None,
    export_form: ExportForm | None = None,
    new_secret: NewSecret | None = None,
) -> InterfacesPage:
    """Ten queries, however many tokens and webhooks there are; the lists of areas in forms are two more."""
    webhooks = webhook_lines()
    return InterfacesPage(
        tokens=token_lines(),
        webhooks=webhooks,
        is_sender_missing=bool(webhooks) and _is_sender_missing(),
        api_url=f"{settings.PUBLIC_URL}/api/v1/",
        token_form=token_form or TokenForm(auto_id="token-%s"),
        webhook_form=webhook_form or WebhookForm(auto_id="webhook-%s"),
        export_form=export_form or usual_export_form(),
        new_secret=new_secret,
    )


def _is_sender_missing() -> bool:
    try:
        heartbeats.check_heartbeat(heartbeats.WEBHOOKS)
    except NotReady:
        return True
    return False


def build_webhook_page(pk: int) -> WebhookPage | None:
    """The newest deliveries with their last attempts; None where there is no such webhook."""
    line = next((line for line in webhook_lines() if line.pk == pk), None)
    if line is None:
        return None
    attempts = WebhookAttempt.objects.order_by("-started_at")
    deliveries = WebhookDelivery.objects.filter(subscription=pk).select_related("event", "job")
    newest = deliveries.prefetch_related(Prefetch("attempts", attempts)).order_by("-pk")[:MOST_DELIVERIES]
    now = timezone.now()
    return WebhookPage(line, [_delivery_line(delivery, now) for delivery in newest])


def _delivery_line(delivery: WebhookDelivery, now: datetime) -> WebhookDeliveryLine:
    state = WebhookState(delivery.state)
    return WebhookDeliveryLine(
        pk=delivery.pk,
        job=delivery.job.provider_job_id,
        kind=str(WebhookKind(delivery.event.kind).label),
        created=format_moment(delivery.created_at),
        state=str(state.label),
        tone=DELIVERY_TONES[state],
        attempts=[_attempt_text(attempt) for attempt in delivery.attempts.all()[:ATTEMPTS_SHOWN]],
        can_be_sent_again=delivery.lease_expires_at is None or delivery.lease_expires_at <= now,
    )


def _attempt_text(attempt: WebhookAttempt) -> str:
    text = _("%(at)s: %(answer)s (%(milliseconds)d ms)")
    return text % {
        "at": format_moment(attempt.started_at),
        "answer": reason_text(attempt.error) or attempt.status,
        "milliseconds": attempt.milliseconds,
    }
