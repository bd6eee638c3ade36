"""The answers to requests about faults; also those of a 400 by schema or rule (D18)."""

from collections.abc import Iterable
from datetime import datetime
from enum import IntEnum
from typing import Any

from django.conf import settings
from lxml import etree

from seller_sandbox import clock
from seller_sandbox.faults.wire.fields import (
    BUYER_REFERENCE,
    KEY,
    MAINTAINER_REFERENCE,
    ORDER_HEADER,
    SLOT,
    TICKET_HEADER,
    instant,
    reason,
    switch,
)
from seller_sandbox.faults.wire.namespaces import INTERFACE, INTERFACE_VERSION, tag
from seller_sandbox.network.models import Appointment
from seller_sandbox.soap import envelope
from seller_sandbox.soap.layout import Group, Many, Part, Text, Values, text_of
from seller_sandbox.soap.text_formats import slot_values


class FaultResponseCode(IntEnum):
    """responseCode; the document shows none of its values."""

    OK = 0
    INVALID = 1
    MESSAGE_ID_REUSED = 2
    REFERENCE_USED = 3
    UNKNOWN_FAULT_REPORT = 4
    WRONG_STATE = 5
    NOT_AMENDABLE = 6
    KEY_REFUSED = 7


_CODE = Text("response_code", tag("responseCode"))
_ERROR = Text("error_message", tag("errorMessage"))
TICKET_ANSWER: tuple[Part, ...] = (
    *TICKET_HEADER,
    BUYER_REFERENCE,
    MAINTAINER_REFERENCE,
    Text("status", tag("status")),
    switch("resolve_accepted", "resolveAccepted"),
    _CODE,
    _ERROR,
)
_STATUS = Text("status", tag("status"))
_REASON = reason("reason", "rejectionReason")
SLOTS_ANSWER: tuple[Part, ...] = (
    *ORDER_HEADER,
    _STATUS,
    Group(tag("availableSlots"), (Many("slots", tag("appointmentSlot"), SLOT),)),
    _REASON,
    _CODE,
    _ERROR,
)
RESERVATION_ANSWER: tuple[Part, ...] = (
    *ORDER_HEADER,
    _STATUS,
    Group(
        tag("appointment"), (KEY, *SLOT, instant("expires_at", "reservationExpiresAt")), name="appointment"
    ),
    _REASON,
    _CODE,
    _ERROR,
)
RESPONSES: dict[str, tuple[Part, ...]] = {
    "addFaultReport": TICKET_ANSWER,
    "amendFaultReport": TICKET_ANSWER,
    "resolveResponse": TICKET_ANSWER,
    "requestFaultReportUpdate": TICKET_ANSWER,
    "queryAppointmentAvailability": SLOTS_ANSWER,
    "reserveAppointment": RESERVATION_ANSWER,
}
# of the two appointment answers
NOT_POSSIBLE = "600"


def ticket_answer(path: str, *, header: Any, **values: Any) -> bytes:
    """Taken; `values` are those of TICKET_ANSWER beside the header."""
    return _write(path, {**_flat(header), "response_code": int(FaultResponseCode.OK), **values})


def slots_answer(header: Any, *, slots: Iterable[tuple[datetime, datetime]], reason_text: str = "") -> bytes:
    values = _outcome(header, reason_text)
    values["slots"] = [slot_values(*slot) for slot in slots]
    return _write("queryAppointmentAvailability", values)


def reservation_answer(header: Any, *, appointment: Appointment | None, reason_text: str = "") -> bytes:
    values = _outcome(header, reason_text)
    if appointment:
        slot = slot_values(appointment.starts_at, appointment.ends_at)
        values["appointment"] = {
            "key": str(appointment.key),
            "expires_at": appointment.expires_at,
            **slot,
        }
    return _write("reserveAppointment", values)


def refusal(path: str, element: etree._Element, *, code: FaultResponseCode, message: str) -> bytes:
    """The body of a 400; of the request's header it repeats what can be read."""
    found = {
        "message_id": _text(element, "messageId"),
        "correlation_id": _text(element, "correlationId"),
        "buyer_identifier": _text(element, "buyerIdentifier"),
    }
    is_flat = RESPONSES[path] is TICKET_ANSWER
    head = _flat_head(found) if is_flat else {"header": _order_head(found)}
    return _write(path, {**head, "response_code": int(code), "error_message": message})


def _outcome(header: Any, reason_text: str) -> Values:
    found = {name: getattr(header, name) for name in ("message_id", "correlation_id", "buyer_identifier")}
    return {
        "header": _order_head(found),
        "status": "Rejected" if reason_text else "Accepted",
        "reason": {"code": NOT_POSSIBLE, "message": reason_text} if reason_text else None,
        "response_code": int(FaultResponseCode.OK),
    }


def _flat(header: Any) -> Values:
    return _flat_head({"message_id": header.message_id, "buyer_identifier": header.buyer_identifier})


def _flat_head(found: Values) -> Values:
    return {**found, "api_version": INTERFACE_VERSION, "sent_at": clock.now()}


def _order_head(found: Values) -> Values:
    return {**found, "sent_at": clock.now(), "seller_identifier": settings.SELLER_IDENTIFIER}


def _text(element: etree._Element, name: str) -> str:
    """The first element of this name, wherever it stands; longer ones than the schema lets in are cut."""
    found = next(element.iter(f"{{*}}{name}"), None)
    return "" if found is None else text_of(found)


def _write(path: str, values: Values) -> bytes:
    body = envelope.new_body(INTERFACE.prefixes)
    Group(tag(f"{path}Response"), RESPONSES[path], always=True).write(body, values)
    return envelope.write(body)
