"""Streets of Kirkwell, an invented town: data/addresses.json."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from seller_sandbox.network import data_files

# the second part of a postcode never has C, I, K, M, O or V
INWARD_CODE_CHARACTERS = "ABDEFGHJLNPQRSTUWXYZ"


@dataclass(frozen=True)
class Street:
    """`district` is a postcode without its last two letters; the position is the street's middle, in degrees."""

    name: str
    district: str
    latitude: float
    longitude: float

    @property
    def area(self) -> str:
        """Whose engineers come here."""
        return read()["engineer_areas"][self.district.split()[0]]


def read() -> dict[str, Any]:
    return data_files.read("addresses")


@cache
def streets() -> list[Street]:
    return [Street(**members) for members in read()["streets"]]


def find_street(name: str) -> Street:
    return next(street for street in streets() if street.name == name)
