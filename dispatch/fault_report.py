"""What the seller gave freely, as lines to read: the fault report of a revisit, and the network details."""

from datetime import datetime
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dispatch.models import Job
from engineers.shifts import local_time


def fault_lines(job: Job) -> list[tuple[str, str]]:
    """Name and value of what the seller gave; empty for a job without a fault report."""
    given: dict[str, Any] = job.fault
    lines = [
        (_("Fault"), str(given.get("kind", ""))),
        (_("Description"), str(given.get("description", ""))),
        (_("Since"), _moment(given.get("started_at", ""))),
        (_("Findings"), format_free_value(given.get("findings", []))),
        (_("Last diagnostics"), format_free_value(given.get("last_diagnostics", ""))),
        (_("Files"), format_free_value(given.get("files", []))),
        (_("Buyer's fault reference"), str(given.get("buyer_reference", ""))),
        (_("Maintainer's fault reference"), str(given.get("maintainer_reference", ""))),
    ]
    return [(name, value) for name, value in lines if value]


def _moment(written: str) -> str:
    if not written:
        return ""
    local = local_time(datetime.fromisoformat(written))
    return f"{date_format(local, _('D j M Y'))} {local:%H:%M}"


def format_free_value(value: Any) -> str:
    """Whatever the seller sent in a free member, on one line."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {format_free_value(one)}" for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(map(format_free_value, value))
    return str(value)


NETWORK_LABELS = {
    "olt": gettext_lazy("OLT"),
    "ponPort": gettext_lazy("PON port"),
    "node": gettext_lazy("Node"),
    "splitter": gettext_lazy("Splitter"),
    "drop": gettext_lazy("Drop cable"),
    "type": gettext_lazy("Network type"),
}


def network_label(name: str) -> str:
    """An unknown member is shown as it came."""
    return str(NETWORK_LABELS.get(name, name))
