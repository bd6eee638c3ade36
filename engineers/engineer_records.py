"""Everything that the office keeps of an engineer as one value: read, compared, checked and saved as a whole."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from engineers import staff
from engineers.audit import record_audit
from engineers.models import Area, AuditEntry, Engineer, HeldSkill, Role, Skill, User
from engineers.office_accounts import check_authority
from engineers.rota import write_pattern
from engineers.staff import Position
from engineers.working_hours import PlannedShift, planned_shifts
from engineers.working_time_limits import WorkingTimeLimits, limits_of

CHANGED = "engineer_changed"
NO_LIMITS = WorkingTimeLimits()
# fields of a record by which other rows name an engineer
IDENTITY = ("username", "name", "staff_number")
# those that two people cannot share
UNIQUE_FIELDS = ("username", "staff_number", "email")


@dataclass(frozen=True)
class EngineerRecord:
    """`areas` are names, the main one first, then by name; `skills` are (code, last day) in order of their codes; home
    in WGS 84 degrees."""

    username: str
    name: str
    staff_number: str
    phone: str
    email: str = ""
    areas: tuple[str, ...] = ()
    home_address: str = ""
    home_latitude: float | None = None
    home_longitude: float | None = None
    skills: tuple[tuple[str, date | None], ...] = ()
    shifts: tuple[PlannedShift, ...] = ()
    limits: WorkingTimeLimits = NO_LIMITS

    @property
    def version(self) -> str:
        """Changes with every value: an edit names the version that it began with."""
        text = json.dumps(asdict(self), cls=DjangoJSONEncoder, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def changed_fields(self, other: "EngineerRecord") -> list[str]:
        """The names of the fields in which the two differ."""
        return [item.name for item in fields(self) if getattr(self, item.name) != getattr(other, item.name)]


class EngineerChanged(Exception):
    """Somebody has saved this engineer since the form was opened; `entry` says who and when, if it is known."""

    def __init__(self, entry: AuditEntry | None) -> None:
        super().__init__("changed")
        self.entry = entry


class TakenIdentity(Exception):
    """`fields` are some of UNIQUE_FIELDS: somebody else has these values."""

    def __init__(self, fields: Sequence[str]) -> None:
        super().__init__(*fields)
        self.fields = fields


def read_record(engineer: Engineer) -> EngineerRecord:
    """What is stored; reads `user`, `area`, `further_areas`, `held_skills` with their skill, and `shifts`."""
    held = engineer.held_skills.all()
    return EngineerRecord(
        username=engineer.user.username,
        name=engineer.user.get_full_name(),
        staff_number=engineer.staff_number,
        phone=engineer.phone,
        email=engineer.user.email,
        areas=tuple(engineer.area_names),
        home_address=engineer.home_address,
        home_latitude=engineer.home_latitude,
        home_longitude=engineer.home_longitude,
        skills=tuple(sorted((item.skill.code, item.expires_on) for item in held)),
        shifts=planned_shifts(engineer.shifts.all()),
        limits=limits_of(engineer),
    )


@transaction.atomic
def create_engineer(*, record: EngineerRecord, by: User | None) -> Engineer:
    """A new engineer without a password: a sign-in link (engineers.sign_in.sign_in_links) gives one. The same record
    twice, also at the same moment, makes one. Raises TakenIdentity."""
    try:
        with transaction.atomic():
            _check_identity(record, engineer=None)
            return _hire(record, by)
    except (TakenIdentity, IntegrityError) as problem:
        known = _same_engineer(record)
        if known is None:
            raise TakenIdentity(getattr(problem, "fields", ["username"])) from problem
        return known


def _same_engineer(record: EngineerRecord) -> Engineer | None:
    known = Engineer.objects.filter(staff_number=record.staff_number).select_related("user").first()
    return known if known and read_record(known) == record else None


def _hire(record: EngineerRecord, by: User | None) -> Engineer:
    engineer = staff.hire_engineer(
        username=record.username,
        password=None,
        name=record.name,
        staff_number=record.staff_number,
        phone=record.phone,
        home=Position(latitude=record.home_latitude, longitude=record.home_longitude),
        by=by,
    )
    _write(engineer, record)
    return engineer


@transaction.atomic
def update_engineer(*, engineer: Engineer, record: EngineerRecord, version: str, by: User) -> list[str]:
    """Save what differs; the names of the changed fields. The same record twice changes nothing the second time.

    Raises EngineerChanged when `version` is not the stored one (unless nothing is to be changed), TakenIdentity, and
    AccountRefused for a superuser, whom only a superuser changes.
    """
    # the account first, in the order of whoever suspends it
    User.objects.select_for_update(no_key=True).get(pk=engineer.user_id)
    engineer = Engineer.objects.select_for_update(of=("self",)).select_related("user").get(pk=engineer.pk)
    stored = read_record(engineer)
    changed = record.changed_fields(stored)
    if not changed:
        return []
    check_authority(engineer.user, by=by)
    if stored.version != version:
        raise EngineerChanged(_last_change(engineer))
    _check_identity(record, engineer=engineer)
    identity = [name for name in IDENTITY if name in changed]
    if identity:
        # by these the erasure of personal data finds what names the engineer as before
        before, after = ({name: getattr(each, name) for name in identity} for each in (stored, record))
        record_audit(actor=by, action="person_changed", subject=record.username, before=before, after=after)
    _write_unless_taken(engineer, record)
    if "email" in changed:
        staff.end_mailed_links(engineer.user)
    record_audit(actor=by, action=CHANGED, subject=record.username, after={"fields": changed})
    return changed


def _last_change(engineer: Engineer) -> AuditEntry | None:
    entries = AuditEntry.objects.filter(action=CHANGED, subject=engineer.user.username)
    return entries.select_related("actor").first()


def _check_identity(record: EngineerRecord, *, engineer: Engineer | None) -> None:
    values = {name: getattr(record, name) for name in UNIQUE_FIELDS}
    if shared := find_shared_fields(values, engineer=engineer):
        raise TakenIdentity(shared)


def find_shared_fields(values: Mapping[str, Any], *, engineer: Engineer | None) -> list[str]:
    """Those of UNIQUE_FIELDS whose value somebody else than `engineer` has. The address, too: with two accounts of one
    address nobody signs in with the company's account."""
    users, engineers = User.objects.all(), Engineer.objects.all()
    if engineer is not None:
        users, engineers = users.exclude(pk=engineer.user_id), engineers.exclude(pk=engineer.pk)
    owners: dict[str, QuerySet[Any]] = {"username": users, "staff_number": engineers, "email": users}
    return [
        name
        for name in UNIQUE_FIELDS
        if values.get(name) and owners[name].filter(**{f"{name}__iexact": values[name]}).exists()
    ]


def _write_unless_taken(engineer: Engineer, record: EngineerRecord) -> None:
    """Raises TakenIdentity also where somebody has taken the user name or staff number since it was checked."""
    try:
        with transaction.atomic():
            _write(engineer, record)
    except IntegrityError:
        _check_identity(record, engineer=engineer)
        raise


def _write(engineer: Engineer, record: EngineerRecord) -> None:
    user = engineer.user
    user.username, user.role = record.username, Role.ENGINEER
    user.first_name, user.last_name = staff.split_name(record.name)
    user.email = record.email
    user.save(update_fields=["username", "role", "first_name", "last_name", "email"])
    engineer.staff_number, engineer.phone = record.staff_number, record.phone
    areas = [Area.objects.get(name=name) for name in record.areas]
    engineer.area = areas[0] if areas else None
    engineer.home_address = record.home_address
    engineer.home_latitude, engineer.home_longitude = record.home_latitude, record.home_longitude
    engineer.max_hours_per_day = record.limits.per_day
    engineer.max_hours_per_week = record.limits.per_week
    engineer.min_rest_hours = record.limits.rest
    engineer.save()
    engineer.further_areas.set(areas[1:])
    _write_skills(engineer, record.skills)
    write_pattern(engineer, record.shifts)


def _write_skills(engineer: Engineer, skills: Iterable[tuple[str, date | None]]) -> None:
    known = {skill.code: skill for skill in Skill.objects.all()}
    engineer.held_skills.all().delete()
    HeldSkill.objects.bulk_create(
        HeldSkill(engineer=engineer, skill=known[code], expires_on=expires_on) for code, expires_on in skills
    )
