"""The list of office accounts, and the page of one."""

from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django_otp.plugins.otp_totp.models import TOTPDevice

from board import formatting
from board.people.access_panel import AccessPanel, account_addresses, build_access_panel
from board.people.record_forms import AccountForm
from engineers.models import Right, Role, User
from engineers.office_accounts import given_roles, read_account
from engineers.sign_in.devices import list_devices


@dataclass(frozen=True)
class AccountLine:
    """`role` is its label; `second_factor` empty where it is neither set up nor required."""

    pk: int
    name: str
    username: str
    role: str
    areas: str
    is_active: bool
    can_sign_in: bool
    has_second_factor: bool
    last_sign_in: str


@dataclass(frozen=True)
class AccountsPage:
    """`form` adds an account."""

    lines: list[AccountLine]
    is_second_factor_required: bool
    form: AccountForm


@dataclass(frozen=True)
class AccountPage:
    """`access` and `form` only for whoever manages accounts, `form` not for an account that they may not change."""

    pk: int
    name: str
    is_active: bool
    is_own: bool
    facts: list[tuple[str, str]]
    access: AccessPanel | None
    form: AccountForm | None


def office_accounts() -> QuerySet[User]:
    """Everybody who is no engineer: who is active first, by name."""
    return User.objects.filter(engineer=None).order_by("-is_active", "first_name", "last_name", "username")


def build_accounts_page(form: AccountForm) -> AccountsPage:
    """Three queries, however many accounts there are."""
    secured = set(TOTPDevice.objects.filter(confirmed=True).values_list("user", flat=True))
    accounts = office_accounts().prefetch_related("limited_areas")
    return AccountsPage(
        lines=[_line(user, has_second_factor=user.pk in secured) for user in accounts],
        is_second_factor_required=settings.REQUIRE_SECOND_FACTOR,
        form=form,
    )


def _line(user: User, *, has_second_factor: bool) -> AccountLine:
    return AccountLine(
        pk=user.pk,
        name=user.display_name,
        username=user.username,
        role=_role(user),
        areas=_areas(user),
        is_active=user.is_active,
        can_sign_in=user.has_usable_password(),
        has_second_factor=has_second_factor,
        last_sign_in=_last_sign_in(user),
    )


def _role(user: User) -> str:
    if user.is_superuser:
        return _("Superuser")
    return str(Role(user.role).label) if user.role in Role.values else user.role


def _areas(user: User) -> str:
    return ", ".join(sorted(area.name for area in user.limited_areas.all()))


def _last_sign_in(user: User) -> str:
    return formatting.format_moment(user.last_login) if user.last_login else ""


def build_account_page(user: User, *, by: User, form: AccountForm | None = None) -> AccountPage:
    access = _access(user, by) if by.may(Right.MANAGE_ACCOUNTS) else None
    return AccountPage(
        pk=user.pk,
        name=user.display_name,
        is_active=user.is_active,
        is_own=user.pk == by.pk,
        facts=[
            (_("User name"), user.username),
            (_("Role"), _role(user)),
            (_("Areas"), _areas(user) or _("All areas")),
            (_("E-mail"), user.email or "–"),
            (_("Last sign-in"), _last_sign_in(user) or _("Never")),
        ],
        access=access,
        form=form or (account_form(user, by=by) if access and not access.refusal else None),
    )


def _access(user: User, by: User) -> AccessPanel:
    devices = list_devices([user.pk]).get(user.pk, [])
    return build_access_panel(user, devices, account_addresses(user.pk), by=by)


def account_form(user: User, *, by: User, data: Any = None) -> AccountForm:
    """Of an account as it is stored, or with what was sent."""
    stored = asdict(read_account(user))
    seen = {f"seen_{name}": value for name, value in stored.items()} | {
        "seen_areas": ";".join(stored["areas"])
    }
    is_own = user.pk == by.pk
    return AccountForm(
        data, initial={**stored, **seen}, roles=given_roles(by), own=read_account(user) if is_own else None
    )


def new_account_form(by: User, data: Any = None) -> AccountForm:
    """`by` adds an account."""
    return AccountForm(data, roles=given_roles(by))
