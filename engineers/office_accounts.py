"""Accounts of the office, dispatchers and supervisors: created, changed, suspended, signed out.

Nobody changes the own role or suspends the own account, one supervisor who can sign in always remains, and only a
superuser changes a superuser.
"""

from dataclasses import asdict, dataclass
from enum import StrEnum

from django.db import IntegrityError, transaction

from engineers import devices, second_factor, staff
from engineers.models import Role, User
from engineers.refusals import NameTaken

# of an account that was renamed: by it the erasure of personal data finds the names before
RENAMED = "person_changed"


class AccountRule(StrEnum):
    OWN_ACCOUNT = "own_account"
    LAST_SUPERVISOR = "last_supervisor"
    SUPERUSER = "superuser"


class AccountRefused(Exception):
    """This account may not be changed so by this person."""

    def __init__(self, rule: AccountRule) -> None:
        super().__init__(rule)
        self.rule = rule


class AccountChanged(Exception):
    """Somebody else has changed the account since the form was opened."""


@dataclass(frozen=True)
class AccountRecord:
    username: str
    name: str
    role: str


def read_account(user: User) -> AccountRecord:
    return AccountRecord(user.username, user.get_full_name(), user.role)


def check_authority(user: User, *, by: User) -> None:
    """Raises AccountRefused where only a superuser may change this account."""
    if user.is_superuser and not by.is_superuser:
        raise AccountRefused(AccountRule.SUPERUSER)


def create_account(*, record: AccountRecord, by: User) -> User:
    """An account without a password: a sign-in link gives one. The same twice, before anybody has signed in, makes one.
    Raises NameTaken."""
    try:
        return _known_account(record) or staff.hire_office(
            username=record.username, password=None, name=record.name, role=Role(record.role), by=by
        )
    except IntegrityError as problem:
        # the same form at the same moment
        known = _known_account(record)
        if known is None:
            raise NameTaken(record.username) from problem
        return known


def _known_account(record: AccountRecord) -> User | None:
    known = User.objects.filter(username__iexact=record.username).first()
    if known and (known.has_usable_password() or read_account(known) != record):
        raise NameTaken(known.username)
    return known


@transaction.atomic
def change_account(*, user: User, record: AccountRecord, seen: AccountRecord, by: User) -> list[str]:
    """The names of the changed facts; `seen` is the record that the form began with.

    Raises AccountChanged, AccountRefused, NameTaken.
    """
    user = _locked(user, by=by)
    stored = read_account(user)
    changed = [name for name, value in asdict(record).items() if value != getattr(stored, name)]
    if not changed:
        return []
    if stored != seen:
        raise AccountChanged
    if "role" in changed:
        _check_role(user, by=by)
    _write(user, record)
    before, after = ({name: getattr(facts, name) for name in changed} for facts in (stored, record))
    staff.record_audit(actor=by, action=RENAMED, subject=user.username, before=before, after=after)
    return changed


def _write(user: User, record: AccountRecord) -> None:
    if User.objects.filter(username__iexact=record.username).exclude(pk=user.pk).exists():
        raise NameTaken(record.username)
    user.username, user.role = record.username, record.role
    user.first_name, user.last_name = staff.split_name(record.name)
    user.is_staff = user.is_superuser or user.role == Role.SUPERVISOR
    try:
        with transaction.atomic():
            user.save(update_fields=["username", "role", "first_name", "last_name", "is_staff"])
    except IntegrityError as problem:
        raise NameTaken(record.username) from problem


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
    if user.role == Role.SUPERVISOR and not any(other.has_usable_password() for other in others):
        raise AccountRefused(AccountRule.LAST_SUPERVISOR)
