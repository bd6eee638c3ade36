"""order-provisioning.md, Late Provision Notification fields, Exclusion reason codes; D18 and D19."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seller_sandbox.orders.late_orders.delay_days import (
    Agreement,
    Delay,
    Failure,
    Period,
    apportion,
    failure_periods,
    find_base,
)
from seller_sandbox.orders.late_orders.exclusion_codes import ExclusionCode

LONDON = ZoneInfo("Europe/London")
# a Monday
MONDAY = date(2026, 11, 23)
CODES = st.sampled_from(ExclusionCode.values)


def day(number: int) -> date:
    return MONDAY + timedelta(days=number)


def at(number: int, hour: int) -> datetime:
    return datetime.combine(day(number), time(hour), tzinfo=LONDON)


def agreed(for_day: int, *, on: int = -10, hour: int = 9) -> Agreement:
    """A morning, agreed on another day."""
    return Agreement(f"key of {for_day}", at(on, hour), at(for_day, 8), at(for_day, 13))


def failed(on: int, *, hour: int = 10, code: str = "") -> Failure:
    return Failure(at(on, hour), day(on), code)


def entries(delay: Delay) -> list[tuple[str, date, date, int]]:
    return [(found.code, found.starts_on, found.ends_on, found.days) for found in delay.exclusions]


# --- the base day -------------------------------------------------------------------------------------------
def test_base_is_the_appointment() -> None:
    base = agreed(0)

    assert find_base([base], []) == base
    assert find_base([], []) is None


@pytest.mark.parametrize(("on", "hour"), [(-5, 9), (-1, 14), (0, 9)])
def test_change_by_the_buyer_makes_the_new_date_the_base_also_a_late_one(on: int, hour: int) -> None:
    """Rule: "the latest pre-agreed appointment date, where that appointment was not amended after 1pm"; D19."""
    later = agreed(7, on=on, hour=hour)

    assert find_base([agreed(0), later], []) == later


@pytest.mark.parametrize(
    "failure", [failed(0), failed(-1, hour=14)], ids=["missed", "late change by the seller"]
)
def test_appointment_after_a_failure_is_no_base(failure: Failure) -> None:
    """D19: reappointments after a failure do not count."""
    first = agreed(0)

    assert find_base([first, agreed(7, on=0, hour=15), agreed(9, on=1)], [failure]) == first


def test_appointment_made_at_the_moment_of_the_failure_is_no_base() -> None:
    """D19: the seller appoints again at once after a cabinet slip."""
    first = agreed(0)

    assert find_base([first, agreed(7, on=-1, hour=14)], [failed(-1, hour=14)]) == first


def test_failure_after_a_change_leaves_the_changed_date_the_base() -> None:
    """D19: the latest one agreed before the first failure."""
    second = agreed(2, on=-3)

    assert find_base([agreed(0), second, agreed(9, on=2, hour=15)], [failed(2)]) == second


# --- counting -----------------------------------------------------------------------------------------------
def test_total_is_base_to_end_in_days() -> None:
    """Total calendar days in delay: Monday to Thursday are three; nothing to Monday itself or before it (D19)."""
    assert Delay(day(0), day(3)).total_days == 3
    assert Delay(day(0), day(0)).total_days == 0
    assert Delay(day(0), day(-4)).total_days == 0


def test_start_and_end_of_an_exclusion_count() -> None:
    """Exclusion entries: reason, start date, end date, number of days (D19)."""
    found = apportion([Period("RC014", day(1), day(2))], base_on=day(0), ended_on=day(5))

    assert entries(Delay(day(0), day(5), found)) == [("RC014", day(1), day(2), 2)]


def test_days_outside_the_delay_do_not_count() -> None:
    """The base day is the first day in delay, the day of KCI3 is none. Late Provision Notification fields; D19."""
    found = apportion([Period("RC002", day(-9), day(30))], base_on=day(0), ended_on=day(5))

    assert entries(Delay(day(0), day(5), found)) == [("RC002", day(0), day(4), 5)]
    assert apportion([Period("RC002", day(5), day(9))], base_on=day(0), ended_on=day(5)) == ()


def test_no_day_counts_twice() -> None:
    """D19: of two reasons the first has the day; what is left of the other keeps its own entries."""
    first, second = Period("RC010", day(2), day(3)), Period("RC016", day(1), day(5))

    found = apportion([first, second], base_on=day(0), ended_on=day(9))

    assert entries(Delay(day(0), day(9), found)) == [
        ("RC016", day(1), day(1), 1),
        ("RC010", day(2), day(3), 2),
        ("RC016", day(4), day(5), 2),
    ]


def test_the_same_reason_twice_is_one_entry() -> None:
    """Late Provision Notification fields; D19."""
    found = apportion(
        [Period("RC003", day(1), day(3)), Period("RC003", day(2), day(4))], base_on=day(0), ended_on=day(9)
    )

    assert found == (Period("RC003", day(1), day(4)),)


def test_days_of_mborc_are_not_the_sellers_and_payable() -> None:
    """D18: RC012 against "MBORC, Late Provision SLA payable Y"."""
    found = apportion(
        [Period("RC012", day(0), day(1)), Period("RC003", day(2), day(2))], base_on=day(0), ended_on=day(7)
    )

    delay = Delay(day(0), day(7), found)

    assert (delay.total_days, delay.seller_days, delay.other_days, delay.payable_days) == (7, 4, 3, 6)


@given(
    length=st.integers(1, 60),
    periods=st.lists(st.tuples(CODES, st.integers(-20, 80), st.integers(0, 30)), max_size=8),
)
def test_totals_add_up(length: int, periods: list[tuple[str, int, int]]) -> None:
    """The three totals, and every excluded day in exactly one entry inside the delay (D19)."""
    wanted = [Period(code, day(start), day(start + more)) for code, start, more in periods]
    delay = Delay(day(0), day(length), apportion(wanted, base_on=day(0), ended_on=day(length)))

    excluded = [
        entry.starts_on + timedelta(days=number) for entry in delay.exclusions for number in range(entry.days)
    ]

    assert delay.seller_days + delay.other_days == delay.total_days == length
    assert delay.seller_days <= delay.payable_days <= delay.total_days
    assert len(excluded) == len(set(excluded)) == delay.other_days
    assert set(excluded) == {
        wanted_day
        for wanted_day in (day(number) for number in range(length))
        if any(period.starts_on <= wanted_day <= period.ends_on for period in wanted)
    }


# --- days that follow from a failure ------------------------------------------------------------------------
def test_failure_excludes_up_to_the_next_appointment() -> None:
    """RC003: from the missed Monday to the day before the next appointment. Exclusion reason codes, RC003; D19."""
    agreements = [agreed(0), agreed(4, on=0, hour=15)]

    periods = list(failure_periods([failed(0, code="RC003")], agreements, ended_on=day(9)))

    assert periods == [Period("RC003", day(0), day(3))]


def test_failure_without_another_appointment_excludes_up_to_the_end() -> None:
    """RC043a: the order was cancelled 30 days later without a new key. Exclusion reason codes, RC043a; D19."""
    periods = list(failure_periods([failed(0, code="RC043a")], [agreed(0)], ended_on=day(31)))

    assert periods == [Period("RC043a", day(0), day(30))]


def test_failure_of_the_seller_excludes_nothing() -> None:
    """FTA: the seller is responsible. Late Provision Notification fields (seller's days)."""
    assert list(failure_periods([failed(0)], [agreed(0)], ended_on=day(9))) == []


def test_failure_on_the_last_day_excludes_nothing() -> None:
    """Appointed again for the same afternoon. Late Provision Notification fields; D19."""
    same_day = Agreement("another key", at(0, 11), at(0, 13), at(0, 18))

    assert list(failure_periods([failed(0, code="RC003")], [agreed(0), same_day], ended_on=day(0))) == []


def test_all_ten_exclusion_codes_with_the_documents_texts() -> None:
    """Exclusion reason codes."""
    assert dict(ExclusionCode.choices) == {
        "RC001": "End customer or buyer requested cancellation"
        " (late cancellation, so the job was provided then ceased)",
        "RC002": "End customer or agent damaged equipment or wiring",
        "RC003": "End customer access issues (no access, no suitable person, wayleave refused, hazard)",
        "RC010": "Not total loss of service",
        "RC012": "MBORC",
        "RC014": "Buyer access or site details unavailable or incorrect",
        "RC016": "Temporary service provided, further work needed for permanent service",
        "RC036": "Delivery date amended by the buyer to a new date,"
        " or the buyer did not choose the earliest date offered",
        "RC037": "Buyer did not choose the earliest date offered",
        "RC043a": "Site unsafe",
    }
