"""The job pack from which a job is created, free of wire names, and the fault report of a revisit as lines to read."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dispatch.models import Job
from dispatch.seller_codes import LINE_PARTS, next_action_text, part_text
from dispatch.states import JobType
from engineers.shifts import local_time


@dataclass(frozen=True)
class SiteAddress:
    lines: tuple[str, ...]
    town: str
    postcode: str


@dataclass(frozen=True)
class Premises:
    """`uprn` is a numeric string; degrees are WGS 84, both or neither known."""

    uprn: str
    address: SiteAddress
    latitude: float | None = None
    longitude: float | None = None
    classification: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class SiteContact:
    name: str
    phone: str
    email: str = ""


@dataclass(frozen=True)
class SiteAdvice:
    """What the engineer must know before and on arrival; free text."""

    access_restrictions: str = ""
    preferred_ont_location: str = ""
    hazards: str = ""
    notes: str = ""


@dataclass(frozen=True)
class ExpectedOnt:
    vendor: str = ""
    model: str = ""
    fsan: str = ""
    serial_number: str = ""


@dataclass(frozen=True)
class FaultReport:
    """The fault that led to a revisit; findings and files are the seller's, in any form. `last_diagnostics`: a dict
    with `code` and the parts of dispatch.seller_codes, or anything else as it came."""

    buyer_reference: str = ""
    maintainer_reference: str = ""
    kind: str = ""
    description: str = ""
    access: str = ""
    started_at: datetime | None = None
    findings: tuple[Any, ...] = ()
    last_diagnostics: Any = None
    files: tuple[Any, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As it is kept on the job: only what was given."""
        reported = {name: value for name, value in vars(self).items() if value}
        if self.started_at:
            reported["started_at"] = self.started_at.isoformat()
        return reported


@dataclass(frozen=True)
class JobPack:
    """Everything that the seller sent about one job. Two equal packs are the same job sent twice."""

    seller_job_id: str
    job_type: JobType
    product_name: str
    premises: Premises
    contact: SiteContact
    window_start: datetime
    window_end: datetime
    buyer_order_reference: str = ""
    seller_order_reference: str = ""
    service_identifier: str = ""
    line_profile: str = ""
    reservation_key: str = ""
    duration_minutes: int | None = None
    advice: SiteAdvice = field(default_factory=SiteAdvice)
    ont: ExpectedOnt = field(default_factory=ExpectedOnt)
    network: dict[str, Any] = field(default_factory=dict)
    previous_provider_job_id: str = ""
    fault: FaultReport | None = None
    content_sha256: str = ""


def fault_lines(job: Job) -> list[tuple[str, str]]:
    """Name and value of what the seller gave; empty for a job without a fault report."""
    reported: dict[str, Any] = job.fault
    lines = [
        (_("Fault"), fault_kind(reported.get("kind", ""))),
        (_("Description"), str(reported.get("description", ""))),
        (_("Since"), _moment(reported.get("started_at", ""))),
        (_("Access"), str(reported.get("access", ""))),
        (_("Findings"), " · ".join(map(format_free_value, reported.get("findings", [])))),
        (_("Last line check"), _last_diagnostics(reported.get("last_diagnostics", ""))),
        (_("Files"), ", ".join(map(_file, reported.get("files", [])))),
        (_("Buyer's fault reference"), str(reported.get("buyer_reference", ""))),
        (_("Maintainer's fault reference"), str(reported.get("maintainer_reference", ""))),
    ]
    return [(name, value) for name, value in lines if value]


# the values of the interface (faults-and-diagnostics.md, Fault report)
FAULT_KINDS = {
    "Service Outage": gettext_lazy("Service Outage"),
    "Impaired Service": gettext_lazy("Impaired Service"),
    "Performance Issue": gettext_lazy("Performance Issue"),
}


def fault_kind(name: str) -> str:
    """An unknown kind is shown as it came."""
    return str(FAULT_KINDS.get(name, name))


def _file(found: Any) -> str:
    """The name of a file and what it shows; anything else as it came."""
    if not isinstance(found, dict) or "name" not in found:
        return format_free_value(found)
    name, description = (format_free_value(found.get(part, "")) for part in ("name", "description"))
    return f"{name} ({description})" if description else name


def _last_diagnostics(found: Any) -> str:
    """The result of a line test in words, with its code; anything else as it came."""
    code = found.get("code") if isinstance(found, dict) else None
    if not isinstance(code, str):
        return format_free_value(found)
    status = str(found.get("current_status", ""))
    states = [part_text(part, str(found[part])) for part in LINE_PARTS if part in found]
    action = next_action_text(code, sellers_text=status)
    return " · ".join(filter(None, [code, *states, action]))


def _moment(written: str) -> str:
    if not written:
        return ""
    local = local_time(datetime.fromisoformat(written))
    return f"{date_format(local, _('D j M Y'))} {local:%H:%M}"


def classification_text(job: Job) -> str:
    """What kind of premises; a word that the seller made up stays as it is."""
    return str(CLASSIFICATIONS.get(job.classification, job.classification))


def format_free_value(value: Any) -> str:
    """Whatever the seller sent in a free member, on one line."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {format_free_value(item)}" for name, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(format_free_value, value))
    return str(value)


CLASSIFICATIONS = {
    "Residential": gettext_lazy("Residential"),
    "Business": gettext_lazy("Business"),
    "Other": gettext_lazy("Other"),
}
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
