"""Whether a new fault report is accepted: the four rejections of the document and no others (Errors; D1 to D3)."""

from dataclasses import dataclass, field

from seller_sandbox.faults.models import FaultReport
from seller_sandbox.network import appointments, services
from seller_sandbox.network.appointments import KeyCheck
from seller_sandbox.network.models import Appointment, AppointmentType, Buyer, Service

MISSING = "missingInformation"
INVALID_SERVICE = "invalidServiceID"
KEY_NEEDED = "appointmentReservationKeyRequired"
KEY_NOT_ALLOWED = "appointmentReservationKeyNotAllowed"
KEY_TEXTS = {
    KeyCheck.UNKNOWN: "no reservation of yours has this key",
    KeyCheck.WRONG_UPRN: "the reservation is for other premises",
    KeyCheck.WRONG_PRODUCT: "the reservation is for another product",
    KeyCheck.EXPIRED: "the reservation has expired or was given back",
    KeyCheck.IN_USE: "the reservation is used already",
}
# field of the model, element of the wire; both name and phone of a contact (D3)
MANDATORY = {
    "report_date_time": "reportDateTime",
    "service_affected": "serviceAffected",
    "buyer_fault_reference": "buyerFaultReference",
    "fault_type": "faultDetails/type",
    "description": "faultDetails/description",
    "fault_start_time": "faultDetails/faultStartTime",
}
CONTACTS = {
    "reporter_contact_details": "reporterContactDetails",
    "end_user_contact_details": "endUserContactDetails",
}


@dataclass(frozen=True)
class FaultReportCheck:
    """Why a report is rejected, or what it is about; `reasons` are {code, message}."""

    reasons: list[dict[str, str]] = field(default_factory=list)
    service: Service | None = None
    appointment: Appointment | None = None


def check(report: FaultReport) -> FaultReportCheck:
    """All that is wrong with a pending report, at once."""
    reasons = [_reason(MISSING, f"{name} is missing. Send it.") for name in missing(report)]
    service = find_service(report.service_affected, buyer=report.buyer)
    if report.service_affected and service is None:
        reasons.append(_reason(INVALID_SERVICE, f"{report.service_affected} is not a live service of yours."))
    appointment, problem = None, ""
    if report.fault_type:
        appointment, problem = check_key(report, service=service)
    if problem:
        code = KEY_NEEDED if report.is_outage else KEY_NOT_ALLOWED
        reasons.append(_reason(code, problem))
    return FaultReportCheck(reasons, service, appointment)


def missing(report: FaultReport) -> list[str]:
    """Elements of the mandatory information that are not there."""
    found = [element for name, element in MANDATORY.items() if not getattr(report, name)]
    for name, element in CONTACTS.items():
        contact = getattr(report, name)
        found += [f"{element}/{part}" for part in ("name", "phone") if not contact.get(part)]
    return found


def find_service(identifier: str, *, buyer: Buyer) -> Service | None:
    """A live service of this buyer; what is ceased, unknown or another's is all the same (D3)."""
    service = services.find(identifier) if identifier else None
    is_own = service is not None and service.buyer_id == buyer.pk and service.ended_at is None
    return service if is_own else None


def check_key(report: FaultReport, *, service: Service | None) -> tuple[Appointment | None, str]:
    """The reservation that the report's type asks for, or what is wrong with its key (D1, D3)."""
    key = report.appointment_reservation_key
    if not report.is_outage:
        return (
            None,
            f"{report.fault_type} takes no appointment reservation key. Leave it out." if key else "",
        )
    if not key:
        return None, "A Service Outage needs an appointment reservation key. Reserve a slot and send its key."
    return find_reservation(key, service=service, buyer=report.buyer) if service else (None, "")


def find_reservation(key: str, *, service: Service, buyer: Buyer) -> tuple[Appointment | None, str]:
    """The repair reservation with this key at the service's premises, or why it cannot be used."""
    uprn, product = service.location.uprn, service.product
    found = appointments.find(key=key, buyer=buyer)
    result = appointments.check(found, uprn=uprn, product=product)
    if result == KeyCheck.OK and found and found.appointment_type == AppointmentType.REPAIR:
        return found, ""
    text = KEY_TEXTS.get(result, "the reservation is not for a repair")
    return (
        None,
        f"The appointment reservation key {key} cannot be used: {text}. Reserve a slot and send its key.",
    )


def _reason(code: str, message: str) -> dict[str, str]:
    return {"code": code, "message": message}
