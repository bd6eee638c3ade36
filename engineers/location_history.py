"""Where engineers were: coarsely while driving, if they agree, and for a time that everybody can read.

At the states of a job the exact place is a fact of that job; dispatch.retention rounds it after the time
for disputes.
"""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from engineers import staff
from engineers.audit import record_audit
from engineers.models import DrivingPosition, Engineer, LastPosition, PhoneMessage
from engineers.retention import in_batches_of_their_index
from engineers.staff import Position

# 0.01 degrees of latitude are 1.1 km
DECIMALS = 2
RECORD_INTERVAL = timedelta(minutes=5)
DRIVING = "driving"
BATCH_SIZE = 200


@transaction.atomic
def grant_consent(engineer: Engineer) -> None:
    """The engineer lets coarse positions be kept while driving."""
    fresh = Engineer.objects.filter(pk=engineer.pk, shares_position_since=None)
    if fresh.update(shares_position_since=timezone.now()):
        record_audit(actor=engineer.user, action="position_agreed", subject=engineer.staff_number)


@transaction.atomic
def revoke_consent(engineer: Engineer) -> None:
    """And takes it back: what was kept is deleted at once."""
    shared = Engineer.objects.filter(pk=engineer.pk).exclude(shares_position_since=None)
    if shared.update(shares_position_since=None):
        record_audit(actor=engineer.user, action="position_withdrawn", subject=engineer.staff_number)
    driven = DrivingPosition.objects.filter(engineer=engineer)
    LastPosition.objects.filter(engineer=engineer, taken_at__in=driven.values("taken_at")).delete()
    driven.delete()


@transaction.atomic
def record_driving(*, engineer: Engineer, position: Position, taken_at: datetime) -> bool:
    """Keep it rounded, one per RECORD_INTERVAL, and only of who agrees; whether it was kept."""
    engineer = Engineer.objects.select_for_update().get(pk=engineer.pk)
    since = engineer.shares_position_since
    if position.latitude is None or position.longitude is None or since is None or taken_at < since:
        return False
    near = DrivingPosition.objects.filter(
        engineer=engineer, taken_at__gt=taken_at - RECORD_INTERVAL, taken_at__lt=taken_at + RECORD_INTERVAL
    )
    if near.exists():
        return False
    latitude, longitude = coarse_coordinate(position.latitude), coarse_coordinate(position.longitude)
    DrivingPosition.objects.create(
        engineer=engineer, latitude=latitude, longitude=longitude, taken_at=taken_at
    )
    staff.record_position(engineer=engineer, position=Position(latitude, longitude, 1000), taken_at=taken_at)
    return True


def coarse_coordinate(degrees: float) -> float:
    return round(degrees, DECIMALS)


def coarse_position(position: Any) -> Any:
    """A position as phones say it, without what would make it exact."""
    if not isinstance(position, dict):
        return position
    degrees = {name: position.get(name) for name in ("latitude", "longitude")}
    return {
        name: coarse_coordinate(value) for name, value in degrees.items() if isinstance(value, int | float)
    }


def coarse_entry(entry: Any) -> Any:
    """The entry as it may be stored: a place from the way is kept in DrivingPosition only, where withdrawing consent
    deletes it with one statement. The message stays by its id and hash, so that a repetition is known."""
    return {**entry, "body": {}} if entry["kind"] == DRIVING else entry


def purge_expired(now: datetime) -> None:
    """By rule: what is older than POSITION_KEPT_DAYS of the way, and of each engineer's last place."""
    old = now - timedelta(days=settings.POSITION_KEPT_DAYS)
    DrivingPosition.objects.filter(taken_at__lt=old).delete()
    LastPosition.objects.filter(taken_at__lt=old).delete()


def exact_phone_messages(before: datetime) -> QuerySet[PhoneMessage]:
    """With an exact location from before that moment; by the index of those (phone_message_exact)."""
    exact = PhoneMessage.objects.filter(occurred_at__lt=before, body__body__has_key="position")
    return exact.exclude(body__has_key="rounded").order_by()


def coarsen_phone_messages(before: datetime) -> None:
    """The exact locations that phones sent before that moment."""
    in_batches_of_their_index(exact_phone_messages(before), _coarsen, size=BATCH_SIZE)


def _coarsen(exact: QuerySet[PhoneMessage]) -> None:
    messages = list(exact)
    for message in messages:
        message.body = _rounded(message.body)
    PhoneMessage.objects.bulk_update(messages, ["body"])


def _rounded(entry: dict[str, Any]) -> dict[str, Any]:
    body = entry["body"]
    return {**entry, "body": {**body, "position": coarse_position(body["position"])}, "rounded": True}


def map_link(latitude: float, longitude: float) -> str:
    """The place on a map; empty when none is set."""
    return _fill_link(settings.MAP_LINK_URL, latitude, longitude)


def navigation_link(latitude: float, longitude: float) -> str:
    """The way there: opens the phone's own navigation; empty when none is set."""
    return _fill_link(settings.NAVIGATION_URL, latitude, longitude)


def _fill_link(pattern: str, latitude: float, longitude: float) -> str:
    return pattern.replace("{latitude}", f"{latitude:.6f}").replace("{longitude}", f"{longitude:.6f}")
