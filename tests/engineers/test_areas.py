"""The area of a postcode."""

import pytest
from django.core.exceptions import ValidationError

from engineers.areas import area_map, find_area
from engineers.models import Area

AREAS = [
    Area(name="Leeds North", postcodes="LS6 LS7 LS16"),
    Area(name="Bradford", postcodes="BD"),
    Area(name="Rest"),
]


@pytest.mark.parametrize(
    ("postcode", "name"),
    [
        ("LS6 3AB", "Leeds North"),
        ("ls16 1aa", "Leeds North"),
        ("BD12 9XX", "Bradford"),
        ("BD1A 9XX", "Bradford"),
        ("LS63AB", "Leeds North"),
        ("LS163AB", "Leeds North"),
        # LS1 is no part of LS16
        ("LS1 4AB", None),
        ("LS60 1AA", None),
        ("", None),
        ("???", None),
    ],
)
def test_postcode_lies_in_the_area_that_names_its_outward_code(postcode: str, name: str | None) -> None:
    found = find_area(postcode, area_map(AREAS))

    assert (found.name if found else None) == name


@pytest.mark.parametrize("postcodes", ["LS6, LS7", "ls6", "LS6 ", "123"])
def test_list_that_cannot_match_is_refused(postcodes: str) -> None:
    with pytest.raises(ValidationError, match="valid value"):
        Area(name="Leeds", postcodes=postcodes).clean_fields()
