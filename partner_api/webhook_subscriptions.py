"""Which addresses are notified of jobs: added, paused and removed by a supervisor, and deliveries sent again."""

import secrets
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from dispatch.event_readers import start_reader
from dispatch.problems import ActionRefused, Problem
from engineers.audit import record_audit
from engineers.models import Area, User
from monitoring import alarms
from monitoring.models import AlarmKind
from monitoring.signed_post import is_callable_url, names_private_host
from partner_api.models import (
    WebhookDeliveryQuerySet,
    WebhookKind,
    WebhookState,
    WebhookSubscription,
)
from partner_api.webhook_events import READER

SECRET_PREFIX = "fds_"  # noqa: S105  # what it begins with, so that a published one is recognised
MOST_SUBSCRIPTIONS = 20


@dataclass(frozen=True)
class IssuedSecret:
    """Shown once."""

    subscription: WebhookSubscription
    secret: str


class SubscriptionRefused(ActionRefused):
    """No name, an address that cannot be called, no kind of event, or too many; nothing was made."""


@transaction.atomic
def subscribe(
    *, name: str, url: str, kinds: Iterable[str], areas: Collection[Area] = (), by: User | None
) -> IssuedSecret:
    """It is notified of what is recorded from now on. Audited. Raises SubscriptionRefused."""
    wanted = sorted(set(kinds))
    _refuse(name.strip(), url.strip(), wanted)
    if not WebhookSubscription.objects.filter(deleted_at=None).exists():
        start_reader(READER)
    subscription = WebhookSubscription.objects.create(
        name=name.strip(),
        url=url.strip(),
        kinds=wanted,
        secret=_new_secret(),
        is_limited_to_areas=bool(areas),
        created_by=by,
        created_at=timezone.now(),
    )
    subscription.areas.set(areas)
    after = {"url": subscription.url, "kinds": wanted, "areas": sorted(area.name for area in areas)}
    record_audit(actor=by, action="webhook_added", subject=subscription.name, after=after)
    return IssuedSecret(subscription, subscription.secret)


def _new_secret() -> str:
    return f"{SECRET_PREFIX}{secrets.token_urlsafe(32)}"


def _refuse(name: str, url: str, kinds: list[str]) -> None:
    problems = []
    if not name or len(name) > 80:
        problems.append(Problem("name_missing", "name", _("Enter a name of at most 80 characters.")))
    is_plain_allowed = settings.WEBHOOKS.private_addresses
    if not is_callable_url(url, is_plain_allowed=is_plain_allowed) or len(url) > 500:
        text = _(
            "Enter an address that begins with https://, without a user name and without letters such as ä."
        )
        problems.append(Problem("url_refused", "url", text))
    elif not is_plain_allowed and names_private_host(url):
        text = _(
            "This address is inside the server's own network. Enter one that is reachable from the internet."
        )
        problems.append(Problem("url_refused", "url", text))
    if not kinds or set(kinds) - set(WebhookKind.values):
        text = _("Choose at least one of these events: %(kinds)s.") % {"kinds": ", ".join(WebhookKind.values)}
        problems.append(Problem("unknown_kind", "kinds", text))
    if WebhookSubscription.objects.filter(deleted_at=None).count() >= MOST_SUBSCRIPTIONS:
        text = _("There are %(most)d webhooks already. Remove one first.") % {"most": MOST_SUBSCRIPTIONS}
        problems.append(Problem("too_many", "name", text))
    if problems:
        raise SubscriptionRefused(problems)


def _locked(pk: int) -> WebhookSubscription | None:
    return WebhookSubscription.objects.select_for_update().filter(pk=pk, deleted_at=None).first()


def lock_subscriptions(keys: Iterable[int]) -> None:
    """Always before any of their deliveries, so that no two transactions wait for each other."""
    list(WebhookSubscription.objects.select_for_update().filter(pk__in=set(keys)).order_by("pk"))


@transaction.atomic
def replace_secret(*, pk: int, by: User | None) -> IssuedSecret | None:
    """What is sent from now on is signed with the new one. None where the webhook is gone. Audited."""
    subscription = _locked(pk)
    if subscription is None:
        return None
    subscription.secret = _new_secret()
    subscription.save(update_fields=["secret"])
    record_audit(actor=by, action="webhook_secret_replaced", subject=subscription.name)
    return IssuedSecret(subscription, subscription.secret)


@transaction.atomic
def pause(*, pk: int, by: User | None) -> bool:
    """Whether it was sending. What happens meanwhile waits."""
    subscription = _locked(pk)
    if subscription is None or subscription.paused_at:
        return False
    subscription.paused_at = timezone.now()
    subscription.save(update_fields=["paused_at"])
    alarms.clear_alarm(AlarmKind.WEBHOOK_FAILING, str(pk))
    record_audit(actor=by, action="webhook_paused", subject=subscription.name)
    return True


@transaction.atomic
def resume(*, pk: int, by: User | None) -> bool:
    """Whether it was paused. What waited is sent now, each with its whole time to be tried."""
    subscription = _locked(pk)
    if subscription is None or subscription.paused_at is None:
        return False
    subscription.paused_at, subscription.failures, subscription.open_until = None, 0, None
    subscription.save(update_fields=["paused_at", "failures", "open_until"])
    _make_due(subscription.deliveries.filter(state=WebhookState.READY))
    record_audit(actor=by, action="webhook_resumed", subject=subscription.name)
    return True


@transaction.atomic
def remove(*, pk: int, by: User | None) -> bool:
    """Whether it was there. Nothing more is sent to it; what was sent, or waited for that, stays until retention
    deletes it."""
    subscription = _locked(pk)
    if subscription is None:
        return False
    subscription.deleted_at, subscription.secret = timezone.now(), ""
    subscription.save(update_fields=["deleted_at", "secret"])
    subscription.deliveries.filter(state=WebhookState.READY).update(state=WebhookState.FAILED)
    alarms.clear_alarm(AlarmKind.WEBHOOK_FAILING, str(pk))
    record_audit(actor=by, action="webhook_removed", subject=subscription.name)
    return True


@transaction.atomic
def replay(*, subscription: WebhookSubscription, deliveries: WebhookDeliveryQuerySet, by: User | None) -> int:
    """Send these of the subscription again, also those that were delivered or given up, in their order per job; how
    many. What is being sent at this moment is left alone. Audited."""
    lock_subscriptions([subscription.pk])
    number = _make_due(deliveries.filter(subscription=subscription))
    if number:
        # its failures in a row go on, until an answer ends them and the alarm about them
        WebhookSubscription.objects.filter(pk=subscription.pk).update(open_until=None)
        record_audit(
            actor=by, action="webhook_replayed", subject=subscription.name, after={"deliveries": number}
        )
    return number


def _make_due(deliveries: WebhookDeliveryQuerySet) -> int:
    now = timezone.now()
    return deliveries.unleased(now).update(
        state=WebhookState.READY,
        # a claim from before, however late its result comes, finds nothing
        claims=F("claims") + 1,
        failures=0,
        lease_expires_at=None,
        next_attempt_at=now,
        give_up_at=now + timedelta(hours=settings.WEBHOOKS.retry_hours),
    )
