"""One-time links: whoever opens one chooses a password and is signed in. For a new engineer's phone, and instead of a
password that a supervisor would know.

Only a hash of the secret is stored, so that a copy of the database opens nothing.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from engineers import staff
from engineers.area_scope import scope_of
from engineers.audit import record_audit
from engineers.current_scope import limited_to
from engineers.models import Engineer, Right, Role, SignInLink, SignInLinkQuerySet, User
from engineers.office_accounts import refusal_of

SECRET_BYTES = 24
# to one person within an hour
MOST_MAILS = 3


@dataclass(frozen=True)
class IssuedLink:
    """The secret is known only here, and only now."""

    secret: str
    expires_at: datetime


class LinkUsed(Exception):
    """It was used, has expired or never existed; whoever has it needs a new one."""


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def new_secret() -> str:
    """192 random bits as text for an address."""
    return secrets.token_urlsafe(SECRET_BYTES)


@transaction.atomic
def issue(*, user: User, by: User) -> IssuedLink:
    """A new link; earlier ones of this person end. Sessions and the old password go on until it is used."""
    user.sign_in_links.all().delete()
    issued = _create(user, by=by, lifetime=timedelta(hours=settings.SIGN_IN_LINK_HOURS))
    record_audit(actor=by, action="sign_in_link_issued", subject=user.username)
    return issued


@transaction.atomic
def issue_for_mail(*, user: User) -> IssuedLink | None:
    """For somebody who has forgotten the password; None where MOST_MAILS went out within the hour. It ends no link of
    a supervisor: anybody can ask for it."""
    User.objects.select_for_update().get(pk=user.pk)
    lately = timezone.now() - timedelta(hours=1)
    if user.sign_in_links.filter(created_by=None, created_at__gt=lately).count() >= MOST_MAILS:
        return None
    issued = _create(user, by=None, lifetime=timedelta(minutes=settings.SIGN_IN.password_reset_minutes))
    record_audit(actor=None, action="password_reset_requested", subject=user.username)
    return issued


def right_to_issue(user: User) -> Right:
    """What somebody needs who makes a link to this account."""
    return Right.CHANGE_PEOPLE if user.role == Role.ENGINEER else Right.MANAGE_ACCOUNTS


def withdraw(issued: IssuedLink) -> None:
    """As if it had not been issued."""
    SignInLink.objects.filter(secret_sha256=hash_secret(issued.secret)).delete()


def _create(user: User, *, by: User | None, lifetime: timedelta) -> IssuedLink:
    now = timezone.now()
    issued = IssuedLink(new_secret(), now + lifetime)
    SignInLink.objects.create(
        user=user,
        secret_sha256=hash_secret(issued.secret),
        created_by=by,
        created_at=now,
        expires_at=issued.expires_at,
    )
    return issued


def find(secret: str) -> SignInLink | None:
    """The link while it can be used, and whoever made it could still make it. Looking at it uses nothing: chat programs
    open every link they see."""
    return _find(secret, SignInLink.objects.all())


def _find(secret: str, links: SignInLinkQuerySet) -> SignInLink | None:
    usable = links.usable(timezone.now()).select_related("user", "created_by")
    link = usable.filter(secret_sha256=hash_secret(secret)).first()
    return link if link and _could_be_issued_now(link) else None


def _could_be_issued_now(link: SignInLink) -> bool:
    """Its account may have gained rights since, and whoever made the link may have lost theirs: who knows the link
    must not get more by it than by making another one."""
    user, by = link.user, link.created_by
    if by is None or by == user:
        # by mail, or made at the server (manage.py first_supervisor)
        return True
    may_issue = by.is_active and by.may(right_to_issue(user)) and refusal_of(user, by=by) is None
    return may_issue and _is_in_areas_of(by, user)


def _is_in_areas_of(by: User, user: User) -> bool:
    """`refusal_of` compares the areas of an office account; an engineer works in some."""
    if not hasattr(user, "engineer"):
        return True
    with limited_to(scope_of(by)):
        return Engineer.objects.in_scope().filter(user=user).exists()


@transaction.atomic
def use(*, secret: str, password: str) -> User:
    """The password counts from now on, all access of before ends, and the link is used up. Raises LinkUsed."""
    found = find(secret)
    # the account before its links, as whoever suspends or changes one locks them
    if found and User.objects.select_for_update().filter(pk=found.user_id).exists():
        found = _find(secret, SignInLink.objects.select_for_update(of=("self",)))
    if found is None:
        raise LinkUsed
    return _use(found, password=password)


def _use(link: SignInLink, *, password: str) -> User:
    link.used_at = timezone.now()
    link.save(update_fields=["used_at"])
    user = link.user
    user.sign_in_links.filter(used_at=None).delete()
    user.set_password(password)
    user.must_change_password = False
    user.save(update_fields=["password", "must_change_password"])
    staff.end_access(user)
    record_audit(actor=user, action="sign_in_link_used", subject=user.username)
    return user
