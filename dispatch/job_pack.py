"""What a job is made from: the job pack in the trade's words, free of wire names."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from dispatch.states import JobType


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
    """What the engineer must know before and at the door; free text."""

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
    """The fault that led to a revisit; findings, diagnostics and files are the seller's, in any form."""

    buyer_reference: str = ""
    maintainer_reference: str = ""
    kind: str = ""
    description: str = ""
    started_at: datetime | None = None
    findings: tuple[Any, ...] = ()
    last_diagnostics: Any = None
    files: tuple[Any, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As it is kept on the job: only what was given."""
        given = {name: value for name, value in vars(self).items() if value}
        if self.started_at:
            given["started_at"] = self.started_at.isoformat()
        return given


@dataclass(frozen=True)
class JobPack:
    """Everything that the seller said about one job. Two equal packs are the same job said twice."""

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
