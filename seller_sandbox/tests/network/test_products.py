"""What premises and accounts may have (order-provisioning.md, availableProduct; Endpoints 1 to 5)."""

import pytest

from seller_sandbox import clock
from seller_sandbox.network import products, services
from seller_sandbox.network.models import Buyer, OntModel
from seller_sandbox.tests.network.samples import (
    BUSINESS,
    COMPLEX,
    LEASED_LINE,
    LOCAL_160,
    LOCAL_1000,
    NATIONAL_160,
    NATIONAL_1000,
    REMOTE,
    buyer,
    premises,
    product,
)

pytestmark = pytest.mark.usefixtures("network")
RESIDENTIAL = [LOCAL_160, LOCAL_1000, NATIONAL_160, NATIONAL_1000]


def required(situation: int, account: str = "A") -> dict[str, str]:
    """Product name to appointment required."""
    available = products.list_available(location=premises(situation), buyer=buyer(account))
    return {entry.product.name: entry.appointment_required for entry in available}


@pytest.mark.parametrize("situation", [1, 2, 3, 8, 9, 30, 34, 50, 51, 52, 60, 61, 62])
def test_premises_without_ont_need_an_appointment(situation: int) -> None:
    assert required(situation) == dict.fromkeys(RESIDENTIAL, "yes")


@pytest.mark.parametrize("situation", [10, 20, 21, 22, 23, 24, 25, 28])
def test_ont_that_supports_the_product_says_maybe(situation: int) -> None:
    assert required(situation) == {**dict.fromkeys(RESIDENTIAL, "maybe"), REMOTE: "no"}


@pytest.mark.parametrize("situation", [11, 26, 27])
def test_ont_that_does_not_support_the_product_says_yes(situation: int) -> None:
    assert required(situation) == {
        LOCAL_160: "maybe",
        NATIONAL_160: "maybe",
        LOCAL_1000: "yes",
        NATIONAL_1000: "yes",
        REMOTE: "no",
    }


def test_ont_that_supports_nothing_offers_no_remote_activation() -> None:
    assert required(12) == dict.fromkeys(RESIDENTIAL, "yes")


@pytest.mark.parametrize("situation", [31, 32, 33, 35, 40, 41, 42, 43])
def test_premises_that_cannot_be_ordered_have_none(situation: int) -> None:
    assert required(situation) == {}


@pytest.mark.parametrize("situation", [4, 5])
def test_business_premises_have_the_business_product(situation: int) -> None:
    assert required(situation) == {BUSINESS: "yes"}


def test_complex_product_is_marked() -> None:
    only = products.list_available(location=premises(6), buyer=buyer())
    both = products.list_available(location=premises(7), buyer=buyer())

    assert [(entry.product.name, entry.is_complex) for entry in only] == [(COMPLEX, True)]
    assert {entry.product.name for entry in both if not entry.is_complex} == set(RESIDENTIAL)


def test_complex_product_is_not_marked_where_an_ont_is_installed() -> None:
    """Endpoints 3: it is activated like any other one (D8)."""
    location = premises(6)
    services.install_ont(
        location=location,
        ont_model=OntModel.objects.filter(products=product(COMPLEX)).first(),
        fsan="ALCL0A0B0C0D",
        serial_number="1",
        at=clock.now(),
    )

    available = products.list_available(location=location, buyer=buyer())

    assert [(entry.appointment_required, entry.is_complex) for entry in available] == [("maybe", False)]


def test_buyer_sees_what_it_is_permitted() -> None:
    assert set(required(1, "B")) == set(RESIDENTIAL)
    assert set(required(1, "C")) == {NATIONAL_160, NATIONAL_1000}
    assert (required(4, "B"), required(6, "C")) == ({}, {})


def test_local_access_is_handed_over_in_the_area_and_national_access_anywhere() -> None:
    nnis = {
        entry.product.name: entry.nni_identifiers
        for entry in products.list_available(location=premises(1), buyer=buyer())
    }

    assert nnis == {
        LOCAL_160: ["ENNI-A1", "ENNI-A2"],
        LOCAL_1000: ["ENNI-A1", "ENNI-A2"],
        NATIONAL_160: ["ENNI-A8", "ENNI-A9"],
        NATIONAL_1000: ["ENNI-A8", "ENNI-A9"],
    }


def test_product_that_no_enni_can_take_is_not_offered() -> None:
    buyer("A").nnis.filter(areas=[]).delete()

    assert set(required(1)) == {LOCAL_160, LOCAL_1000}


def test_product_that_is_not_ftth_is_never_offered() -> None:
    leased_line = product(LEASED_LINE)
    Buyer.objects.get(identifier="BUYERA").products.add(leased_line)
    premises(1).product_group.products.add(leased_line)

    assert LEASED_LINE not in required(1)
    assert not products.is_offered_at(product=leased_line, location=premises(1))
    assert products.is_permitted(product=leased_line, buyer=buyer())


def test_one_query_for_each_table_however_many_products(django_assert_num_queries: object) -> None:
    location, buyer_a = premises(10), buyer()

    # clock, ONT, products, their ONT models, ENNIs
    with django_assert_num_queries(5):  # type: ignore[operator]
        products.list_available(location=location, buyer=buyer_a)
