"""The layout of every request by path, and the dataclass that it becomes (docs/fault-messages.md)."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from functools import cached_property
from typing import Any

from lxml import etree

from seller_sandbox.faults.wire import requests
from seller_sandbox.faults.wire.fields import (
    APPOINTMENT_TYPE,
    BUYER_REFERENCE,
    DETAILS,
    FILES,
    MAINTAINER_REFERENCE,
    ORDER_HEADER,
    PARENT_REFERENCE,
    PREMISES,
    REPORTED,
    SLOT,
    TICKET_HEADER,
    switch,
)
from seller_sandbox.faults.wire.namespaces import tag
from seller_sandbox.orders.wire.requests import Header
from seller_sandbox.soap.layout import FreeText, Group, Lines, Part, Text, Values
from seller_sandbox.soap.text_formats import parse_slot_time

HEADER_FIELDS = ("api_version", "buyer_identifier", "sent_at", "message_id")


@dataclass(frozen=True)
class FaultRequestLayout:
    """`make` turns the values of the parts into the request, `values_of` a request into values."""

    name: str
    parts: Sequence[Part]
    make: Callable[[Values], Any]
    values_of: Callable[[Any], Values]

    @cached_property
    def _message(self) -> Group:
        return Group(tag(self.name), self.parts, always=True)

    def read(self, element: etree._Element) -> requests.ParsedFaultRequest:
        values: Values = {}
        self._message.read(element, values)
        return self.make(values)

    def write(self, body: etree._Element, request: requests.ParsedFaultRequest) -> None:
        self._message.write(body, self.values_of(request))


def _flat(request_class: type) -> Callable[[Values], Any]:
    """The request of a flat message: its head becomes a TicketHeader."""

    def make(values: Values) -> Any:
        header = requests.TicketHeader(**{name: values.pop(name) for name in HEADER_FIELDS})
        return request_class(header=header, **values)

    return make


def _flat_values(request: requests.TicketRequest) -> Values:
    values = asdict(request)
    return {**values.pop("header"), **values.pop("changes", {}), **values}


def _amendment(values: Values) -> requests.AmendFaultReportRequest:
    header = requests.TicketHeader(**{name: values.pop(name) for name in HEADER_FIELDS})
    references = {
        name: values.pop(name)
        for name in ("buyer_fault_reference", "maintainer_fault_reference")
        if name in values
    }
    return requests.AmendFaultReportRequest(header=header, **references, changes=values)


def _slots_query(values: Values) -> requests.RepairSlotsQuery:
    return requests.RepairSlotsQuery(**{**values, "header": Header(**values["header"])})


def _reservation(values: Values) -> requests.ReserveRepairRequest:
    day = date.fromisoformat(values["slot_date"])
    times = {name: parse_slot_time(day, values[name]) for name in ("slot_start", "slot_end")}
    header = Header(**values["header"])
    return requests.ReserveRepairRequest(**{**values, "slot_date": day, **times, "header": header})


_APPOINTMENT = Group(
    tag("appointment"), (Text("appointment_reservation_key", tag("appointmentReservationKey")),)
)
_TAIL: tuple[Part, ...] = (
    PARENT_REFERENCE,
    Group(tag("faultDetails"), DETAILS),
    _APPOINTMENT,
    FILES,
    Lines("update_texts", tag("updateText")),
)
_FROM = Text("appointments_from", tag("appointmentsFrom"), date.fromisoformat)
_TO = Text("appointments_to", tag("appointmentsTo"), date.fromisoformat)
_ROWS: dict[type, tuple[str, tuple[Part, ...], Callable[[Values], Any], Callable[[Any], Values]]] = {
    requests.AddFaultReportRequest: (
        "addFaultReport",
        (*TICKET_HEADER, *REPORTED, BUYER_REFERENCE, *_TAIL),
        _flat(requests.AddFaultReportRequest),
        _flat_values,
    ),
    requests.AmendFaultReportRequest: (
        "amendFaultReport",
        (*TICKET_HEADER, *REPORTED, BUYER_REFERENCE, MAINTAINER_REFERENCE, *_TAIL),
        _amendment,
        _flat_values,
    ),
    requests.ResolveResponseRequest: (
        "resolveResponse",
        (
            *TICKET_HEADER,
            BUYER_REFERENCE,
            MAINTAINER_REFERENCE,
            switch("resolve_accepted", "resolveAccepted"),
            FreeText("rejected_reason", tag("rejectedReason")),
        ),
        _flat(requests.ResolveResponseRequest),
        _flat_values,
    ),
    requests.FaultReportUpdateRequest: (
        "requestFaultReportUpdate",
        (*TICKET_HEADER, MAINTAINER_REFERENCE, BUYER_REFERENCE),
        _flat(requests.FaultReportUpdateRequest),
        _flat_values,
    ),
    requests.RepairSlotsQuery: (
        "queryAppointmentAvailability",
        (*ORDER_HEADER, *PREMISES, _FROM, _TO, APPOINTMENT_TYPE),
        _slots_query,
        asdict,
    ),
    requests.ReserveRepairRequest: (
        "reserveAppointment",
        (*ORDER_HEADER, *PREMISES, Group(tag("appointmentSlot"), SLOT), APPOINTMENT_TYPE),
        _reservation,
        asdict,
    ),
}
LAYOUTS = {request_class: FaultRequestLayout(*row) for request_class, row in _ROWS.items()}
# the path is the name of the request's element
PATHS = tuple(layout.name for layout in LAYOUTS.values())
