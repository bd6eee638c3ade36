"""What the members of a job's network details are called; the contract leaves them to the seller."""

from django.utils.translation import gettext_lazy as _

KNOWN = {
    "olt": _("OLT"),
    "ponPort": _("PON port"),
    "node": _("Node"),
    "splitter": _("Splitter"),
    "drop": _("Drop cable"),
    "type": _("Network type"),
}


def label_of(name: str) -> str:
    """An unknown member is shown as it came."""
    return str(KNOWN.get(name, name))
