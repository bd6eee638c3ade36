"""Areas: which one a postcode lies in; adding, changing and deleting them.

The postcodes of all areas say what somebody who is limited to some of them sees, so whoever is limited changes none.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from django.db import IntegrityError, transaction

from engineers.area_scope import check_unlimited, scope_of
from engineers.audit import record_audit
from engineers.models import Area, Engineer, User
from engineers.refusals import NameTaken
from engineers.staff import lock_supervisors

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


class AreaInUse(Exception):
    """Engineers work there, or people of the office are limited to it; `number` and `accounts` say how many, the
    suspended ones included."""

    def __init__(self, number: int, accounts: int = 0) -> None:
        super().__init__(number, accounts)
        self.number, self.accounts = number, accounts


class AreaChanged(Exception):
    """Somebody else has changed or deleted the area since it was shown."""


class PostcodesTaken(Exception):
    """Another area has one of these outward codes or postcode areas."""

    def __init__(self, area: Area, codes: Iterable[str]) -> None:
        super().__init__(area.name)
        self.area, self.codes = area, sorted(codes)


def area_version(area: Area) -> list[str]:
    """What a change names as the state that it began with."""
    return [area.name, area.postcodes]


@transaction.atomic
def create_area(*, name: str, postcodes: str, by: User) -> Area:
    """The same twice makes one area. Raises NameTaken, PostcodesTaken, PermissionDenied."""
    check_unlimited(scope_of(by))
    lock_supervisors()
    area, is_new = Area.objects.get_or_create(
        name__iexact=name, defaults={"name": name, "postcodes": postcodes}
    )
    if is_new:
        _check_postcodes(area)
        record_audit(actor=by, action="area_added", subject=area.name, after=_facts(area))
    elif area_version(area) != [name, postcodes]:
        raise NameTaken(area.name)
    return area


@transaction.atomic
def change_area(*, pk: int, name: str, postcodes: str, seen: list[str], by: User) -> bool:
    """Whether anything was different. `seen` is the area's version when the form was opened.

    Raises AreaChanged, NameTaken, PostcodesTaken, PermissionDenied.
    """
    check_unlimited(scope_of(by))
    lock_supervisors()
    area = Area.objects.select_for_update().filter(pk=pk).first()
    if area is None:
        raise AreaChanged
    if area_version(area) == [name, postcodes]:
        return False
    if area_version(area) != seen:
        raise AreaChanged
    before = _facts(area)
    area.name, area.postcodes = name, postcodes
    _check_postcodes(area)
    try:
        with transaction.atomic():
            area.save(update_fields=["name", "postcodes"])
    except IntegrityError as problem:
        raise NameTaken(name) from problem
    record_audit(actor=by, action="area_changed", subject=name, before=before, after=_facts(area))
    return True


@transaction.atomic
def delete_area(*, pk: int, by: User) -> str:
    """The name of the deleted area, empty where it was gone already. Raises AreaInUse, PermissionDenied."""
    check_unlimited(scope_of(by))
    area = Area.objects.select_for_update().filter(pk=pk).first()
    if area is None:
        return ""
    number = Engineer.objects.in_area(area.pk).count()
    accounts = area.area_limits.count()
    if number or accounts:
        raise AreaInUse(number, accounts)
    area.delete()
    record_audit(actor=by, action="area_deleted", subject=area.name, before=_facts(area))
    return area.name


def _facts(area: Area) -> dict[str, str]:
    return {"name": area.name, "postcodes": area.postcodes}


def _check_postcodes(area: Area) -> None:
    wanted = set(area.postcodes.split())
    for other in Area.objects.exclude(pk=area.pk):
        if shared := wanted.intersection(other.postcodes.split()):
            raise PostcodesTaken(other, shared)


@dataclass(frozen=True)
class AreaRecord:
    """What an area is to be; `pk` and `seen` (its version) of the area that is changed, None for a new one."""

    name: str
    postcodes: str
    pk: int | None = None
    seen: list[str] | None = None


@transaction.atomic
def save_areas(records: Iterable[AreaRecord], *, by: User) -> None:
    """All or nothing, so that a code may move from one area to another. Raises AreaChanged, also where a new one has
    been added since, PostcodesTaken, and PermissionDenied."""
    check_unlimited(scope_of(by))
    lock_supervisors()
    stored = {area.pk: area for area in Area.objects.select_for_update()}
    names = {area.name.lower() for area in stored.values()}
    for record in records:
        area = stored.get(record.pk) if record.pk else Area()
        if area is None or (record.pk and area_version(area) != record.seen):
            raise AreaChanged
        if not record.pk and record.name.lower() in names:
            raise AreaChanged
        before = _facts(area) if record.pk else None
        area.name, area.postcodes = record.name, record.postcodes
        area.save()
        stored[area.pk] = area
        action = "area_changed" if record.pk else "area_added"
        record_audit(actor=by, action=action, subject=area.name, before=before, after=_facts(area))
    for area in stored.values():
        _check_postcodes(area)
