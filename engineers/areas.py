"""Which area a postcode lies in."""

import re
from collections.abc import Iterable, Mapping
from itertools import groupby

from engineers.models import Area, Engineer

# the last part of a postcode: a digit and two letters
INWARD_CHARACTERS = 3


def area_map(areas: Iterable[Area]) -> dict[str, Area]:
    """By each outward code (`LS6`) or postcode area (`LS`) that an area names."""
    return {code: area for area in areas for code in area.postcodes.split()}


def find_area(postcode: str, areas: Mapping[str, Area]) -> Area | None:
    """The area that names the postcode's outward code, else the one that names its postcode area. With or without the
    blank: the seller's text may lack it."""
    outward, blank, _inward = postcode.strip().upper().partition(" ")
    if not blank:
        outward = outward[:-INWARD_CHARACTERS]
    postcode_area = re.match("[A-Z]*", outward)
    return areas.get(outward) or areas.get(postcode_area.group() if postcode_area else "")


def group_by_area(engineers: Iterable[Engineer]) -> list[tuple[str, list[Engineer]]]:
    """(name of the area, its engineers) in the order of the names; at the end, without a name, who has no area."""
    grouped = groupby(sorted(engineers, key=_area_key), key=_area_key)
    return [(name, list(members)) for (_is_without, name), members in grouped]


def _area_key(engineer: Engineer) -> tuple[bool, str]:
    return engineer.area is None, engineer.area.name if engineer.area else ""
