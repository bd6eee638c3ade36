"""Who is at fault when an appointment is missed, in the terms of the trade: the seller's side, the end user, matters
beyond reasonable control, or a hazard."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from closures import codes


class FaultParty(models.TextChoices):
    """The seller's side is the network and whoever works for it: us, too."""

    SELLER = "seller", _("Seller's side")
    END_USER = "end_user", _("End user")
    MBORC = "mborc", _("Beyond reasonable control (MBORC)")
    HAZARD = "hazard", _("Hazard")


# closure codes without the prefix of their family; every other failure is the seller's side
PARTIES = {
    "RNA/NA": FaultParty.END_USER,
    "NAPUV": FaultParty.END_USER,
    "NA": FaultParty.END_USER,
    "ASQ": FaultParty.END_USER,
    "MBORC": FaultParty.MBORC,
    "UNF": FaultParty.MBORC,
    "HAZ": FaultParty.HAZARD,
}
NOBODY_S = frozenset({"NTR"})


def party_of(code: str) -> FaultParty | None:
    """None for a success, and where no visit was needed."""
    known = codes.find_code(code)
    bare = known.code.removeprefix(known.family)
    if known.succeeds or bare in NOBODY_S:
        return None
    return PARTIES.get(bare, FaultParty.SELLER)
