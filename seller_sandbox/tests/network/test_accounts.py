"""Buyers by certificate, projects by date (order-provisioning.md, Project references), and working days."""

from datetime import date

import pytest

from seller_sandbox.network import business_days, buyers, projects
from seller_sandbox.network.models import Buyer
from seller_sandbox.tests.network.samples import buyer

DAY = date(2026, 11, 24)


@pytest.mark.usefixtures("network")
def test_buyer_is_found_by_identifier_and_by_certificate() -> None:
    assert buyers.find("BUYERA") == buyers.find_by_subject("buyer-a") == buyer("A")
    assert buyers.find("buyera") is buyers.find_by_subject("partner") is None


@pytest.mark.usefixtures("network")
def test_inactive_buyer_is_nobody() -> None:
    Buyer.objects.filter(identifier="BUYERA").update(is_active=False)

    assert buyers.find("BUYERA") is buyers.find_by_subject("buyer-a") is None


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize(
    ("reference", "is_found"),
    [
        ("PRJ-RUNNING", True),
        ("PRJ-ENDED", False),
        ("PRJ-FUTURE", False),
        ("PRJ-OF-B", False),
        ("PRJ-NONE", False),
        ("", False),
    ],
)
def test_project_must_be_the_buyer_s_own_and_running(reference: str, is_found: bool) -> None:
    found = projects.find_running(buyer=buyer("A"), reference=reference, day=DAY)

    assert (found is not None) == is_found


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize(
    ("day", "is_found"),
    [
        (date(2019, 12, 31), False),
        (date(2020, 1, 1), True),
        (date(2020, 12, 31), True),
        (date(2021, 1, 1), False),
    ],
)
def test_first_and_last_day_belong_to_a_project(day: date, is_found: bool) -> None:
    assert (projects.find_running(buyer=buyer("A"), reference="PRJ-ENDED", day=day) is not None) == is_found


@pytest.mark.parametrize(
    ("day", "is_business_day"),
    [
        (date(2026, 11, 24), True),
        (date(2026, 11, 28), False),
        (date(2026, 12, 25), False),
        # Boxing Day is a Saturday in 2026: the Monday after it is free
        (date(2026, 12, 28), False),
        (date(2027, 3, 26), False),
        (date(2027, 3, 29), False),
        (date(2027, 8, 30), False),
        # the second of January and Saint Andrew's Day are holidays of Scotland
        (date(2029, 1, 2), True),
        (date(2026, 11, 30), True),
    ],
)
def test_bank_holidays_of_england_are_no_business_days(day: date, is_business_day: bool) -> None:
    assert business_days.is_business_day(day) == is_business_day


def test_business_days_are_counted_over_weekends_and_holidays() -> None:
    christmas_eve = date(2026, 12, 24)

    assert business_days.add_business_days(christmas_eve, 0) == christmas_eve
    assert business_days.add_business_days(christmas_eve, 1) == date(2026, 12, 29)
    assert business_days.add_business_days(date(2026, 12, 26), 1) == date(2026, 12, 29)
    assert business_days.add_business_days(DAY, 10) == date(2026, 12, 8)
    assert business_days.business_day_before(date(2026, 12, 29)) == christmas_eve
    assert business_days.business_day_before(date(2026, 12, 27)) == christmas_eve
