"""A buyer's amendFaultReport: checked in full, then applied in full and confirmed (D1, D4)."""

from typing import Any

from seller_sandbox.faults import (
    appointing,
    holds,
    lifecycle,
    notification_members,
    reporting,
    tickets,
    validation,
)
from seller_sandbox.faults.models import FaultReport, FaultType
from seller_sandbox.faults.refusals import TicketRefused
from seller_sandbox.faults.revisits import visits
from seller_sandbox.faults.states import FaultEventKind, FaultState
from seller_sandbox.faults.wire.requests import AmendFaultReportRequest
from seller_sandbox.faults.wire.responses import FaultResponseCode
from seller_sandbox.network.models import Appointment, Buyer

# field of the model, element of the wire
AMENDABLE = {
    "report_date_time": "reportDateTime",
    "reporter_contact_details": "reporterContactDetails",
    "end_user_contact_details": "endUserContactDetails",
    "parent_fault_reference": "parentFaultReference",
    "description": "faultDetails/description",
    "fault_type": "faultDetails/type",
    "fault_start_time": "faultDetails/faultStartTime",
    "fault_location": "faultDetails/faultLocation",
    "site_access_details": "faultDetails/siteAccessDetails",
    "site_access_contact_details": "faultDetails/siteAccessContactDetails",
    "triage_complete": "faultDetails/triageComplete",
    "triage_findings": "faultDetails/triageFindings",
}
LISTS = {"files": "files", "update_texts": "updateText"}
KEY_ELEMENT = "appointment/appointmentReservationKey"
Changes = dict[str, Any]


def receive(request: AmendFaultReportRequest, *, buyer: Buyer) -> FaultReport:
    """Raises TicketRefused, and nothing has changed."""
    report = tickets.find(request.buyer_fault_reference, request.maintainer_fault_reference, buyer=buyer)
    if not report.is_open:
        remedy = "Amend it while it is Accepted, In Progress, On Hold or Re-Opened."
        raise tickets.wrong_state(report, "An amendment", possible=remedy)
    changes = {name: value for name, value in request.changes.items() if not _is_empty(value)}
    _check_service(report, changes.pop("service_affected", report.service_affected))
    key = changes.pop("appointment_reservation_key", "")
    appointment = _new_appointment(report, key, changes)
    _apply(report, changes, appointment)
    return report


def _is_empty(value: Any) -> bool:
    """An empty element changes nothing, and a contact whose parts are all empty does not either."""
    return not any(value.values()) if isinstance(value, dict) else value in ("", [])


def _check_service(report: FaultReport, service: str) -> None:
    if service != report.service_affected:
        raise TicketRefused(
            FaultResponseCode.NOT_AMENDABLE,
            f"serviceAffected stays {report.service_affected}. Send another fault report for another service.",
        )


def _new_appointment(report: FaultReport, key: str, changes: Changes) -> Appointment | None:
    """The reservation that takes the place of the ticket's, None when it keeps what it has. Raises TicketRefused."""
    fault_type = changes.get("fault_type", report.fault_type)
    is_outage = fault_type == FaultType.SERVICE_OUTAGE
    has_key = bool(key or report.appointment_id)
    # the rejections of a new report hold for a new type, too (D1)
    if "fault_type" in changes and is_outage and not has_key:
        raise _key_refused(
            "A Service Outage needs an appointment reservation key. Reserve a slot, send its key."
        )
    if not is_outage and not report.is_visit_needed and (key or (has_key and "fault_type" in changes)):
        raise _key_refused(f"{fault_type} takes no key before we say that a visit is needed. Leave it out.")
    if not key or key == report.appointment_reservation_key:
        return None
    if visits.is_engineer_on_site(report):
        raise _key_refused(visits.ON_SITE_REASON)
    appointment, problem = validation.find_reservation(key, service=report.service, buyer=report.buyer)
    if problem:
        raise _key_refused(problem)
    return appointment


def _key_refused(text: str) -> TicketRefused:
    return TicketRefused(FaultResponseCode.KEY_REFUSED, f"{KEY_ELEMENT}: {text}")


def _apply(report: FaultReport, changes: Changes, appointment: Appointment | None) -> None:
    """Give up the old slot, confirm the amendment, book the new slot, and go on if that was what we waited for."""
    if appointment:
        appointing.give_up(report, reason="Amended by the buyer")
    names = [_set(report, name, changes[name]) for name in AMENDABLE if name in changes]
    names += [element for name, element in LISTS.items() if name in changes]
    reporting.add_files(report, changes.get("files", []))
    reporting.add_updates(report, changes.get("update_texts", []))
    if appointment:
        names.append(KEY_ELEMENT)
    # the slot is booked afterwards, but it belongs to what was amended
    members = {"appointment": notification_members.appointment(appointment)} if appointment else {}
    lifecycle.apply(report, FaultEventKind.AMENDED, amended_fields=names, **members)
    if appointment:
        appointing.book(report, appointment)
    if report.state == FaultState.ON_HOLD and names:
        kind = FaultEventKind.APPOINTMENT_BOOKED if appointment else FaultEventKind.INFORMATION_RECEIVED
        holds.end(report, kind)


def _set(report: FaultReport, name: str, value: Any) -> str:
    """Change one field; of a contact the parts that are named."""
    if isinstance(value, dict):
        value = {**getattr(report, name), **{part: text for part, text in value.items() if text}}
    setattr(report, name, value)
    return AMENDABLE[name]
