"""The seller's codes in words, for a dispatcher and an engineer: why a job was cancelled, what a check of a line means
and what to do next.
"""

from collections.abc import Mapping
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dispatch.models import TEST_COULD_NOT_RUN, ConnectionState, OntState, PortState

# faults-and-diagnostics.md, Next Best Action codes: the seller's texts are written for whoever raises a ticket
NEXT_ACTIONS = {
    "AOK001": gettext_lazy("The line works as far as the ONT's port. Look at the customer's own equipment."),
    "CFH001": gettext_lazy(
        "The ONT is offline, probably because of the fibre. Look at the ONT's lights, then check the fibre from "
        "the ONT outwards and measure the light level."
    ),
    "CFH002": gettext_lazy(
        "The ONT is online, but the connection is down on the network operator's side. Report it to the order desk."
    ),
    "CFH003": gettext_lazy(
        "The ONT is online, but the connection is down and nothing is connected to its Ethernet port. Connect the "
        "router and check again. If the connection stays down, report it to the order desk."
    ),
    "DYG001": gettext_lazy("The ONT has no power. Check its power supply, the switch and the socket."),
    "ISP001": gettext_lazy(
        "The ONT is online, but nothing is connected to its Ethernet port. Connect the router and check again."
    ),
    "ISP002": gettext_lazy(
        "The ONT is online, but the customer's router has no connection. Check the router's cable and settings, "
        "then ask the customer to call their internet provider."
    ),
    "ISP003": gettext_lazy("The line works. Check the cable in the ONT's Ethernet port."),
    "STF001": gettext_lazy("The seller couldn't test the line, so its state is unknown. Check again later."),
}
LINE_PARTS: dict[str, type[TextChoices]] = {"ont": OntState, "connection": ConnectionState, "port": PortState}
# how a part's state looks; one that is not here is not known
PART_TONES: dict[tuple[str, str], str] = {
    ("ont", OntState.UP): "good",
    ("ont", OntState.DOWN): "alarm",
    ("ont", OntState.NO_POWER): "alarm",
    ("connection", ConnectionState.UP): "good",
    ("connection", ConnectionState.DOWN_SELLER): "alarm",
    ("connection", ConnectionState.DOWN_BUYER): "warning",
    ("port", PortState.UP): "good",
    ("port", PortState.DOWN): "warning",
}
PART_NAMES = {
    "ont": gettext_lazy("ONT"),
    "connection": gettext_lazy("Connection"),
    "port": gettext_lazy("Ethernet port"),
}
# of a cancelJob (job-messages.md), whose list is open
CANCELLATION_REASONS = {
    "CUSTOMER": gettext_lazy("At the customer's request"),
    "BUYER": gettext_lazy("At the buyer's request"),
    "SELLER": gettext_lazy("The seller's decision"),
    "AMENDED": gettext_lazy("Order amended"),
    "APPOINTMENT": gettext_lazy("Appointment cancelled"),
    "MISSED": gettext_lazy("Appointment missed"),
    "CABINET": gettext_lazy("Cabinet not ready"),
    "CEASE": gettext_lazy("Losing provider's date moved"),
}


def next_action_text(code: str, *, sellers_text: str = "") -> str:
    """What to do next; a code that the document does not have keeps the seller's own text."""
    known = NEXT_ACTIONS.get(code)
    return str(known) if known else sellers_text


def line_state_text(code: str, *, is_down: bool) -> str:
    """One check at one look."""
    if code == TEST_COULD_NOT_RUN:
        return _("Line not tested")
    return _("Line down") if is_down else _("Line up")


def part_text(part: str, state: str) -> str:
    """`ONT: Offline`; a state of nobody's is not reported."""
    states = LINE_PARTS[part]
    known = states(state if state in states.values else "unknown")
    return _("%(part)s: %(state)s") % {"part": PART_NAMES[part], "state": str(known.label)}


def cancellation_text(facts: Mapping[str, Any]) -> str:
    """Of an event's facts the reason in the reader's language and the seller's message, empty for neither; a code that
    nobody knows stays as it came."""
    code, message = str(facts.get("reason_code") or ""), str(facts.get("reason") or "")
    return ": ".join(part for part in (str(CANCELLATION_REASONS.get(code, code)), message) if part)
