"""Verbs about people: hire, suspend, and where a phone last was."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from itertools import chain, count

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import models, transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from engineers.audit import record_audit
from engineers.clock_skew import TOLERATED_SKEW
from engineers.models import (
    Area,
    CalendarFeed,
    Engineer,
    LastPosition,
    PushSubscription,
    Role,
    Shift,
    SignInLink,
    Skill,
    User,
)


class PositionMissing(models.TextChoices):
    """Why there is no position. The first seven come from the phone (static/js/phone/app)."""

    REFUSED = "permission_refused", _("location access refused")
    UNAVAILABLE = "position_unavailable", _("location not available")
    NOT_IN_TIME = "no_fix_in_time", _("no location within 20 s")
    NOT_SUPPORTED = "not_supported", _("this phone gives no location")
    CLOSED_BEFORE = "closed_before_fix", _("the app was closed before there was a location")
    NOT_WHEN_SENT = "no_fix_when_sent", _("no location yet when it was sent")
    UNKNOWN = "unknown", _("reason unknown")
    INCOMPLETE = "position_incomplete", _("location not available")
    NOT_GIVEN = "not_given", _("no reason given")
    NOT_ASKED = "not_asked", _("not asked for")


def missing_position_text(code: str) -> str:
    """A code that is not known here as it is."""
    return str(PositionMissing(code).label) if code in PositionMissing else code


@dataclass(frozen=True)
class Position:
    """What a phone knew of its place: WGS 84 degrees and metres, or why it knew nothing (a code of PositionMissing)."""

    latitude: float | None = None
    longitude: float | None = None
    accuracy_metres: float | None = None
    missing_because: str = ""

    @property
    def is_known(self) -> bool:
        return self.latitude is not None and self.longitude is not None


@dataclass(frozen=True)
class ShiftPattern:
    """The same hours on each of some weekdays (Monday is 0), as in Shift."""

    weekdays: tuple[int, ...]
    starts: time
    ends: time


@transaction.atomic
def hire_office(
    *, username: str, password: str | None, name: str, role: Role, by: User | None = None
) -> User:
    """A supervisor or dispatcher who may open the board at once. Without a password nobody can sign in."""
    first, last = split_name(name)
    user = User(
        username=username, first_name=first, last_name=last, role=role, is_staff=role == Role.SUPERVISOR
    )
    user.set_password(password)
    user.save()
    record_audit(actor=by, action="hired", subject=username, after={"role": role})
    return user


@transaction.atomic
def hire_engineer(
    *,
    username: str,
    password: str | None,
    name: str,
    staff_number: str,
    phone: str,
    home: Position,
    skill_codes: Iterable[str] = (),
    shifts: Iterable[ShiftPattern] = (),
    areas: Sequence[Area] = (),
    by: User | None = None,
) -> Engineer:
    """An engineer with home, areas (the main one first), skills and weekly shifts; skill codes must exist. Without a
    password nobody can sign in until a sign-in link was used."""
    first, last = split_name(name)
    user = User(username=username, first_name=first, last_name=last, role=Role.ENGINEER)
    user.set_password(password)
    user.save()
    engineer = Engineer.objects.create(
        user=user,
        staff_number=staff_number,
        phone_identity=_new_phone_identity(staff_number),
        phone=phone,
        home_latitude=home.latitude,
        home_longitude=home.longitude,
        area=areas[0] if areas else None,
    )
    engineer.further_areas.set(areas[1:])
    engineer.skills.set(Skill.objects.filter(code__in=list(skill_codes)))
    Shift.objects.bulk_create(
        Shift(
            engineer=engineer,
            weekday=weekday,
            starts=pattern.starts,
            ends=pattern.ends,
        )
        for pattern in shifts
        for weekday in pattern.weekdays
    )
    record_audit(actor=by, action="hired", subject=username, after={"role": Role.ENGINEER})
    return engineer


def _new_phone_identity(staff_number: str) -> str:
    """The number itself, unless it was a colleague's before: a phone may still keep their work under it."""
    similar = Engineer.objects.filter(phone_identity__startswith=staff_number)
    used = set(similar.values_list("phone_identity", flat=True))
    names = chain([staff_number], (f"{staff_number}-{number}" for number in count(2)))
    return next(name for name in names if name not in used)


def split_name(name: str) -> tuple[str, str]:
    """First name and the rest."""
    first, _, last = " ".join(name.split()).partition(" ")
    return first, last


@transaction.atomic
def reinstate(*, user: User, by: User) -> None:
    """The account works again, with the password that it had."""
    user.is_active = True
    user.save(update_fields=["is_active"])
    record_audit(actor=by, action="reinstated", subject=user.username)


@transaction.atomic
def suspend(*, user: User, by: User | None) -> None:
    """Nobody logs in as this user any more, and all access ends at once. Sign-in links to and by this person and
    the calendar address end for good, also if the account is reinstated. `by` is None on the command line."""
    user.is_active = False
    user.save(update_fields=["is_active"])
    end_access(user)
    SignInLink.objects.filter(Q(user=user) | Q(created_by=user), used_at=None).delete()
    CalendarFeed.objects.filter(engineer__user=user).delete()
    record_audit(actor=by, action="suspended", subject=user.username)


def end_mailed_links(user: User) -> None:
    """For an account that gets another address or more rights: somebody who may less may have entered the address."""
    user.sign_in_links.filter(created_by=None, used_at=None).delete()


def end_access(user: User) -> None:
    """Every browser and phone of this person is signed out, and its phones forgotten (forget_phones).

    Within a transaction: it locks the account, as whoever gives a session of it a new key does.
    """
    User.objects.select_for_update().get(pk=user.pk)
    for session in Session.objects.filter(expire_date__gte=timezone.now()):
        if session.get_decoded().get(SESSION_KEY) == str(user.pk):
            session.delete()
    forget_phones(user)


def forget_phones(user: User) -> None:
    """Until a phone reads its day again, no notice reaches it, and what it signs counts as unsigned."""
    PushSubscription.objects.filter(engineer__user=user).delete()
    Engineer.objects.filter(user=user).update(export_key_number=F("export_key_number") + 1)


def choose_language(*, user: User, language: str) -> None:
    """The language in which this person is spoken to, on every browser from the next signing in."""
    user.language = language
    user.save(update_fields=["language"])


def forget_last_position(engineer: Engineer) -> None:
    LastPosition.objects.filter(engineer=engineer).delete()


def record_position(*, engineer: Engineer, position: Position, taken_at: datetime) -> None:
    """Keep the newest known place; an older one (a phone that caught up) changes nothing."""
    if position.latitude is None or position.longitude is None:
        return
    newest = {
        "latitude": position.latitude,
        "longitude": position.longitude,
        "accuracy_metres": position.accuracy_metres,
        "taken_at": taken_at,
    }
    # one statement where update_or_create takes four and a savepoint
    # what was taken while our clock was ahead is older than whatever comes now
    is_older = Q(taken_at__lt=taken_at) | Q(taken_at__gt=timezone.now() + TOLERATED_SKEW)
    if not LastPosition.objects.filter(is_older, engineer=engineer).update(**newest):
        LastPosition.objects.bulk_create([LastPosition(engineer=engineer, **newest)], ignore_conflicts=True)


def lock_supervisors() -> None:
    """Inside a transaction: one change after the other of what each is checked against as a whole, such as all areas. A
    row of the other may not exist yet, the accounts of the supervisors do. A row that refers to them does not wait."""
    list(User.objects.select_for_update(no_key=True).filter(role=Role.SUPERVISOR).order_by("pk"))
