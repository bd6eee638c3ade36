"""Test premises, the same in every sandbox: each situation that the order interface knows, several times.

UPRN 100SSNN and postcode LS3S STP are premises NN of situation SS (data/fixed_premises.json, README.md).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from seller_sandbox import clock
from seller_sandbox.network import addresses, business_days, data_files
from seller_sandbox.network.addresses import Street
from seller_sandbox.network.models import Cabinet, Half, Location, Ont, Service, SlotCapacity
from seller_sandbox.network.planned_premises import Catalogue, PlannedPremises, insert, plan_ont, plan_service

DATA = "fixed_premises"
SERVICE_AGE = timedelta(days=400)


@dataclass(frozen=True)
class Situation:
    """`release_in_days` counts from the day of loading; None is a cabinet without a date."""

    number: int
    title: str
    street: str
    copies: int
    rfs_status: str
    group: str
    classification: str
    property_type: str
    area: str
    dr_status: str
    release_in_days: int | None
    loc_codes: list[str] = field(default_factory=list)
    building: str = ""
    business: str = ""
    ont: str = ""
    service: dict[str, Any] | None = None

    @property
    def postcode(self) -> str:
        tens, units = divmod(self.number, 10)
        return f"LS3{tens} {units}TP"

    def uprn(self, copy: int) -> str:
        return f"100{self.number:02}{copy:02}"


def situations() -> list[Situation]:
    data = data_files.read(DATA)
    usual = {"copies": data["copies"], **data["defaults"]}
    return [Situation(**{**usual, **members}) for members in data["situations"]]


def load(*, copies: int | None = None) -> int:
    """Insert the premises that are missing, with their area's capacity; says how many were inserted.

    What became of the others, and of their cabinets, stays.
    """
    _load_capacity()
    return insert(_plan_all(copies))


def _plan_all(copies: int | None) -> Iterator[PlannedPremises]:
    catalogue = Catalogue()
    today = clock.today()
    for situation in situations():
        count = situation.copies if copies is None else min(copies, situation.copies)
        for copy in range(1, count + 1):
            yield _plan(catalogue, situation, copy, today)


def _plan(catalogue: Catalogue, situation: Situation, copy: int, today: date) -> PlannedPremises:
    location = _plan_location(catalogue, situation, copy, today)
    if not situation.ont:
        return PlannedPremises(location)
    # the FSAN shows the UPRN's digits
    ont = plan_ont(location, catalogue.ont_models[situation.ont], number=int(location.uprn, 16))
    if not situation.service:
        return PlannedPremises(location, ont)
    codes = situation.service.get("auxiliary_services", [])
    auxiliary_services = tuple(catalogue.auxiliary_services[code] for code in codes)
    return PlannedPremises(location, ont, _plan_live_service(catalogue, situation, ont), auxiliary_services)


def _plan_live_service(catalogue: Catalogue, situation: Situation, ont: Ont) -> Service:
    members = situation.service or {}
    buyer = catalogue.buyers[members["buyer"]]
    product = catalogue.products[members["product"]]
    service = plan_service(
        ont,
        buyer=buyer,
        product=product,
        nni_identifier=catalogue.nni_identifier(buyer, product, situation.area) or "",
        number=int(ont.location.uprn),
        started_at=clock.now() - SERVICE_AGE,
    )
    service.line_profile = members.get("line_profile", service.line_profile)
    return service


def _plan_location(catalogue: Catalogue, situation: Situation, copy: int, today: date) -> Location:
    days = situation.release_in_days
    release_on = None if days is None else today + timedelta(days=days)
    uprn = situation.uprn(copy)
    return Location(
        uprn=uprn,
        lines=_lines(situation, copy),
        town=addresses.read()["town"],
        postcode=situation.postcode,
        **_position(addresses.find_street(situation.street), copy),
        area=situation.area,
        property_type=situation.property_type,
        classification=situation.classification,
        rfs_status=situation.rfs_status,
        # one each, so that a release date can be moved for one test alone
        cabinet=Cabinet(name=f"KWL-TEST-{uprn}", release_on=release_on, release_set_on=today),
        loc_codes=situation.loc_codes,
        dr_status=situation.dr_status,
        product_group=catalogue.groups[situation.group],
        situation=situation.title,
    )


def _lines(situation: Situation, copy: int) -> list[str]:
    if situation.building:
        return [f"Flat {copy}", situation.building, f"{situation.number} {situation.street}"]
    front = f"{copy} {situation.street}"
    return [situation.business, front] if situation.business else [front]


def _position(street: Street, copy: int) -> dict[str, float]:
    """Along the street, some metres apart."""
    return {
        "latitude": round(street.latitude + copy * 0.00005, 6),
        "longitude": round(street.longitude + copy * 0.00008, 6),
    }


def _load_capacity() -> None:
    data = data_files.read(DATA)
    for area, types in data["usual_capacity"].items():
        for appointment_type, visits in types.items():
            for half, capacity in zip(Half, visits, strict=True):
                SlotCapacity.objects.get_or_create(
                    area=area,
                    appointment_type=appointment_type,
                    half=half,
                    day=None,
                    defaults={"capacity": capacity},
                )
    _load_single_slot(**data["single_slot"])


def _load_single_slot(*, area: str, business_days_ahead: int) -> None:
    """One visit on one morning; a new one when that day has passed."""
    today = clock.today()
    if SlotCapacity.objects.filter(area=area, day__gt=today).exists():
        return
    day = business_days.add_business_days(today, business_days_ahead)
    SlotCapacity.objects.create(area=area, appointment_type="install", day=day, half=Half.AM, capacity=1)
