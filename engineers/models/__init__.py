"""The models of people, their working time and their phones."""

from engineers.models.access import CalendarFeed, CompanyIdentity, SignInLink, SignInLinkQuerySet
from engineers.models.people import (
    Area,
    AreaLimit,
    AuditEntry,
    Engineer,
    EngineerQuerySet,
    HeldSkill,
    PeopleManager,
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
from engineers.models.roles import Right, Role, RoleRights
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
    "AreaLimit",
    "AuditEntry",
    "CalendarFeed",
    "CheckIn",
    "CheckInEnd",
    "CheckInQuerySet",
    "CompanyIdentity",
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
    "Right",
    "Role",
    "RoleRights",
    "RotaWeek",
    "Shift",
    "ShiftException",
    "SignInLink",
    "SignInLinkQuerySet",
    "Skill",
    "User",
    "Weekday",
]
