"""Whose account it is that signs in with the company's provider: by the provider's subject, else by a verified e-mail
address that one account has. An account is made only where OIDC_NEW_ACCOUNT_ROLE names its role."""

import re
from collections.abc import Mapping
from enum import StrEnum
from itertools import count
from typing import Any, Protocol

from django.db import IntegrityError, transaction
from django.utils import timezone

from engineers import staff
from engineers.audit import record_audit
from engineers.models import CompanyIdentity, Role, User

MOST_CHARACTERS = 100


class CompanyProvider(Protocol):
    """What is read here of SIGN_IN.provider (config/connections.py)."""

    @property
    def issuer(self) -> str: ...
    @property
    def new_account_role(self) -> str: ...
    @property
    def second_factors(self) -> frozenset[str]: ...


class SignInRule(StrEnum):
    NO_ACCOUNT = "no_account"
    EMAIL_UNVERIFIED = "email_unverified"
    SUSPENDED = "suspended"


class ProviderUnavailable(Exception):
    """The provider does not answer, or not as a provider does."""


class ProviderBusy(ProviderUnavailable):
    """More people sign in at this moment than may wait for the provider; a new try helps."""


class ProviderRefused(Exception):
    """What came back is no proof of who somebody is; the text is for the log and names nobody."""


class SignInRefused(Exception):
    """The provider knows the person, and we do not let them in."""

    def __init__(self, rule: SignInRule) -> None:
        super().__init__(rule)
        self.rule = rule


def find_account(claims: Mapping[str, Any], *, provider: CompanyProvider) -> User:
    """`claims` are checked ones. Raises SignInRefused."""
    subject = str(claims["sub"])
    user: User | None
    try:
        user = (
            _known(subject, provider)
            or _linked(claims, subject, provider)
            or _made(claims, subject, provider)
        )
    except IntegrityError:
        # the same person in two windows at once: the other one has made the account
        user = _known(subject, provider)
    if user is None:
        raise SignInRefused(SignInRule.NO_ACCOUNT)
    if not user.is_active:
        raise SignInRefused(SignInRule.SUSPENDED)
    return user


def has_second_factor(claims: Mapping[str, Any], *, provider: CompanyProvider) -> bool:
    """Whether the token says that the provider has asked for one."""
    methods = claims.get("amr") or []
    stated = {str(method) for method in methods} if isinstance(methods, list) else set()
    return bool(provider.second_factors & {*stated, str(claims.get("acr", ""))})


def _known(subject: str, provider: CompanyProvider) -> User | None:
    found = CompanyIdentity.objects.filter(issuer=provider.issuer, subject=subject)
    identity = found.select_related("user").first()
    return identity.user if identity else None


def _linked(claims: Mapping[str, Any], subject: str, provider: CompanyProvider) -> User | None:
    """An account with this address that no other company account has. Two with one address are none."""
    email = str(claims.get("email", "")).strip()
    if not email:
        return None
    found = [user for user in User.objects.filter(email__iexact=email) if _has_address(user, email)]
    if len(found) != 1 or found[0].company_identities.filter(issuer=provider.issuer).exists():
        return None
    if claims.get("email_verified") is not True:
        raise SignInRefused(SignInRule.EMAIL_UNVERIFIED)
    if found[0].is_active:
        _link(found[0], subject, provider)
    return found[0]


def _has_address(user: User, email: str) -> bool:
    """Only the case of ASCII letters does not matter. PostgreSQL takes more letters for the same: `ı` for `i`, which
    may be the domain of somebody else."""
    return user.email.encode().lower() == email.encode().lower()


@transaction.atomic
def _link(user: User, subject: str, provider: CompanyProvider) -> None:
    """Raises IntegrityError where another request has done the same."""
    CompanyIdentity.objects.create(
        user=user, issuer=provider.issuer, subject=subject, linked_at=timezone.now()
    )
    record_audit(actor=user, action="identity_linked", subject=user.username)


def _made(claims: Mapping[str, Any], subject: str, provider: CompanyProvider) -> User:
    if not provider.new_account_role:
        raise SignInRefused(SignInRule.NO_ACCOUNT)
    email = str(claims.get("email", "")).strip()
    if User.objects.filter(email__iexact=email).exclude(email="").exists():
        raise SignInRefused(SignInRule.NO_ACCOUNT)
    with transaction.atomic():
        name = str(claims.get("name") or claims.get("preferred_username") or email or subject)
        user = staff.hire_office(
            username=_free_username(claims, subject),
            password=None,
            name=name[:MOST_CHARACTERS],
            role=Role(provider.new_account_role),
        )
        if claims.get("email_verified") is True:
            user.email = email[:254]
            user.save(update_fields=["email"])
        _link(user, subject, provider)
    return user


def _free_username(claims: Mapping[str, Any], subject: str) -> str:
    wanted = str(
        claims.get("preferred_username") or str(claims.get("email", "")).partition("@")[0] or subject
    )
    # as the form of the sign-in reads it
    base = re.sub(r"[^\w.@+-]", "", User.normalize_username(wanted))[:MOST_CHARACTERS] or "person"
    names = (base if number == 1 else f"{base}{number}" for number in count(1))
    return next(name for name in names if not User.objects.filter(username__iexact=name).exists())
