"""Accounts of the office, dispatchers and supervisors: created, changed, suspended, signed out.

Nobody changes the own role or areas or suspends the own account, one supervisor who can sign in always remains, only a
superuser changes a superuser, and nobody touches or makes an account that may do or see more than the own one.
"""

from dataclasses import asdict, dataclass
from enum import StrEnum

from django.conf import settings
from django.db import IntegrityError, transaction

from engineers import staff
from engineers.area_scope import scope_of
from engineers.audit import record_audit
from engineers.current_scope import AreaScope
from engineers.models import Area, AreaLimit, Role, User
from engineers.models.roles import OFFICE
from engineers.refusals import NameTaken
from engineers.rights import rights_of_roles
from engineers.sign_in import devices, second_factor

# of an account that was renamed: by it the erasure of personal data finds the names before
RENAMED = "person_changed"


class AccountRule(StrEnum):
    OWN_ACCOUNT = "own_account"
    LAST_SUPERVISOR = "last_supervisor"
    SUPERUSER = "superuser"
    MORE_RIGHTS = "more_rights"
    ERASED = "erased"


class AccountRefused(Exception):
    """This account may not be changed so by this person."""

    def __init__(self, rule: AccountRule) -> None:
        super().__init__(rule)
        self.rule = rule


class AccountChanged(Exception):
    """Somebody else has changed the account since the form was opened."""


class AreaGone(Exception):
    """Somebody has renamed or deleted one of the areas since they were chosen."""


@dataclass(frozen=True)
class AccountRecord:
    """`areas`: the names of those that the person is limited to, sorted; empty for nobody who is limited."""

    username: str
    name: str
    role: str
    email: str = ""
    areas: tuple[str, ...] = ()


def read_account(user: User) -> AccountRecord:
    areas = sorted(user.area_limits.values_list("area__name", flat=True)) if user.pk else ()
    return AccountRecord(user.username, user.get_full_name(), user.role, user.email, tuple(areas))


def refusal_of(user: User, *, by: User) -> AccountRule | None:
    """Why `by` may change nothing about this account, or make no link to it; an erased one is over for good."""
    if user.anonymised_at:
        return AccountRule.ERASED
    if user.is_superuser and not by.is_superuser:
        return AccountRule.SUPERUSER
    if not user.is_office:
        return None
    is_above = not user.rights <= by.rights or not scope_of(by).covers(scope_of(user))
    return AccountRule.MORE_RIGHTS if is_above else None


def check_authority(user: User, *, by: User) -> None:
    """Raises AccountRefused where only a superuser, or somebody with more rights, may change this account."""
    rule = refusal_of(user, by=by)
    if rule:
        raise AccountRefused(rule)


def _check_record(record: AccountRecord, *, by: User) -> None:
    """Whether `by` has everything that an account with this record would have."""
    areas = frozenset(Area.objects.filter(name__in=record.areas).values_list("pk", flat=True))
    is_covered = scope_of(by).covers(AreaScope(areas or None))
    if not is_covered or not rights_of_roles()[record.role] <= by.rights:
        raise AccountRefused(AccountRule.MORE_RIGHTS)


def given_roles(by: User) -> list[Role]:
    """The roles of the office that `by` can give: those that may do nothing that `by` may not."""
    rights = rights_of_roles()
    return [role for role in Role if role in OFFICE and rights[role] <= by.rights]


def create_account(*, record: AccountRecord, by: User) -> User:
    """An account without a password: a sign-in link gives one. The same twice, before anybody has signed in, makes one.
    Raises AccountRefused, AreaGone, NameTaken."""
    _check_record(record, by=by)
    try:
        return _known_account(record, by=by) or _hire(record, by=by)
    except IntegrityError as problem:
        # the same form at the same moment
        known = _known_account(record, by=by)
        if known is None:
            raise NameTaken(record.username) from problem
        return known


@transaction.atomic
def _hire(record: AccountRecord, *, by: User) -> User:
    user = staff.hire_office(
        username=record.username, password=None, name=record.name, role=Role(record.role), by=by
    )
    _write(user, record)
    return user


def _known_account(record: AccountRecord, *, by: User) -> User | None:
    known = User.objects.filter(username__iexact=record.username).first()
    if known and (known.has_usable_password() or read_account(known) != record):
        raise NameTaken(known.username)
    if known:
        # it is given a link, as on its own page
        check_authority(known, by=by)
    return known


@transaction.atomic
def change_account(*, user: User, record: AccountRecord, seen: AccountRecord, by: User) -> list[str]:
    """The names of the changed facts; `seen` is the record that the form began with.

    Raises AccountChanged, AccountRefused, AreaGone, NameTaken.
    """
    user = _locked(user, by=by)
    stored = read_account(user)
    changed = [name for name, value in asdict(record).items() if value != getattr(stored, name)]
    if not changed:
        return []
    if stored != seen:
        raise AccountChanged
    if {"role", "areas"} & {*changed}:
        _check_role(user, by=by)
        _check_record(record, by=by)
    _write(user, record)
    if {"role", "areas", "email"} & {*changed}:
        staff.end_mailed_links(user)
    before, after = ({name: getattr(facts, name) for name in changed} for facts in (stored, record))
    record_audit(actor=by, action=RENAMED, subject=user.username, before=before, after=after)
    return changed


def _write(user: User, record: AccountRecord) -> None:
    if User.objects.filter(username__iexact=record.username).exclude(pk=user.pk).exists():
        raise NameTaken(record.username)
    user.username, user.role, user.email = record.username, record.role, record.email
    user.first_name, user.last_name = staff.split_name(record.name)
    user.is_staff = user.is_superuser or user.role == Role.SUPERVISOR
    try:
        with transaction.atomic():
            user.save(update_fields=["username", "role", "email", "first_name", "last_name", "is_staff"])
    except IntegrityError as problem:
        raise NameTaken(record.username) from problem
    user.area_limits.exclude(area__name__in=record.areas).delete()
    wanted = list(Area.objects.filter(name__in=record.areas))
    if len(wanted) < len(record.areas):
        # without its last area, the account would see all of them
        raise AreaGone
    AreaLimit.objects.bulk_create([AreaLimit(user=user, area=area) for area in wanted], ignore_conflicts=True)


@transaction.atomic
def suspend_account(*, user: User, by: User) -> bool:
    """Whether it was active. Raises AccountRefused."""
    user = _locked(user, by=by)
    if not user.is_active:
        return False
    _check_role(user, by=by)
    staff.suspend(user=user, by=by)
    return True


@transaction.atomic
def reinstate_account(*, user: User, by: User) -> bool:
    """Whether it was suspended. Raises AccountRefused."""
    user = _locked(user, by=by)
    if user.is_active:
        return False
    staff.reinstate(user=user, by=by)
    return True


@transaction.atomic
def sign_out_everywhere(*, user: User, by: User) -> None:
    """Raises AccountRefused."""
    check_authority(user, by=by)
    devices.sign_out_everywhere(user=user, by=by)


@transaction.atomic
def reset_second_factor(*, user: User, by: User) -> None:
    """Raises AccountRefused, also for the own account: there a new telephone has a page of its own."""
    check_authority(user, by=by)
    if user.pk == by.pk:
        raise AccountRefused(AccountRule.OWN_ACCOUNT)
    second_factor.reset(user=user, by=by)


def _locked(user: User, *, by: User) -> User:
    """This account as it is now; with it every supervisor, so that two cannot remove each other at the same moment."""
    keys = [user.pk, *User.objects.filter(role=Role.SUPERVISOR).values_list("pk", flat=True)]
    locked = {
        found.pk: found for found in User.objects.select_for_update().filter(pk__in=keys).order_by("pk")
    }
    check_authority(locked[user.pk], by=by)
    return locked[user.pk]


def _check_role(user: User, *, by: User) -> None:
    """Whether this account may lose its role or its access."""
    if user.pk == by.pk:
        raise AccountRefused(AccountRule.OWN_ACCOUNT)
    others = User.objects.filter(role=Role.SUPERVISOR, is_active=True).exclude(pk=user.pk)
    if user.role == Role.SUPERVISOR and not any(map(_can_sign_in, others)):
        raise AccountRefused(AccountRule.LAST_SUPERVISOR)


def _can_sign_in(user: User) -> bool:
    """With a password, or with an account of the company's provider that was used before."""
    provider = settings.SIGN_IN.provider
    issuer = provider.issuer if provider else None
    return user.has_usable_password() or user.company_identities.filter(issuer=issuer).exists()
