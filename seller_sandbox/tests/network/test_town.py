"""A made town is the same for its seed, has premises of every RFS status, and its services fit their premises."""

from collections import Counter

import pytest
from django.core.management import CommandError, call_command

from seller_sandbox import clock
from seller_sandbox.network import addresses, locations, products
from seller_sandbox.network.models import Location, RfsStatus, Service, SlotCapacity
from seller_sandbox.network.town import make_town

pytestmark = pytest.mark.usefixtures("network")
# ten cabinets: each stage of building is among them
PREMISES = 1000


def town(seed: int = 7) -> list[Location]:
    rows = Location.objects.filter(uprn__startswith=f"2{seed:03}")
    return list(rows.select_related("cabinet", "product_group").order_by("uprn"))


def described(seed: int = 7) -> list[tuple[object, ...]]:
    return [
        (
            *(location.lines, location.postcode, location.latitude, location.rfs_status, location.loc_codes),
            *(location.cabinet.release_on, location.dr_status, location.product_group.name),
            *location.services.values_list("product__name", "buyer__identifier", "s_vlan", "c_vlan"),
        )
        for location in town(seed)
    ]


def test_town_has_premises_of_every_status() -> None:
    assert make_town(premises=PREMISES, seed=7, visits=20) == PREMISES

    statuses = Counter(location.rfs_status for location in town())
    assert set(statuses) == set(RfsStatus)
    assert statuses[RfsStatus.RFS_1] > PREMISES / 5
    assert statuses[RfsStatus.RFS_4] > PREMISES / 10
    assert {code for location in town() for code in location.loc_codes} == {
        *("MDU", "CHP", "DAN", "DTL", "WSD", "SUR")
    }
    today = clock.today()
    assert any(locations.is_pre_order(location, today) for location in town())
    assert any(location.cabinet.release_on is None for location in town())


def test_installed_onts_and_live_services_fit_their_premises() -> None:
    make_town(premises=300, seed=7, visits=20)

    for location in town():
        ont = products.find_ont(location)
        assert (ont is not None) == locations.has_ont(location)
        live = list(location.services.filter(ended_at=None).select_related("buyer", "product"))
        assert len(live) == (location.rfs_status == RfsStatus.RFS_4)
        for service in live:
            assert ont
            assert products.supports(ont, service.product)
            assert products.is_permitted(product=service.product, buyer=service.buyer)
            assert products.is_offered_at(product=service.product, location=location)
            assert service.nni_identifier in products.list_nni_identifiers(
                product=service.product, location=location, buyer=service.buyer
            )


def test_every_buyer_has_live_services() -> None:
    make_town(premises=PREMISES, seed=7, visits=20)

    owners = set(Service.objects.filter(ended_at=None).values_list("buyer__identifier", flat=True))
    assert owners == {"BUYERA", "BUYERB", "BUYERC"}


def test_town_grows_and_keeps_what_it_has() -> None:
    make_town(premises=300, seed=7, visits=20)
    before = described()

    assert make_town(premises=300, seed=7, visits=20) == 0
    assert make_town(premises=500, seed=7, visits=20) == 200

    assert described()[:300] == before


def test_same_seed_gives_the_same_town_and_another_seed_another() -> None:
    make_town(premises=200, seed=7, visits=20)
    make_town(premises=200, seed=8, visits=20)
    first = described()
    Service.objects.filter(location__uprn__startswith="2007").delete()
    Location.objects.filter(uprn__startswith="2007").delete()

    make_town(premises=200, seed=7, visits=20)

    assert described() == first != described(8)


def test_town_s_areas_have_their_visits() -> None:
    make_town(premises=100, seed=7, visits=3)
    make_town(premises=100, seed=8, visits=5)

    rows = SlotCapacity.objects.filter(area__in={street.area for street in addresses.streets()})
    assert (rows.count(), {row.capacity for row in rows}) == (5 * 5 * 2, {5})


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--premises", "0"], "--premises 0 is not from 1 to 100000"),
        (["--seed", "1000"], "--seed 1000 is not from 0 to 999"),
        (["--visits", "-1"], "--visits -1 is not from 0 to 10000"),
    ],
)
def test_wrong_number_is_named(arguments: list[str], problem: str) -> None:
    with pytest.raises(CommandError, match=problem):
        call_command("make_town", *arguments)


def test_command_makes_a_town(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("make_town", "--premises", "50", "--seed", "3")

    assert capsys.readouterr().out == "50 new premises in the town of seed 3\n"
