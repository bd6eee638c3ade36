"""Access tokens: made and revoked by a supervisor, looked up with each request."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from dispatch.problems import ActionRefused, Problem
from engineers import caching
from engineers.audit import LOOK, record_audit, record_look
from engineers.models import Area, User
from engineers.sign_in.sign_in_links import hash_secret, new_secret
from partner_api.models import AccessToken, Scope

# by it a secret that was published by mistake is recognised
PREFIX = "fdt_"
START_CHARACTERS = 10
USED_EVERY = timedelta(minutes=1)
# until it expires; without an end it never does
MAX_DAYS = 3650


@dataclass(frozen=True)
class IssuedToken:
    """The secret is known only here, and only now."""

    token: AccessToken
    secret: str


class TokenRefused(ActionRefused):
    """No name, an unknown scope or none at all, or an end in the past; nothing was made."""


@transaction.atomic
def issue(
    *,
    name: str,
    scopes: Iterable[str],
    areas: Collection[Area] = (),
    expires_at: datetime | None = None,
    by: User | None,
) -> IssuedToken:
    """A new token, limited to `areas` where there are any. Audited. Raises TokenRefused."""
    wanted, now, secret = sorted(set(scopes)), timezone.now(), f"{PREFIX}{new_secret()}"
    _refuse(name, wanted, expires_at, now)
    token = AccessToken.objects.create(
        name=name.strip(),
        secret_sha256=hash_secret(secret),
        start=secret[:START_CHARACTERS],
        scopes=wanted,
        is_limited_to_areas=bool(areas),
        created_by=by,
        created_at=now,
        expires_at=expires_at,
    )
    token.areas.set(areas)
    after = {"scopes": wanted, "areas": sorted(area.name for area in areas)}
    record_audit(actor=by, action="access_token_issued", subject=token.name, after=after)
    return IssuedToken(token, secret)


def _refuse(name: str, scopes: list[str], expires_at: datetime | None, now: datetime) -> None:
    problems = []
    if not name.strip() or len(name.strip()) > 80:
        text = _("Enter the name of the system that will use the token, at most 80 characters.")
        problems.append(Problem("name_missing", "name", text))
    if not scopes or set(scopes) - set(Scope.values):
        text = _("Choose at least one of these scopes: %(scopes)s.") % {"scopes": ", ".join(Scope.values)}
        problems.append(Problem("unknown_scope", "scopes", text))
    if expires_at and expires_at <= now:
        problems.append(Problem("expired", "expires_at", _("Choose an end that is still to come.")))
    if problems:
        raise TokenRefused(problems)


@transaction.atomic
def revoke(*, pk: int, by: User | None) -> bool:
    """Whether it could still be used; from now on it opens nothing. Audited."""
    now = timezone.now()
    token = AccessToken.objects.select_for_update().filter(pk=pk, revoked_at=None).first()
    if token is None:
        return False
    token.revoked_at = now
    token.save(update_fields=["revoked_at"])
    record_audit(actor=by, action="access_token_revoked", subject=token.name)
    return True


def find(secret: str) -> AccessToken | None:
    """The token of this secret while it can be used, with its areas; two queries, and one more a minute."""
    now = timezone.now()
    usable = AccessToken.objects.usable(now).prefetch_related("areas")
    token = usable.filter(secret_sha256=hash_secret(secret)).first()
    if token and (token.last_used_at is None or now - token.last_used_at >= USED_EVERY):
        stale = Q(last_used_at=None) | Q(last_used_at__lte=now - USED_EVERY)
        AccessToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)
    return token


def record_engineers_read(token: AccessToken, action: str) -> None:
    """In the audit, once an hour for each token and action, as a person's look at a page. The cache saves the question
    whether it stands there already; without it the audit is asked."""
    now, name = timezone.now(), f"look {action} {token.pk}"
    known = caching.find(name)
    if known is None or abs(now - known) >= LOOK:
        record_look(None, action, token.name, {"token": token.pk})
        caching.store(name, now, seconds=int(LOOK.total_seconds()))


def record_customers_read(token: AccessToken) -> None:
    """In the audit, once an hour for each token, as a person's look at a page."""
    now, before = timezone.now(), token.customers_read_at
    # one of a clock that was far ahead stands for no look of today
    if before is not None and abs(now - before) < LOOK:
        return
    with transaction.atomic():
        unchanged = AccessToken.objects.filter(pk=token.pk, customers_read_at=before)
        if unchanged.update(customers_read_at=now):
            facts = {"token": token.pk}
            record_audit(actor=None, action="customers_read_by_token", subject=token.name, after=facts)
