"""Who is at fault when an appointment is missed, in the terms of the trade: the seller's side, the end user, matters
beyond reasonable control, or a hazard."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from closures import codes
from closures.codes import OTHER, ClosureCode


class FaultParty(models.TextChoices):
    """The seller's side is the network and whoever works for it: us, too."""

    SELLER = "seller", _("Seller's side")
    END_USER = "end_user", _("End user")
    MBORC = "mborc", _("Beyond reasonable control (MBORC)")
    HAZARD = "hazard", _("Hazard")


# every failure of closures/data/codes.json, without the prefix of its family (a test compares them)
PARTIES: dict[str, FaultParty | None] = {
    **dict.fromkeys(("PSP", "FTA", "CON", "POP", "ONT", "CPR", "ASS", "WAY", "QUO"), FaultParty.SELLER),
    "RNA/NA": FaultParty.END_USER,
    "NAPUV": FaultParty.END_USER,
    "NA": FaultParty.END_USER,
    "ASQ": FaultParty.END_USER,
    "MBORC": FaultParty.MBORC,
    "UNF": FaultParty.MBORC,
    "HAZ": FaultParty.HAZARD,
    # no visit was needed
    "NTR": None,
}


def party_of(code: str) -> FaultParty | None:
    """None for a success, and where no visit was needed. "Other reason" is the seller's side."""
    known = codes.find_code(code)
    if known.succeeds:
        return None
    return FaultParty.SELLER if known is OTHER else PARTIES[bare_code(known)]


def bare_code(code: ClosureCode) -> str:
    """Without the prefix of its family."""
    return code.code.removeprefix(code.family)


def party_of_late_arrival(found: FaultParty | None) -> FaultParty:
    """Of an engineer who came after the window, and found what speaks for this party: whoever was out by then, or let
    nobody in, kept the appointment. Only what keeps everybody away excuses it."""
    return found if found == FaultParty.MBORC else FaultParty.SELLER
