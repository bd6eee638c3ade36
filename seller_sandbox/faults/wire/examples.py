"""One example of every message, in domain words; docs/fault-messages.md shows them as they go over the wire."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time
from typing import Any

from lxml import etree

from seller_sandbox.faults.states import FaultNotificationKind
from seller_sandbox.faults.wire import responses
from seller_sandbox.faults.wire.namespaces import INTERFACE
from seller_sandbox.faults.wire.requests import (
    AddFaultReportRequest,
    AmendFaultReportRequest,
    FaultReportUpdateRequest,
    ParsedFaultRequest,
    RepairSlotsQuery,
    ReserveRepairRequest,
    ResolveResponseRequest,
    TicketHeader,
)
from seller_sandbox.faults.wire.responses import FaultResponseCode
from seller_sandbox.network.models import Appointment
from seller_sandbox.orders.wire.requests import Header
from seller_sandbox.soap import callback, soap_faults
from seller_sandbox.soap.problems import NotXml

_K = FaultNotificationKind
MOMENT = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
START, END = datetime(2026, 11, 24, 8, tzinfo=UTC), datetime(2026, 11, 24, 13, tzinfo=UTC)
BUYER_REFERENCE = "FAULT-2026-0117"
OUR_REFERENCE = "FT-261123-000001-9F3A"
SERVICE, UPRN = "FBR100000001", "1002001"
PRODUCT = "Residential FTTH Local Access 160 Mbps"
KEY = "0b9e64ad-3a1b-4d53-8c52-5d0c9a1c7e21"
_NO_XML = NotXml("Not well-formed XML", "Send a well-formed XML document")
_BUYERS_ONLY = "Only a buyer may call sandbox/api2/addFaultReport"
MESSAGE_ID = "9f0c1d6e-7b0a-4a2f-8f52-0c7f8f1f2a10"
REPORTER = {"name": "Ada Bell", "phone": "+44 113 496 0001", "email": "ada.bell@example.org"}
END_USER = {"name": "Jo Marsh", "phone": "+44 7700 900123"}
FILE = {
    "name": "ont-lights.jpg",
    "media_type": "image/jpeg",
    "size_bytes": 48211,
    "description": "The lights",
}
HEADER = TicketHeader("1.1", "BUYERA", MOMENT, MESSAGE_ID)
ORDER_HEADER = Header(MESSAGE_ID, "c2a7f8b4-52a4-4e5f-9a0d-6f9be01d3c77", MOMENT, "BUYERA", "SANDBOX")
OUTAGE = AddFaultReportRequest(
    HEADER,
    buyer_fault_reference=BUYER_REFERENCE,
    report_date_time=MOMENT,
    reporter_contact_details=REPORTER,
    end_user_contact_details=END_USER,
    service_affected=SERVICE,
    fault_type="Service Outage",
    description="No service since this morning, Broadband light off",
    fault_start_time=datetime(2026, 11, 23, 7, 15, tzinfo=UTC),
    fault_location="Hall cupboard",
    site_access_details="Ring the bell of number 3",
    site_access_contact_details=END_USER,
    triage_complete=True,
    triage_findings="CFH001",
    appointment_reservation_key=KEY,
    files=[FILE],
    update_texts=["Router restarted, no change"],
)
# title, request
REQUESTS: tuple[tuple[str, ParsedFaultRequest], ...] = (
    ("A Service Outage with its appointment", OUTAGE),
    (
        "A Performance Issue",
        AddFaultReportRequest(
            HEADER,
            buyer_fault_reference="FAULT-2026-0118",
            parent_fault_reference=BUYER_REFERENCE,
            report_date_time=MOMENT,
            reporter_contact_details=REPORTER,
            end_user_contact_details=END_USER,
            service_affected=SERVICE,
            fault_type="Performance Issue",
            description="Slow in the evening",
            fault_start_time=MOMENT,
        ),
    ),
    (
        "An amendment: another appointment and a word to the supplier",
        AmendFaultReportRequest(
            HEADER,
            BUYER_REFERENCE,
            OUR_REFERENCE,
            {"appointment_reservation_key": KEY, "update_texts": ["The end user works in the morning"]},
        ),
    ),
    ("The resolution is accepted", ResolveResponseRequest(HEADER, BUYER_REFERENCE, True, OUR_REFERENCE)),
    (
        "The resolution is rejected",
        ResolveResponseRequest(HEADER, BUYER_REFERENCE, False, OUR_REFERENCE, "Still no light"),
    ),
    ("An update is requested", FaultReportUpdateRequest(HEADER, BUYER_REFERENCE, OUR_REFERENCE)),
    (
        "Repair slots of a week",
        RepairSlotsQuery(ORDER_HEADER, UPRN, PRODUCT, date(2026, 11, 24), date(2026, 11, 30), "repair"),
    ),
    (
        "A repair slot is reserved",
        ReserveRepairRequest(ORDER_HEADER, date(2026, 11, 24), time(8), time(13), UPRN, PRODUCT, "repair"),
    ),
)
REFUSED = etree.fromstring(
    f"<m><messageId>{MESSAGE_ID}</messageId><buyerIdentifier>BUYERA</buyerIdentifier></m>"
)
_AFTER_SERVICE = "buyerFaultReference, parentFaultReference, faultDetails, appointment, files, updateText"
_TWO = (
    "addFaultReport/serviceAffected: Element 'serviceAffected': This element is not expected."
    f" Expected is one of ( {_AFTER_SERVICE} ). Send serviceAffected once at most."
)
_KNOWN = {"buyer_fault_reference": BUYER_REFERENCE, "maintainer_fault_reference": OUR_REFERENCE}
# title, and what makes the answer
ANSWERS: tuple[tuple[str, Callable[[], bytes]], ...] = (
    (
        "addFaultReport: pending",
        lambda: responses.ticket_answer(
            "addFaultReport", header=HEADER, buyer_fault_reference=BUYER_REFERENCE, status="Pending"
        ),
    ),
    (
        "addFaultReport: rejected at once, by the console's switch",
        lambda: responses.ticket_answer(
            "addFaultReport", header=HEADER, buyer_fault_reference=BUYER_REFERENCE, status="Rejected"
        ),
    ),
    (
        "amendFaultReport",
        lambda: responses.ticket_answer("amendFaultReport", header=HEADER, **_KNOWN, status="In Progress"),
    ),
    (
        "resolveResponse",
        lambda: responses.ticket_answer(
            "resolveResponse", header=HEADER, **_KNOWN, status="Closed", resolve_accepted=True
        ),
    ),
    (
        "requestFaultReportUpdate",
        lambda: responses.ticket_answer(
            "requestFaultReportUpdate", header=HEADER, **_KNOWN, status="On Hold"
        ),
    ),
    (
        "queryAppointmentAvailability: accepted",
        lambda: responses.slots_answer(ORDER_HEADER, slots=[(START, END)]),
    ),
    (
        "queryAppointmentAvailability: rejected",
        lambda: responses.slots_answer(
            ORDER_HEADER, slots=[], reason_text=f"There are no premises with the UPRN {UPRN}."
        ),
    ),
    (
        "reserveAppointment: accepted",
        lambda: responses.reservation_answer(
            ORDER_HEADER,
            appointment=Appointment(key=KEY, starts_at=START, ends_at=END, expires_at=END),
        ),
    ),
    ("A SOAP fault: no XML", lambda: soap_faults.of_message(_NO_XML, INTERFACE).content),
    (
        "A SOAP fault: 403, the certificate has another role",
        lambda: (
            soap_faults.of_status(403, _BUYERS_ONLY, fault_code="accessDenied", interface=INTERFACE).content
        ),
    ),
    (
        "The buyer's acknowledgement of a notification",
        lambda: callback.acknowledge(
            MESSAGE_ID, namespace=INTERFACE.namespace, name="notifyAcceptedResponse"
        ),
    ),
)
# the path that was asked and what the 400 says, as tests/faults/test_fault_document.py hears it from the endpoint
REFUSALS: dict[FaultResponseCode, tuple[str, str]] = {
    FaultResponseCode.INVALID: ("addFaultReport", _TWO),
    FaultResponseCode.MESSAGE_ID_REUSED: (
        "addFaultReport",
        f"addFaultReport/messageId: The messageId {MESSAGE_ID} was used for another message."
        " Give each new message an id of its own; repeat a message byte for byte.",
    ),
    FaultResponseCode.REFERENCE_USED: (
        "addFaultReport",
        f"The buyerFaultReference {BUYER_REFERENCE} was used before. Give each fault report one of its own.",
    ),
    FaultResponseCode.UNKNOWN_FAULT_REPORT: (
        "requestFaultReportUpdate",
        f"You have no fault report {BUYER_REFERENCE} with {OUR_REFERENCE}."
        " Send the references of one fault report of yours.",
    ),
    FaultResponseCode.WRONG_STATE: (
        "resolveResponse",
        "resolveResponse is not possible: the fault report is In Progress."
        " Reply within 48 hours after notifyResolved.",
    ),
    FaultResponseCode.NOT_AMENDABLE: (
        "amendFaultReport",
        f"serviceAffected stays {SERVICE}. Send another fault report for another service.",
    ),
    FaultResponseCode.KEY_REFUSED: (
        "amendFaultReport",
        f"appointment/appointmentReservationKey: The appointment reservation key {KEY} cannot be used:"
        " no reservation of yours has this key. Reserve a slot and send its key.",
    ),
}
_TIME = MOMENT.isoformat()
_APPOINTMENT = {"key": KEY, "starts_at": START.isoformat(), "ends_at": END.isoformat()}
_MEMBERS: dict[FaultNotificationKind, dict[str, Any]] = {
    _K.REJECTED: {
        "state": "Rejected",
        "maintainer_fault_reference": "",
        "rejection": {
            "rejected_at": _TIME,
            "reasons": [
                {"code": "invalidServiceID", "message": f"{SERVICE} is not a live service of yours."}
            ],
        },
    },
    _K.IN_PROGRESS: {"state": "In Progress"},
    _K.ON_HOLD: {"state": "On Hold", "hold_reason": "Which lights of the ONT are on?"},
    _K.RESOLVED: {"state": "Resolved"},
    _K.CLOSED: {
        "state": "Closed",
        "closure": {
            "accepted_by": "Supplier",
            "text": "There was no reply for 48 hours: the resolution is treated as accepted by the supplier.",
        },
    },
    _K.CANCELLED: {"state": "Cancelled", "cancellation_reason": "Duplicate of another fault"},
    _K.AMENDED: {"amended_fields": ["appointment/appointmentReservationKey", "updateText"]},
    _K.APPOINTMENT_CONFIRMATION: {"appointment_status": "Confirmed"},
    _K.APPOINTMENT_CANCELLED: {
        "appointment_status": "Cancelled",
        "appointment_reason": "Amended by the buyer",
    },
    _K.APPOINTMENT_COMPLETED: {
        "completed_appointment": {"completed_at": _TIME, "outcome": "COMP Revisit completed"}
    },
    _K.MISSED_APPOINTMENT: {
        "missed_appointment": {
            "missed_at": END.isoformat(),
            "reason": "No engineer was on site by the end of the slot",
            "missed_by": "Supplier",
            "code": "FTA",
        }
    },
    _K.UPDATE: {
        "state": "In Progress",
        "update_reason": "Triage completed",
        "triage": {
            "code": "CFH001",
            "findings": "ONT is down, indicating a potential fibre issue",
            "decision": "An engineer visits in the reserved slot",
            "at": _TIME,
        },
        "contact_attempts": [{"kind": "Message", "outcome": "Message sent", "at": _TIME}],
    },
}
RE_OPENED = {"state": "Re-Opened", "update_reason": "Re-Opened by the buyer: Still no light"}
WITH_RESOLUTION = {_K.RESOLVED, _K.CLOSED}


def members(kind: FaultNotificationKind, **others: Any) -> dict[str, Any]:
    """The members of one notification of a kind, with `others` in place of the usual ones."""
    resolution = {"closure_code": "FR", "resolution": "Splice renewed", "resolved_at": _TIME}
    return {
        "message_id": MESSAGE_ID,
        "sent_at": _TIME,
        "event_at": _TIME,
        "buyer_identifier": "BUYERA",
        "state": "Accepted",
        "buyer_fault_reference": BUYER_REFERENCE,
        "maintainer_fault_reference": OUR_REFERENCE,
        "report_date_time": _TIME,
        "reporter_contact_details": REPORTER,
        "end_user_contact_details": END_USER,
        "service_affected": SERVICE,
        "fault_type": OUTAGE.fault_type,
        "description": OUTAGE.description,
        "fault_start_time": OUTAGE.fault_start_time.isoformat(),
        "appointment": _APPOINTMENT,
        "updates": [{"author": "Reporter", "text": OUTAGE.update_texts[0], "at": _TIME}],
        **(resolution if kind in WITH_RESOLUTION else {}),
        **_MEMBERS.get(kind, {}),
        **others,
    }
