"""Each situation of the order interface has premises that anybody finds, and README.md lists them."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from jsonschema import Draft202012Validator

from seller_sandbox import clock
from seller_sandbox.jobs import schemas
from seller_sandbox.network import data_files, locations, products, services
from seller_sandbox.network.fixed_premises import load, situations
from seller_sandbox.network.loading import load_network
from seller_sandbox.network.models import Buyer, Cabinet, Location, Product, RfsStatus, Service
from seller_sandbox.network.reference_tables import as_markdown
from seller_sandbox.tests.network.samples import buyer, premises

README = Path(__file__).parents[2] / "README.md"
NUMBERS = [situation.number for situation in situations()]
PRE_ORDERS = {30, 34}
NOT_ORDERABLE = {31, 32, 33, 35, 40, 41, 42}
EXTENDED = {50, 51, 52}
OWNERS = {20: "A", 21: "A", 22: "A", 23: "A", 24: "B", 25: "C", 26: "A", 27: "B", 28: "A", 29: "A", 70: "A"}


def test_readme_lists_what_is_loaded() -> None:
    assert as_markdown() in README.read_text(), "run manage.py list_test_premises and put its tables there"


def test_names_in_the_files_are_names_of_products() -> None:
    data, accounts = data_files.read("products"), data_files.read("buyers")["buyers"]
    names = {product["name"] for product in data["products"]}
    used = [name for group in data["product_groups"].values() for name in group]
    used += [name for model in data["ont_models"] for name in model["products"]]
    used += [name for account in accounts for name in account["products"]]

    assert set(used) <= names


def test_names_in_the_files_are_auxiliary_services_and_line_profiles() -> None:
    data, accounts = data_files.read("products"), data_files.read("buyers")["buyers"]
    codes = [code for entry in [*data["products"], *accounts] for code in entry.get("auxiliary_services", [])]
    profiles = [name for product in data["products"] for name in product["line_profiles"]]

    assert set(codes) == {entry["code"] for entry in data["auxiliary_services"]}
    assert set(profiles) == set(data["line_profiles"])


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize("number", NUMBERS)
def test_premises_are_what_their_situation_says(number: int) -> None:
    location, today = premises(number), clock.today()

    assert locations.is_orderable(location, today) == (number not in NOT_ORDERABLE)
    assert locations.is_pre_order(location, today) == (number in PRE_ORDERS)
    assert locations.is_extended_install(location) == (number in EXTENDED)
    live = services.find_live(location)
    assert (live.buyer.identifier if live else None) == (
        f"BUYER{OWNERS[number]}" if number in OWNERS else None
    )
    assert (products.find_ont(location) is not None) == locations.has_ont(location)


@pytest.mark.usefixtures("network")
def test_every_location_fits_a_job_pack() -> None:
    """createJob, property: address, position, classification and flags (job-messages.md)."""
    validator = Draft202012Validator(schemas.validator("createJob").schema["properties"]["property"])

    for location in Location.objects.all():
        premises_of_pack = {
            "uprn": location.uprn,
            "address": {"lines": location.lines, "town": location.town, "postcode": location.postcode},
            "latitude": location.latitude,
            "longitude": location.longitude,
            "classification": location.classification,
            "flags": location.loc_codes,
        }
        assert list(validator.iter_errors(premises_of_pack)) == []
        assert abs(location.latitude - 53.8) < 0.1
        assert abs(location.longitude + 1.55) < 0.1


@pytest.mark.usefixtures("network")
def test_every_regrade_pair_can_be_tried() -> None:
    """Regrade product pairs: twelve directed pairs of four products (D12), all carried by the ONTs of 20 to 23."""
    lives = [services.find_live(premises(number)) for number in (20, 21, 22, 23)]
    pairs = [
        (live.product.name, entry.product.name)
        for live in lives
        if live
        for entry in products.list_available(location=live.location, buyer=buyer())
        if entry.product != live.product and not entry.product.is_remote_only
    ]

    assert len(set(pairs)) == len(pairs) == 12


@pytest.mark.usefixtures("network")
def test_postcode_finds_all_its_premises_and_a_uprn_its_own() -> None:
    assert [location.uprn for location in locations.find_by_postcode("ls30 1tp")] == ["1000101", "1000102"]
    assert [location.uprn for location in locations.find_by_postcode("LS309TP")] == ["1000901"]
    assert (locations.find("000001000101"), locations.find("1009999")) == (premises(1), None)


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize("text", ["", " ", "12a", "1" * 13, "٣٣", "-1", "1000101.0", "0"])
def test_text_that_is_no_uprn_finds_nothing(text: str) -> None:
    assert locations.find(text) is None


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize("text", ["", "LS30", "1TP", "LS30 1TP 2", "LS30-1TP", "é", "LS30 1T٣"])
def test_text_that_is_no_postcode_finds_nothing(text: str) -> None:
    assert locations.find_by_postcode(text) == []


@pytest.mark.django_db
def test_loading_again_changes_nothing() -> None:
    load_network(copies=1)
    before = [model.objects.count() for model in (Location, Cabinet, Service, Product, Buyer)]

    again = load_network(copies=1)

    assert again.new_premises == 0
    assert [model.objects.count() for model in (Location, Cabinet, Service, Product, Buyer)] == before


@pytest.mark.django_db
def test_loading_again_keeps_what_became_of_premises_and_buyers_but_restores_permissions() -> None:
    load_network(copies=1)
    Location.objects.filter(uprn="1000101").update(rfs_status=RfsStatus.RFS_3)
    cabinet = premises(30).cabinet
    Cabinet.objects.filter(pk=cabinet.pk).update(release_on=cabinet.release_on + timedelta(days=9))
    Buyer.objects.filter(identifier="BUYERA").update(callback_urls=["https://a.example"], notice_days=1)
    buyer("A").products.clear()

    load_network(copies=2)

    assert premises(1).rfs_status == RfsStatus.RFS_3
    assert premises(30).cabinet.release_on == cabinet.release_on + timedelta(days=9)
    assert (buyer("A").callback_urls, buyer("A").notice_days) == (["https://a.example"], 30)
    assert buyer("A").products.count() == 8


@pytest.mark.django_db
def test_single_slot_comes_again_when_its_day_has_passed() -> None:
    load_network(copies=1)
    clock.move(seconds=30 * 24 * 3600)

    load()

    assert Location.objects.filter(uprn="1006120").exists()
    assert products.list_available(location=premises(61), buyer=buyer())


@pytest.mark.django_db
def test_command_says_what_it_loaded(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("load_network")

    assert capsys.readouterr().out == "8 products, 3 buyers, 4 projects; 781 new test premises\n"
