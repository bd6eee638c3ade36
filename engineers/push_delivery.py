"""Notices to engineers' phones by web push: a hint that something changed, never the only source of it.

For the worker only: pywebpush loads aiohttp.
"""

import json
from dataclasses import asdict, dataclass

import requests
from django.conf import settings
from pywebpush import WebPushException, webpush

from engineers.models import PushSubscription
from engineers.push import signing_key

SECONDS = 10
# later than that it is of no use; the day shows it anyway
TTL_SECONDS = 12 * 3600
STATUS_GONE = frozenset({404, 410})


class NotSent(Exception):
    """The service did not take it this time."""


@dataclass(frozen=True)
class PushNotification:
    """What the phone shows, and which page opens; a newer one with the same tag replaces it."""

    title: str
    body: str
    url: str
    tag: str


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
                vapid_private_key=signing_key(),
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
