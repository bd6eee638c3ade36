"""The six flags of KCI 2.1 and whether compensation is due (order-provisioning.md, Missed Appointment Notification)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from seller_sandbox.orders import limits
from seller_sandbox.orders.appointments.mborc_rules import MBORC_RULES, MborcType, Payable


class Party(StrEnum):
    """Whose doing it was; buyer and end user are one side when an appointment is missed (rule 6)."""

    BUYER = "buyer"
    SELLER = "seller"


@dataclass(frozen=True)
class AppointmentFacts:
    """What happened to one appointment; `amended_by` and `cancelled_by` only when that was late, "" when not at all."""

    amended_by: str = ""
    cancelled_by: str = ""
    missed_by: str = ""
    is_visit_agreed: bool = False
    is_mborc: bool = False


@dataclass(frozen=True)
class AppointmentFlags:
    """The fields that are Y or N."""

    is_seller_missed: bool = False
    is_amended: bool = False
    is_cancelled: bool = False
    is_end_user_missed: bool = False
    is_end_user_pre_agreed: bool = False
    is_mborc: bool = False


NO_FLAGS = AppointmentFlags()
Rule = Callable[[AppointmentFacts, AppointmentFlags], bool]
# rules 1 to 3: End User Pre-agreed is Y when one of them says so; rule 4: N in all other cases
PRE_AGREED_RULES: dict[int, Rule] = {
    1: lambda facts, flags: flags.is_amended and facts.amended_by == Party.BUYER,
    2: lambda facts, flags: flags.is_cancelled and facts.cancelled_by == Party.BUYER,
    3: lambda facts, flags: flags == NO_FLAGS and facts.is_visit_agreed,
}
# rule 7
COMPENSATION_RULES: tuple[Callable[[AppointmentFlags], bool], ...] = (
    lambda flags: flags.is_seller_missed and not flags.is_mborc,
    lambda flags: flags.is_amended and not flags.is_end_user_pre_agreed,
    lambda flags: flags.is_cancelled and not flags.is_end_user_pre_agreed,
)


def is_late(moment: datetime, *, starts_at: datetime, ends_at: datetime) -> bool:
    """After 13:00:00 of the calendar day before the slot, or inside it (Limits, D17).

    A change after the slot is none of the appointment: it has been kept or missed by then.
    """
    return limits.late_from(starts_at) < moment < ends_at


def flags_of(facts: AppointmentFacts) -> AppointmentFlags:
    """Rules 1 to 6."""
    flags = AppointmentFlags(
        is_seller_missed=facts.missed_by == Party.SELLER,
        is_amended=bool(facts.amended_by),
        # rule 5: whoever cancelled
        is_cancelled=bool(facts.cancelled_by),
        is_end_user_missed=facts.missed_by == Party.BUYER,
        is_mborc=facts.is_mborc,
    )
    return replace(
        flags, is_end_user_pre_agreed=any(rule(facts, flags) for rule in PRE_AGREED_RULES.values())
    )


def is_compensation_due(flags: AppointmentFlags) -> bool:
    """Rule 7; the MBORC table excludes it also where an appointment was amended or cancelled (D17)."""
    row = MBORC_RULES[MborcType.PROVISION]
    if flags.is_mborc and row.missed_appointment == Payable.NO:
        return False
    return any(rule(flags) for rule in COMPENSATION_RULES)
