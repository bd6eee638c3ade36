"""What a buyer sends about faults, in domain words. A missing text is "", a missing time or switch None."""

from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any, ClassVar

from django.conf import settings

from seller_sandbox.orders.wire.requests import Header


@dataclass(frozen=True)
class TicketHeader:
    """The flat head of ticket messages (FN 6.1)."""

    ID_PATH: ClassVar = "messageId"
    api_version: str
    buyer_identifier: str
    sent_at: datetime
    message_id: str


@dataclass(frozen=True)
class AddFaultReportRequest:
    """Contacts are dicts of name, phone and email; files dicts of name, media_type, size_bytes, description."""

    header: TicketHeader
    buyer_fault_reference: str = ""
    parent_fault_reference: str = ""
    report_date_time: datetime | None = None
    reporter_contact_details: dict[str, str] = field(default_factory=dict)
    end_user_contact_details: dict[str, str] = field(default_factory=dict)
    service_affected: str = ""
    fault_type: str = ""
    description: str = ""
    fault_start_time: datetime | None = None
    fault_location: str = ""
    site_access_details: str = ""
    site_access_contact_details: dict[str, str] = field(default_factory=dict)
    triage_complete: bool | None = None
    triage_findings: str = ""
    appointment_reservation_key: str = ""
    files: list[dict[str, Any]] = field(default_factory=list)
    update_texts: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class AmendFaultReportRequest:
    """`changes` holds what the message names and nothing else, by the names of AddFaultReportRequest."""

    header: TicketHeader
    buyer_fault_reference: str
    maintainer_fault_reference: str = ""
    changes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ResolveResponseRequest:
    header: TicketHeader
    buyer_fault_reference: str
    resolve_accepted: bool
    maintainer_fault_reference: str = ""
    rejected_reason: str = ""


@dataclass(frozen=True)
class FaultReportUpdateRequest:
    header: TicketHeader
    buyer_fault_reference: str
    maintainer_fault_reference: str


@dataclass(frozen=True)
class RepairSlotsQuery:
    """Both days of the timeframe belong to it; None leaves that side open."""

    header: Header
    uprn: str = ""
    product_name: str = ""
    appointments_from: date | None = None
    appointments_to: date | None = None
    appointment_type: str = ""


@dataclass(frozen=True)
class ReserveRepairRequest:
    """The slot is local time, also when the message gave the times with an offset."""

    header: Header
    slot_date: date
    slot_start: time
    slot_end: time
    uprn: str = ""
    product_name: str = ""
    appointment_type: str = ""

    @property
    def starts_at(self) -> datetime:
        return datetime.combine(self.slot_date, self.slot_start, tzinfo=settings.LOCAL_ZONE)

    @property
    def ends_at(self) -> datetime:
        return datetime.combine(self.slot_date, self.slot_end, tzinfo=settings.LOCAL_ZONE)


TicketRequest = (
    AddFaultReportRequest | AmendFaultReportRequest | ResolveResponseRequest | FaultReportUpdateRequest
)
AppointmentRequest = RepairSlotsQuery | ReserveRepairRequest
ParsedFaultRequest = TicketRequest | AppointmentRequest
