"""The secret address of an engineer's calendar. Only a hash is stored: a lost address is replaced, not shown again."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from engineers.audit import record_audit
from engineers.models import CalendarFeed, Engineer, User
from engineers.sign_in.sign_in_links import hash_secret, new_secret

# calendar applications ask every few minutes; the row is not written each time
READ_EVERY = timedelta(hours=1)


@transaction.atomic
def issue(*, engineer: Engineer, by: User) -> str:
    """The secret of a new address; the one before ends."""
    secret = new_secret()
    fields = {"secret_sha256": hash_secret(secret), "created_at": timezone.now(), "last_read_at": None}
    CalendarFeed.objects.update_or_create(engineer=engineer, defaults=fields)
    record_audit(actor=by, action="calendar_feed_issued", subject=engineer.user.username)
    return secret


@transaction.atomic
def revoke(*, engineer: Engineer, by: User) -> None:
    """Nothing happens where there was none."""
    if CalendarFeed.objects.filter(engineer=engineer).delete()[0]:
        record_audit(actor=by, action="calendar_feed_revoked", subject=engineer.user.username)


def has_address(user: User) -> bool:
    """Whether this is an engineer with a calendar address: it goes on when every sign-in ends."""
    return CalendarFeed.objects.filter(engineer__user=user).exists()


def find(secret: str) -> CalendarFeed | None:
    """The feed of an engineer whose account is active."""
    feeds = CalendarFeed.objects.filter(engineer__user__is_active=True).select_related("engineer__user")
    return feeds.filter(secret_sha256=hash_secret(secret)).first()


def note_read(feed: CalendarFeed) -> None:
    now = timezone.now()
    if feed.last_read_at is None or now - feed.last_read_at > READ_EVERY:
        CalendarFeed.objects.filter(pk=feed.pk).update(last_read_at=now)
