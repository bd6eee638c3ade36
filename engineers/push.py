"""Where engineers' phones get web push: subscriptions of their browsers, and the key that signs for us."""

import base64
import binascii
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from py_vapid import Vapid

from engineers.models import Engineer, PushSubscription

MAX_SUBSCRIPTIONS = 10


class BadSubscription(Exception):
    """Not an address to which notices may go, or no keys of a browser."""


def public_key() -> str:
    """What a browser must know to subscribe; empty while no key is set."""
    if not settings.VAPID_PRIVATE_KEY:
        return ""
    point = signing_key().public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).decode().rstrip("=")


def signing_key() -> Vapid:
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
    # a browser writes addresses in ASCII; other letters have more bytes than an index of PostgreSQL has room for
    is_short = endpoint.isascii() and len(endpoint) <= 1000
    return known and parts.scheme in schemes and "@" not in parts.netloc and is_short


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def unsubscribe(*, engineer: Engineer, endpoint: str) -> None:
    PushSubscription.objects.filter(engineer=engineer, endpoint=endpoint).delete()
