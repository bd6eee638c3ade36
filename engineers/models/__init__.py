"""The models of people, their working time and their phones."""

from engineers.models.access import CalendarFeed, SignInLink, SignInLinkQuerySet
from engineers.models.people import (
    Area,
    AuditEntry,
    Engineer,
    EngineerQuerySet,
    HeldSkill,
    PeopleManager,
    Role,
    Skill,
    User,
)
from engineers.models.phones import (
    CheckIn,
    CheckInEnd,
    CheckInQuerySet,
    DrivingPosition,
    LastPosition,
    LastSync,
    PhoneMessage,
    PhoneOutcome,
    PushSubscription,
)
from engineers.models.working_time import (
    Absence,
    AbsenceQuerySet,
    RotaWeek,
    Shift,
    ShiftException,
    Weekday,
)

__all__ = [
    "Absence",
    "AbsenceQuerySet",
    "Area",
    "AuditEntry",
    "CalendarFeed",
    "CheckIn",
    "CheckInEnd",
    "CheckInQuerySet",
    "DrivingPosition",
    "Engineer",
    "EngineerQuerySet",
    "HeldSkill",
    "LastPosition",
    "LastSync",
    "PeopleManager",
    "PhoneMessage",
    "PhoneOutcome",
    "PushSubscription",
    "Role",
    "RotaWeek",
    "Shift",
    "ShiftException",
    "SignInLink",
    "SignInLinkQuerySet",
    "Skill",
    "User",
    "Weekday",
]
