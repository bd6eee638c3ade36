"""How a person signs in and where: the same part of an engineer's page and of an office account's page."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from board import formatting
from engineers.models import User
from engineers.office_accounts import AccountRule, refusal_of
from engineers.sign_in.devices import SignedInDevice
from engineers.sign_in.second_factor import authenticator_of

REFUSALS = {
    AccountRule.OWN_ACCOUNT: gettext_lazy("You can't do this to your own account. Ask another supervisor."),
    AccountRule.LAST_SUPERVISOR: gettext_lazy(
        "This is the last supervisor who can sign in. Make somebody else a supervisor first."
    ),
    AccountRule.SUPERUSER: gettext_lazy("Only a superuser can do this for a superuser."),
    AccountRule.MORE_RIGHTS: gettext_lazy(
        "This account may do or see more than yours. Ask a supervisor who may do the same."
    ),
    AccountRule.ERASED: gettext_lazy(
        "This engineer's data was erased. Anybody who returns gets a new account with another staff number."
    ),
}


@dataclass(frozen=True)
class DeviceLine:
    name: str
    signed_in: str
    used: str


@dataclass(frozen=True)
class AccessAddresses:
    """Where the buttons lead."""

    sign_in_link: str
    sign_out: str
    suspend: str
    reinstate: str
    reset_second_factor: str


@dataclass(frozen=True)
class AccessPanel:
    """`refusal` says why nothing can be changed here; `notices` counts the browsers that get push notifications."""

    can_sign_in: bool
    is_active: bool
    is_own: bool
    has_second_factor: bool
    devices: list[DeviceLine]
    notices: int
    addresses: AccessAddresses
    refusal: str = ""


def build_access_panel(
    user: User,
    devices: Iterable[SignedInDevice],
    addresses: AccessAddresses,
    *,
    by: User,
    notices: int = 0,
) -> AccessPanel:
    rule = refusal_of(user, by=by)
    return AccessPanel(
        can_sign_in=user.has_usable_password(),
        is_active=user.is_active,
        is_own=user.pk == by.pk,
        has_second_factor=authenticator_of(user) is not None,
        devices=[
            DeviceLine(
                device.name or _("Unknown browser"), _moment(device.signed_in_at), _moment(device.used_at)
            )
            for device in devices
        ],
        notices=notices,
        addresses=addresses,
        refusal=str(REFUSALS[rule]) if rule else "",
    )


def engineer_addresses(pk: int, user_pk: int) -> AccessAddresses:
    return AccessAddresses(
        sign_in_link=reverse("board:sign-in-link", args=[user_pk]),
        sign_out=reverse("board:sign-out-everywhere", args=[pk]),
        suspend=reverse("board:engineer-suspend", args=[pk]),
        reinstate=reverse("board:engineer-reinstate", args=[pk]),
        reset_second_factor=reverse("board:engineer-second-factor", args=[pk]),
    )


def account_addresses(pk: int) -> AccessAddresses:
    return AccessAddresses(
        sign_in_link=reverse("board:sign-in-link", args=[pk]),
        sign_out=reverse("board:account-sign-out", args=[pk]),
        suspend=reverse("board:account-suspend", args=[pk]),
        reinstate=reverse("board:account-reinstate", args=[pk]),
        reset_second_factor=reverse("board:account-second-factor", args=[pk]),
    )


def _moment(moment: datetime | None) -> str:
    return formatting.format_moment(moment) if moment else _("unknown")
