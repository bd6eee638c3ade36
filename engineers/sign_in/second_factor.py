"""The second factor of office people: a code of an authenticator application (TOTP), or a recovery code (ADR 0013).

Keys and codes are rows of django-otp, which refuses a code that was used and makes each wrong one cost twice the
waiting time of the one before.
"""

from datetime import datetime
from typing import Any

import structlog
from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django_otp import login
from django_otp.models import Device
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from engineers import staff
from engineers.audit import record_audit
from engineers.models import User
from engineers.sessions import is_stored

log = structlog.get_logger("engineers.sign_in.second_factor")
RECOVERY_CODES = 10
TOTP_DIGITS = 6
# in the session of somebody who has an authenticator and has not shown a code yet
PENDING = "second_factor_pending"
# in the session of somebody whose company's provider has asked for a second factor
BY_PROVIDER = "second_factor_by_provider"


def is_due(request: HttpRequest, user: User) -> bool:
    """Whether this session must show a code, or set up an authenticator, before anything else."""
    is_required = settings.REQUIRE_SECOND_FACTOR and user.is_office
    is_shown = BY_PROVIDER in request.session or _has_shown_code(user)
    return (is_required or PENDING in request.session) and not is_shown


def accept_provider(request: HttpRequest) -> None:
    """The provider's token says that it has asked for a second factor: it counts for this session."""
    request.session[BY_PROVIDER] = True
    request.session.pop(PENDING, None)


def _has_shown_code(user: User) -> bool:
    """Who signs in with this very request has not; only later ones carry the middleware's mark."""
    return hasattr(user, "is_verified") and bool(user.is_verified())


def authenticator_of(user: User) -> TOTPDevice | None:
    device: TOTPDevice | None = TOTPDevice.objects.filter(user=user, confirmed=True).first()
    return device


def new_authenticator(user: User) -> TOTPDevice:
    """The one that is being set up; its key stays the same until a code has confirmed it."""
    return _unconfirmed(user).first() or TOTPDevice.objects.create(user=user, confirmed=False)


@transaction.atomic
def begin_set_up(*, user: User, code: str) -> TOTPDevice | None:
    """The new authenticator counts from now on if the code is right."""
    device: TOTPDevice | None = _unconfirmed(user).select_for_update().first()
    if authenticator_of(user) or device is None or not device.verify_token(_plain(code)):
        return None
    device.confirmed = True
    device.save(update_fields=["confirmed"])
    record_audit(actor=user, action="second_factor_set_up", subject=user.username)
    return device


@transaction.atomic
def verify(*, user: User, code: str) -> Device | None:
    """The device that this code belongs to; the code counts once."""
    code = _plain(code)
    is_recovery = len(code) != TOTP_DIGITS
    model = StaticDevice if is_recovery else TOTPDevice
    # locked: two requests with one code must not both be right
    device: Device | None = model.objects.select_for_update().filter(user=user, confirmed=True).first()
    if device is None or not device.verify_token(code):
        log.warning("second factor refused", user=user.pk)
        return None
    if is_recovery:
        record_audit(actor=user, action="recovery_code_used", subject=user.username)
    return device


def locked_until(user: User) -> datetime | None:
    """After wrong codes: when the next one is looked at."""
    devices: list[Device] = [
        *TOTPDevice.objects.filter(user=user),
        *StaticDevice.objects.filter(user=user),
    ]
    pauses = [device.verify_is_allowed()[1] for device in devices]
    return max((pause["locked_until"] for pause in pauses if pause), default=None)


@transaction.atomic
def complete(request: HttpRequest, device: Device) -> bool:
    """This session has shown its code; the session's key changes, as at every gain of rights. False, and nothing has
    changed, where its access has ended meanwhile (staff.end_access)."""
    User.objects.select_for_update().get(pk=device.user_id)
    if not is_stored(request.session):
        return False
    login(request, device)
    request.session.pop(PENDING, None)
    request.session.cycle_key()
    return True


@transaction.atomic
def make_recovery_codes(*, user: User) -> list[str]:
    """New ones, to be shown once; the old ones end."""
    device, _is_new = StaticDevice.objects.get_or_create(user=user)
    device.token_set.all().delete()
    codes = [StaticToken.random_token() for _number in range(RECOVERY_CODES)]
    StaticToken.objects.bulk_create(StaticToken(device=device, token=code) for code in codes)
    record_audit(actor=user, action="recovery_codes_made", subject=user.username)
    return codes


def recovery_codes_left(user: User) -> int:
    count: int = StaticToken.objects.filter(device__user=user).count()
    return count


@transaction.atomic
def reset(*, user: User, by: User | None) -> None:
    """Telephone lost: authenticator and codes end, and all access with them. `by` is None on the command line."""
    TOTPDevice.objects.filter(user=user).delete()
    StaticDevice.objects.filter(user=user).delete()
    staff.end_access(user)
    record_audit(actor=by, action="second_factor_reset", subject=user.username)


def on_signed_in(request: HttpRequest, user: User, **_kwargs: object) -> None:
    """Whoever has an authenticator is asked for a code, required or not."""
    if authenticator_of(user):
        request.session[PENDING] = True


def _unconfirmed(user: User) -> QuerySet[Any]:
    """The oldest first: two tabs may have made two at the same moment."""
    found: QuerySet[Any] = TOTPDevice.objects.filter(user=user, confirmed=False).order_by("pk")
    return found


def _plain(code: str) -> str:
    return "".join(code.split()).replace("-", "").lower()


user_logged_in.connect(on_signed_in, dispatch_uid="second_factor")
