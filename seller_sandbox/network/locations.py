"""Finds premises and says what an order there would be (order-provisioning.md, Location, Endpoints 1 and 2)."""

import re
from datetime import date
from typing import Any

from django.db.models import QuerySet

from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.network.models import FTTH, DrStatus, Location, RfsStatus

READY = frozenset({RfsStatus.RFS_1, RfsStatus.RFS_2, RfsStatus.RFS_3, RfsStatus.RFS_4})
WITH_ONT = frozenset({RfsStatus.RFS_3, RfsStatus.RFS_4})
NEAR_ENOUGH = frozenset({DrStatus.DR1, DrStatus.DR2, DrStatus.DR3})
EXTENDED_INSTALL_CODES = frozenset({"WSD", "SUR"})
_UPRN = re.compile(r"[0-9]{1,12}")
_POSTCODE = re.compile(r"[A-Z]{1,2}[0-9][A-Z0-9]?[0-9][A-Z]{2}")


def is_uprn(text: str) -> bool:
    """Whether it can be a UPRN at all: one to twelve digits."""
    return bool(_UPRN.fullmatch(text))


def find(uprn: str) -> Location | None:
    """The premises of this UPRN; zeros in front do not matter."""
    text = uprn.strip()
    if not is_uprn(text):
        return None
    return _BY_UPRN.first(uprn=text.lstrip("0"))


def find_by_postcode(postcode: str) -> list[Location]:
    """All premises of a postcode, in the order of their UPRNs; blanks and small letters do not matter."""
    return list(_with_related().filter(postcode=normalize_postcode(postcode)).order_by("uprn"))


def normalize_postcode(text: str) -> str:
    """`ls301tp` as `LS30 1TP`; empty for what is no postcode."""
    compact = "".join(text.upper().split())
    return f"{compact[:-3]} {compact[-3:]}" if _POSTCODE.fullmatch(compact) else ""


def rfs_status_on(location: Location, today: date) -> RfsStatus:
    """The status that counts: what was being built is ready for an engineer once its cabinet has gone live.

    The document has no event for it (Location, Cabinet Release Date): on that day NOT_RFS_2 becomes RFS_2.
    """
    stored = RfsStatus(location.rfs_status)
    return RfsStatus.RFS_2 if stored == RfsStatus.NOT_RFS_2 and location.cabinet.is_live(today) else stored


def is_pre_order(location: Location, today: date) -> bool:
    """The three conditions: release date in the future, DR3 or below, NOT_RFS_2 (Endpoints 2)."""
    release_on = location.cabinet.release_on
    return (
        location.rfs_status == RfsStatus.NOT_RFS_2
        and location.dr_status in NEAR_ENOUGH
        and release_on is not None
        and release_on > today
    )


def is_orderable(location: Location, today: date) -> bool:
    """Property type FTTH, and ready or a pre-order (Endpoints 1 and 2; order-decisions.md D1)."""
    is_ready = rfs_status_on(location, today) in READY
    return location.property_type == FTTH and (is_ready or is_pre_order(location, today))


def is_extended_install(location: Location) -> bool:
    """A shared drive or a survey before the install: KCI2 carries 203 (Errors; D8)."""
    return not EXTENDED_INSTALL_CODES.isdisjoint(location.loc_codes)


def has_ont(location: Location) -> bool:
    return location.rfs_status in WITH_ONT


def change(location: Location, **facts: Any) -> None:
    """Change what is known of premises; what is installed and live there changes by orders only."""
    for name, value in facts.items():
        setattr(location, name, value)
    location.save(update_fields=list(facts))


def _with_related() -> QuerySet[Location]:
    return Location.objects.select_related("cabinet", "product_group")


_BY_UPRN = CompiledQuery(lambda: _with_related().filter(uprn=Parameter("uprn")))
