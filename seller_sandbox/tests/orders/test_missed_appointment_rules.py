"""order-provisioning.md, Missed Appointment Notification (KCI 2.1) fields: rules 1 to 7, Limits, MBORC rules."""

from dataclasses import asdict, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import product
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seller_sandbox.orders.appointments.appointment_flags import (
    COMPENSATION_RULES,
    NO_FLAGS,
    PRE_AGREED_RULES,
    AppointmentFacts,
    AppointmentFlags,
    flags_of,
    is_compensation_due,
    is_late,
)
from seller_sandbox.orders.appointments.mborc_rules import MBORC_RULES

LONDON = ZoneInfo("Europe/London")
DAYS = st.dates(date(2026, 1, 1), date(2027, 12, 31))
ALL_FACTS = [
    AppointmentFacts(*values)
    for values in product(
        ("", "buyer", "seller"),
        ("", "buyer", "seller"),
        ("", "buyer", "seller"),
        (False, True),
        (False, True),
    )
]


def at(day: date, hour: int, minute: int = 0, second: int = 0) -> datetime:
    return datetime.combine(day, time(hour, minute, second), tzinfo=LONDON)


def is_late_for_morning(moment: datetime, day: date) -> bool:
    return is_late(moment, starts_at=at(day, 8), ends_at=at(day, 13))


# --- lateness -----------------------------------------------------------------------------------------------
@given(DAYS)
def test_late_begins_after_one_pm_on_the_calendar_day_before(day: date) -> None:
    """Limits, missed-appointment lateness threshold; D17: exactly 13:00:00 is not late, whatever clock change."""
    before = day - timedelta(days=1)

    assert not is_late_for_morning(at(before, 12, 59, 59), day)
    assert not is_late_for_morning(at(before, 13), day)
    assert is_late_for_morning(at(before, 13, 0, 1), day)
    assert is_late_for_morning(at(before, 13) + timedelta(microseconds=1), day)


def test_calendar_day_before_counts_and_not_the_business_day() -> None:
    """Limits: "1pm on the day before the slot": of a Monday's slot that is Sunday, unlike the PONR."""
    monday = date(2026, 11, 23)

    assert not is_late_for_morning(at(date(2026, 11, 20), 18), monday)
    assert not is_late_for_morning(at(date(2026, 11, 22), 13), monday)
    assert is_late_for_morning(at(date(2026, 11, 22), 13, 0, 1), monday)


def test_late_lasts_to_the_end_of_the_slot() -> None:
    """Events, Missed Appointment: "after 1pm the day before the slot or inside it"; not after it."""
    day = date(2026, 11, 23)

    assert is_late_for_morning(at(day, 8), day)
    assert is_late_for_morning(at(day, 12, 59, 59), day)
    assert not is_late_for_morning(at(day, 13), day)
    assert is_late(at(day, 13), starts_at=at(day, 13), ends_at=at(day, 18))


def test_one_pm_is_by_the_local_clock() -> None:
    """D7: 13:00 Europe/London is 12:00 UTC in summer."""
    day = date(2026, 7, 7)

    assert not is_late_for_morning(datetime(2026, 7, 6, 12, tzinfo=UTC), day)
    assert is_late_for_morning(datetime(2026, 7, 6, 12, 0, 1, tzinfo=UTC), day)


# --- the seven rules ----------------------------------------------------------------------------------------
def test_rule_1_buyer_amended_late() -> None:
    assert flags_of(AppointmentFacts(amended_by="buyer")) == AppointmentFlags(
        is_amended=True, is_end_user_pre_agreed=True
    )
    assert flags_of(AppointmentFacts(amended_by="seller")) == AppointmentFlags(is_amended=True)


def test_rule_2_buyer_cancelled_late() -> None:
    assert flags_of(AppointmentFacts(cancelled_by="buyer")) == AppointmentFlags(
        is_cancelled=True, is_end_user_pre_agreed=True
    )


def test_rule_3_visit_outside_the_slot_was_agreed() -> None:
    assert flags_of(AppointmentFacts(is_visit_agreed=True)) == AppointmentFlags(is_end_user_pre_agreed=True)


@pytest.mark.parametrize(
    "facts",
    [
        AppointmentFacts(missed_by="seller"),
        AppointmentFacts(missed_by="buyer"),
        AppointmentFacts(amended_by="seller"),
        AppointmentFacts(cancelled_by="seller"),
        AppointmentFacts(is_mborc=True),
    ],
)
def test_rule_3_needs_all_other_flags_to_be_n(facts: AppointmentFacts) -> None:
    """Missed Appointment rules 3."""
    agreed = flags_of(replace(facts, is_visit_agreed=True))

    assert agreed == flags_of(facts)
    assert not agreed.is_end_user_pre_agreed


@pytest.mark.parametrize("facts", ALL_FACTS, ids=str)
def test_rule_4_pre_agreed_is_n_in_all_other_cases(facts: AppointmentFacts) -> None:
    is_by_buyer = "buyer" in {facts.amended_by, facts.cancelled_by}
    is_visit_only = facts == AppointmentFacts(is_visit_agreed=True)

    assert flags_of(facts).is_end_user_pre_agreed == (is_by_buyer or is_visit_only)


@pytest.mark.parametrize("party", ["buyer", "seller"])
def test_rule_5_cancelled_whoever_cancels(party: str) -> None:
    assert flags_of(AppointmentFacts(cancelled_by=party)).is_cancelled
    assert not flags_of(AppointmentFacts(amended_by=party)).is_cancelled


def test_rule_6_who_missed() -> None:
    assert flags_of(AppointmentFacts(missed_by="seller")) == AppointmentFlags(is_seller_missed=True)
    assert flags_of(AppointmentFacts(missed_by="buyer")) == AppointmentFlags(is_end_user_missed=True)


@pytest.mark.parametrize(
    ("facts", "is_due"),
    [
        (AppointmentFacts(missed_by="seller"), True),
        (AppointmentFacts(missed_by="seller", is_mborc=True), False),
        (AppointmentFacts(amended_by="seller"), True),
        (AppointmentFacts(amended_by="buyer"), False),
        (AppointmentFacts(cancelled_by="seller"), True),
        (AppointmentFacts(cancelled_by="buyer"), False),
        (AppointmentFacts(missed_by="buyer"), False),
        (AppointmentFacts(is_visit_agreed=True), False),
    ],
    ids=str,
)
def test_rule_7_compensation(facts: AppointmentFacts, is_due: bool) -> None:
    assert is_compensation_due(flags_of(facts)) == is_due


@pytest.mark.parametrize("facts", ALL_FACTS, ids=str)
def test_mborc_excludes_compensation_also_for_amended_and_cancelled(facts: AppointmentFacts) -> None:
    """MBORC rules, Missed Appointment SLA payable N; D17."""
    flags = flags_of(facts)

    assert is_compensation_due(flags) == (
        not facts.is_mborc and any(rule(flags) for rule in COMPENSATION_RULES)
    )


def test_three_rules_say_yes_and_three_make_compensation_due() -> None:
    """Rules 1 to 3, and the three cases of rule 7."""
    assert list(PRE_AGREED_RULES) == [1, 2, 3]
    assert len(COMPENSATION_RULES) == 3
    assert len(asdict(NO_FLAGS)) == 6


def test_mborc_table_is_the_documents() -> None:
    """MBORC rules for compensation: both rows."""
    rows = {
        kind.value: (row.late_provision.value, row.late_repair.value, row.missed_appointment.value)
        for kind, row in MBORC_RULES.items()
    }

    assert rows == {
        "Missed Appointment-Provision": ("Y", "NA", "N"),
        "Missed Appointment-Repair": ("NA", "Y", "N"),
    }
