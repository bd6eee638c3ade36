"""Jobs of some areas as a condition in the database: the same answer as engineers.areas.find_area gives for one job."""

from collections.abc import Iterable

from django.db.models import Q

from engineers.areas import INWARD_CHARACTERS, area_map
from engineers.models import Area


def lies_in(areas: Iterable[int]) -> Q:
    """A job that lies in one of these areas (keys); none for no area. One query now, for the postcodes of all areas."""
    wanted, owners = set(areas), area_map(Area.objects.all())
    found = Q(pk=None)
    for code, area in owners.items():
        if area.pk in wanted:
            found |= _has_outward(code) if any(map(str.isdigit, code)) else _has_postcode_area(code, owners)
    return found


def _has_outward(code: str) -> Q:
    """`LS1` and not `LS12`: what follows is the inward code and nothing else."""
    return Q(
        postcode_key__startswith=code, postcode_key__regex=f"^{code}[0-9][A-Z]{{{INWARD_CHARACTERS - 1}}}$"
    )


def _has_postcode_area(code: str, owners: Iterable[str]) -> Q:
    """All of `LS` but the outward codes that another area, or the same, names itself."""
    named = [other for other in owners if other != code and other.startswith(code)]
    found = Q(postcode_key__startswith=code, postcode_key__regex=f"^{code}[0-9]")
    for other in named:
        if other[len(code) : len(code) + 1].isdigit():
            found &= ~_has_outward(other)
    return found
