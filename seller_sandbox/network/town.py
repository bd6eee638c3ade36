"""A made town: premises of every RFS status along the streets of Kirkwell, the same for the same seed and day."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from django.db import transaction

from seller_sandbox import clock
from seller_sandbox.network import addresses
from seller_sandbox.network.addresses import Street
from seller_sandbox.network.models import (
    AppointmentType,
    Cabinet,
    Classification,
    Half,
    Location,
    RfsStatus,
    SlotCapacity,
)
from seller_sandbox.network.planned_premises import PlannedPremises, insert
from seller_sandbox.network.town_connections import Connections

MOST_PREMISES, HIGHEST_SEED = 100_000, 999
PREMISES_OF_CABINET, PREMISES_OF_POSTCODE = 100, 16
BLOCK_SHARE, BUSINESS_SHARE, COMPLEX_SHARE, NOT_FTTH_SHARE = 0.03, 0.06, 0.02, 0.01
FLATS = (6, 18)
LOC_CODE_SHARES = {"CHP": 0.06, "DAN": 0.02, "DTL": 0.04, "WSD": 0.04, "SUR": 0.02}


@dataclass(frozen=True)
class Stage:
    """How far a cabinet's build is: days until its release, and by weight the RFS and DR status of its premises."""

    release_in_days: tuple[int, int] | None
    statuses: dict[RfsStatus, int]
    dr_statuses: tuple[str, ...] = ("",)


RELEASED = Stage(
    (-1500, -30), {RfsStatus.RFS_0: 3, RfsStatus.RFS_1: 52, RfsStatus.RFS_3: 12, RfsStatus.RFS_4: 33}
)
SOON = Stage(
    (10, 150),
    {RfsStatus.RFS_0: 5, RfsStatus.NOT_RFS_1: 10, RfsStatus.NOT_RFS_2: 85},
    ("DR1", "DR2", "DR3", "DR3", "DR4"),
)
WITHOUT_DATE = Stage(
    None, {RfsStatus.RFS_0: 20, RfsStatus.NOT_RFS_1: 50, RfsStatus.NOT_RFS_2: 30}, ("DR3", "DR4", "DR5")
)
# of each ten cabinets, in an order of the seed
STAGES = (*[RELEASED] * 8, SOON, WITHOUT_DATE)


@dataclass(frozen=True)
class Front:
    """A house, a business or a flat in a block."""

    lines: list[str]
    is_flat: bool = False
    is_business: bool = False


@transaction.atomic
def make_town(*, premises: int, seed: int, visits: int) -> int:
    """Insert the premises that are not there yet, says how many; `visits` is the capacity of an area's half day."""
    _load_capacity(visits)
    return insert(_plan_town(premises, seed))


def _load_capacity(visits: int) -> None:
    for area in sorted({street.area for street in addresses.streets()}):
        for appointment_type in AppointmentType:
            for half in Half:
                SlotCapacity.objects.update_or_create(
                    area=area,
                    appointment_type=appointment_type,
                    half=half,
                    day=None,
                    defaults={"capacity": visits},
                )


def _plan_town(premises: int, seed: int) -> Iterator[PlannedPremises]:
    connections = Connections()
    today = clock.today()
    for first in range(0, premises, PREMISES_OF_CABINET):
        count = min(PREMISES_OF_CABINET, premises - first)
        yield from _CabinetPlan(seed, first, today, connections).plan(count)


class _CabinetPlan:
    """The premises of one cabinet; the random numbers are its own, so that a larger town begins like a smaller one."""

    def __init__(self, seed: int, first: int, today: date, connections: Connections) -> None:
        self._rng = Random(f"{seed}/{first}")  # noqa: S311  # addresses, not keys
        self._seed, self._first, self._connections = seed, first, connections
        self._round, index = divmod(first // PREMISES_OF_CABINET, len(addresses.streets()))
        self._street = addresses.streets()[index]
        self._stage = _stage(seed, first // PREMISES_OF_CABINET)
        days = self._stage.release_in_days
        release_on = today + timedelta(days=self._rng.randint(*days)) if days else None
        number = first // PREMISES_OF_CABINET + 1
        self._cabinet = Cabinet(
            name=f"KWL-{seed:03}-{number:04}", release_on=release_on, release_set_on=today
        )

    def plan(self, count: int) -> Iterator[PlannedPremises]:
        fronts = self._fronts()
        for offset in range(count):
            location = self._plan_location(next(fronts), offset)
            yield self._connections.connect(location, number=self._number(offset), rng=self._rng)

    def _fronts(self) -> Iterator[Front]:
        """Premises along the street without end, the odd side first."""
        rng, data = self._rng, addresses.read()
        street_number = 1 + 2 * PREMISES_OF_CABINET * self._round
        while True:
            front = f"{street_number} {self._street.name}"
            draw = rng.random()
            if draw < BLOCK_SHARE:
                building = rng.choice(data["buildings"])
                for flat in range(1, rng.randint(*FLATS) + 1):
                    yield Front([f"Flat {flat}", building, front], is_flat=True)
            elif draw < BLOCK_SHARE + BUSINESS_SHARE:
                yield Front([rng.choice(data["businesses"]), front], is_business=True)
            else:
                yield Front([front])
            street_number += 2

    def _plan_location(self, front: Front, offset: int) -> Location:
        rng, street = self._rng, self._street
        return Location(
            uprn=f"2{self._seed:03}{self._first + offset + 1:07}",
            lines=front.lines,
            town=addresses.read()["town"],
            postcode=self._postcode(offset),
            **_position(street, rng),
            area=street.area,
            property_type="ETHERNET" if rng.random() < NOT_FTTH_SHARE else "FTTH",
            classification=_classification(front, rng),
            rfs_status=self._rfs_status(front),
            cabinet=self._cabinet,
            loc_codes=_loc_codes(front, rng),
            dr_status=rng.choice(self._stage.dr_statuses),
            product_group=self._connections.group(_group_name(front, rng)),
        )

    def _number(self, offset: int) -> int:
        return self._seed * MOST_PREMISES + self._first + offset

    def _rfs_status(self, front: Front) -> RfsStatus:
        statuses = self._stage.statuses
        status = self._rng.choices(list(statuses), weights=list(statuses.values()))[0]
        return RfsStatus.RFS_2 if front.is_flat and status == RfsStatus.RFS_1 else status

    def _postcode(self, offset: int) -> str:
        """One for each few premises; another cabinet of the street begins with other characters."""
        characters = addresses.INWARD_CODE_CHARACTERS
        first = characters[self._round % len(characters)]
        end = first + characters[offset // PREMISES_OF_POSTCODE]
        return f"{self._street.district}{end}"


def _stage(seed: int, index: int) -> Stage:
    order = Random(seed).sample(STAGES, len(STAGES))  # noqa: S311  # no secret
    return order[index % len(order)]


def _position(street: Street, rng: Random) -> dict[str, float]:
    return {
        "latitude": round(street.latitude + rng.uniform(-0.0015, 0.0015), 6),
        "longitude": round(street.longitude + rng.uniform(-0.0022, 0.0022), 6),
    }


def _classification(front: Front, rng: Random) -> Classification:
    if not front.is_business:
        return Classification.RESIDENTIAL
    return Classification.OTHER if rng.random() < 0.15 else Classification.BUSINESS


def _loc_codes(front: Front, rng: Random) -> list[str]:
    flags = [code for code, share in LOC_CODE_SHARES.items() if rng.random() < share]
    return ["MDU", *flags] if front.is_flat else flags


def _group_name(front: Front, rng: Random) -> str:
    if front.is_business:
        return "business"
    return "residential or complex" if rng.random() < COMPLEX_SHARE else "residential"
