"""Notices to engineers' phones by web push: a hint that something changed, never the only source of it."""

import base64
import binascii
import json
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

import requests
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from py_vapid import Vapid
from pywebpush import WebPushException, webpush

from engineers.models import Engineer, PushSubscription

MAX_SUBSCRIPTIONS = 10
SECONDS = 10
# later than that it is of no use; the day shows it anyway
TTL_SECONDS = 12 * 3600
STATUS_GONE = frozenset({404, 410})


class BadSubscription(Exception):
    """Not an address to which notices may go, or no keys of a browser."""


class NotSent(Exception):
    """The service did not take it this time."""


@dataclass(frozen=True)
class PushNotification:
    """What the phone shows, and which page opens; a newer one with the same tag replaces it."""

    title: str
    body: str
    url: str
    tag: str


def public_key() -> str:
    """What a browser must know to subscribe; empty while no key is set."""
    if not settings.VAPID_PRIVATE_KEY:
        return ""
    point = _vapid().public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).decode().rstrip("=")


def _vapid() -> Vapid:
    return Vapid.from_string(settings.VAPID_PRIVATE_KEY)


@transaction.atomic
def subscribe(*, engineer: Engineer, endpoint: str, p256dh: str, auth: str) -> PushSubscription:
    """This browser gets the notices of this engineer from now on, and of nobody else. Raises BadSubscription."""
    _check(endpoint, p256dh, auth)
    subscription, _is_new = PushSubscription.objects.update_or_create(
        endpoint=endpoint,
        defaults={
            "engineer": engineer,
            "public_key": p256dh,
            "auth_secret": auth,
            "subscribed_at": timezone.now(),
        },
    )
    newest = engineer.push_subscriptions.order_by("-subscribed_at", "-pk").values_list("pk", flat=True)
    engineer.push_subscriptions.exclude(pk__in=list(newest[:MAX_SUBSCRIPTIONS])).delete()
    return subscription


def _check(endpoint: str, p256dh: str, auth: str) -> None:
    if not _is_push_service(endpoint):
        raise BadSubscription("endpoint")
    try:
        point, secret = _bytes(p256dh), _bytes(auth)
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except (ValueError, binascii.Error) as problem:
        raise BadSubscription("keys") from problem
    if len(secret) != 16:
        raise BadSubscription("keys")


def _is_push_service(endpoint: str) -> bool:
    """The server calls this address, so it may not be anyone's choice."""
    try:
        parts = urlsplit(endpoint)
        host, _port = parts.hostname or "", parts.port
    except ValueError:
        return False
    schemes = {"https", "http"} if settings.PLAIN_HTTP else {"https"}
    known = any(
        host == allowed or (allowed.startswith(".") and host.endswith(allowed))
        for allowed in settings.PUSH_HOSTS
    )
    return known and parts.scheme in schemes and "@" not in parts.netloc and len(endpoint) <= 1000


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def unsubscribe(*, engineer: Engineer, endpoint: str) -> None:
    PushSubscription.objects.filter(engineer=engineer, endpoint=endpoint).delete()


def send(*, subscription: PushSubscription, notice: PushNotification) -> None:
    """Encrypt it for that browser and hand it to its service. A subscription that ended there is forgotten here.

    Raises NotSent.
    """
    keys = {"p256dh": subscription.public_key, "auth": subscription.auth_secret}
    try:
        with _session() as session:
            webpush(
                {"endpoint": subscription.endpoint, "keys": keys},
                json.dumps(asdict(notice)),
                vapid_private_key=_vapid(),
                vapid_claims={"sub": _contact()},
                ttl=TTL_SECONDS,
                timeout=SECONDS,
                headers={"urgency": "high"},
                requests_session=session,
            )
    except WebPushException as problem:
        if getattr(problem.response, "status_code", None) in STATUS_GONE:
            subscription.delete()
            return
        raise NotSent(type(problem).__name__) from None
    except requests.RequestException as problem:
        raise NotSent(type(problem).__name__) from None


def _session() -> requests.Session:
    """Asks the environment about nothing, and follows no redirect."""
    session = requests.Session()
    session.trust_env = False
    session.max_redirects = 0
    return session


def _contact() -> str:
    """Whom the push service may ask about us (RFC 8292)."""
    url = str(settings.PUBLIC_URL)
    return url if url.startswith("https://") else "mailto:dispatch@localhost"
