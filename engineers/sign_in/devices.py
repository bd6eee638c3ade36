"""Where people are signed in: browsers and phones, as their sessions say."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils import timezone

from engineers import staff
from engineers.audit import record_audit
from engineers.models import User
from engineers.sessions import RENEWED_AT, SIGNED_IN_AT, USER_AGENT

# the first that is found counts: Edge also calls itself Chrome, and Chrome also Safari
BROWSERS = (("Edge", "Edg"), ("Firefox", "Firefox|FxiOS"), ("Chrome", "Chrome|CriOS"), ("Safari", "Safari"))
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("macOS", "Mac OS"),
    ("Linux", "Linux"),
)


@dataclass(frozen=True)
class SignedInDevice:
    """`name` is browser and system, as far as they can be told; `used_at` is at most an hour old while it is used."""

    user_id: str
    name: str
    signed_in_at: datetime | None
    used_at: datetime | None


def list_devices(user_ids: Iterable[int] | None = None) -> dict[int, list[SignedInDevice]]:
    """By user, the latest used first; of everybody without `user_ids`. One query."""
    wanted = None if user_ids is None else {str(user_id) for user_id in user_ids}
    found: dict[int, list[SignedInDevice]] = {}
    for session in Session.objects.filter(expire_date__gte=timezone.now()):
        data = session.get_decoded()
        user_id = data.get(SESSION_KEY)
        if user_id and (wanted is None or user_id in wanted):
            found.setdefault(int(user_id), []).append(_device(user_id, data))
    for devices in found.values():
        devices.sort(key=_used, reverse=True)
    return found


def _used(device: SignedInDevice) -> float:
    return device.used_at.timestamp() if device.used_at else 0


def _device(user_id: str, data: dict[str, object]) -> SignedInDevice:
    signed_in_at = _moment(data.get(SIGNED_IN_AT))
    used_at = _moment(data.get(RENEWED_AT)) or signed_in_at
    return SignedInDevice(user_id, describe_user_agent(str(data.get(USER_AGENT, ""))), signed_in_at, used_at)


def _moment(seconds: object) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if isinstance(seconds, int) else None


def describe_user_agent(text: str) -> str:
    """`Chrome, Android`; empty for what names neither."""
    names = [
        next((name for name, pattern in known if re.search(pattern, text)), "")
        for known in (BROWSERS, SYSTEMS)
    ]
    return ", ".join(name for name in names if name)


@transaction.atomic
def sign_out_everywhere(*, user: User, by: User) -> None:
    """All access ends (staff.end_access). What a phone has not sent stays on it."""
    staff.end_access(user)
    record_audit(actor=by, action="signed_out_everywhere", subject=user.username)
