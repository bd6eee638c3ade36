"""The layout of every request, and the dataclass that it becomes (order-messages.md)."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from functools import cached_property
from typing import Any

from lxml import etree

from seller_sandbox.orders.wire import requests
from seller_sandbox.orders.wire.fields import (
    APPOINTMENT_TYPE,
    AUXILIARY_SERVICES,
    BUYER_REFERENCE,
    CONFIGURATION,
    HEADER,
    PRODUCT,
    PROJECT,
    RESERVATION_KEY,
    SERVICE,
    SLOT,
    TARGET,
    UPRN,
)
from seller_sandbox.orders.wire.namespaces import base
from seller_sandbox.soap.layout import Choice, Flag, FreeText, Group, Part, Text, Texts, Values, text_of
from seller_sandbox.soap.text_formats import (
    local_instant,
    parse_boolean,
    parse_requested_day,
    parse_slot_time,
    render_boolean,
    render_date,
    render_instant,
)


@dataclass(frozen=True)
class RequestedDate:
    """A date, or a date with a time; the time is kept as sent."""

    tag: str = base("requestedDate")

    def read(self, element: etree._Element, values: Values) -> None:
        text = text_of(element)
        values["requested_date"] = parse_requested_day(text)
        if "T" in text:
            values["requested_at"] = local_instant(text)

    def write(self, parent: etree._Element, values: Values) -> None:
        moment, day = values.get("requested_at"), values.get("requested_date")
        if moment or day:
            etree.SubElement(parent, self.tag).text = render_instant(moment) if moment else render_date(day)


SITE = Group(
    base("siteInformation"),
    (
        FreeText("contact_name", base("contactName")),
        FreeText("contact_email", base("contactEmail")),
        FreeText("contact_phone", base("contactPhone")),
        FreeText("access_restrictions", base("accessRestrictions")),
        FreeText("preferred_ont_location", base("preferredOntLocation")),
        FreeText("hazards", base("hazards")),
        Text("wayleave_obtained", base("wayleaveObtained"), parse_boolean, render_boolean),
        Text("is_within_scope", base("withinInstallScope"), parse_boolean, render_boolean),
        Text("has_power_sockets", base("powerSockets"), parse_boolean, render_boolean),
    ),
    name="site",
)
NEW_INSTALL = Group(
    base("alaNewInstall"),
    (
        UPRN,
        PRODUCT,
        Text("new_order_type", base("newOrderType")),
        RequestedDate(),
        RESERVATION_KEY,
        Flag("is_engineer_install", base("engineerInstall")),
        Flag("is_cpe_install", base("cpeInstall")),
        SITE,
        CONFIGURATION,
        AUXILIARY_SERVICES,
        PROJECT,
    ),
    sets=(("kind", "alaNewInstall"),),
    always=True,
)
MODIFY = Group(base("alaModify"), (SERVICE, CONFIGURATION), sets=(("kind", "alaModify"),), always=True)
CEASE = Group(base("alaCease"), (SERVICE, RequestedDate()), sets=(("kind", "alaCease"),), always=True)
AMENDMENT = Group(
    base("amendment"),
    (
        UPRN,
        PRODUCT,
        Text("requested_date", base("requestedDate"), lambda text: parse_requested_day(text).isoformat()),
        RESERVATION_KEY,
        APPOINTMENT_TYPE,
        SITE,
        CONFIGURATION,
        AUXILIARY_SERVICES,
        Texts("cancelled_auxiliary_services", base("cancelledAuxiliaryServices"), base("auxiliaryService")),
        Group(
            base("caseReply"),
            (Text("case_reference", base("caseReference")), FreeText("case_comment", base("comment"))),
        ),
        Choice("complex_answer", base("complexOrderAnswer")),
        Text("survey_date", base("requestedSurveyDate")),
    ),
    name="changes",
    always=True,
)
CANCELLATION = Group(
    base("cancellationReason"),
    (
        Text("reason_code", base("cancellationReasonCode")),
        FreeText("reason_message", base("cancellationReasonMessage"), always=True),
    ),
)


@dataclass(frozen=True)
class RequestLayout:
    """`make` turns the values of the parts into the request."""

    tag: str
    parts: Sequence[Part]
    make: Callable[[Values], Any]

    @cached_property
    def _message(self) -> Group:
        return Group(self.tag, self.parts, always=True)

    def read(self, element: etree._Element) -> Any:
        values: Values = {}
        self._message.read(element, values)
        values["header"] = requests.Header(**values["header"])
        return self.make(values)

    def write(self, body: etree._Element, request: Any) -> None:
        self._message.write(body, asdict(request))


def _plain(request_class: type) -> Callable[[Values], Any]:
    return lambda values: request_class(**values)


def _order(values: Values) -> requests.OrderRequest:
    values["site"] = requests.SiteInformation(**values.get("site", {}))
    values["configuration"] = requests.ServiceConfiguration(**values.get("configuration", {}))
    values["auxiliary_services"] = tuple(values.get("auxiliary_services", ()))
    return requests.OrderRequest(**values)


def _reservation(values: Values) -> requests.ReserveAppointmentRequest:
    day = values["slot_date"] = date.fromisoformat(values["slot_date"])
    for name in ("slot_start", "slot_end"):
        values[name] = parse_slot_time(day, values[name])
    return requests.ReserveAppointmentRequest(**values)


_TARGETED: tuple[Part, ...] = (*HEADER, BUYER_REFERENCE, TARGET)
_LOCATION: tuple[Part, ...] = (*HEADER, UPRN)
_PRODUCT_AT_LOCATION: tuple[Part, ...] = (*_LOCATION, PRODUCT)
LAYOUTS: dict[type, RequestLayout] = {
    requests.OrderRequest: RequestLayout(
        base("orderRequest"), (*HEADER, BUYER_REFERENCE, NEW_INSTALL, MODIFY, CEASE), _order
    ),
    requests.AmendOrderRequest: RequestLayout(
        base("amendOrderRequest"), (*_TARGETED, AMENDMENT), _plain(requests.AmendOrderRequest)
    ),
    requests.CancelOrderRequest: RequestLayout(
        base("cancelOrderRequest"), (*_TARGETED, CANCELLATION), _plain(requests.CancelOrderRequest)
    ),
    requests.AddressSearchQuery: RequestLayout(
        base("queryAddressSearchRequest"),
        (*HEADER, Text("postcode", base("postcode")), UPRN),
        _plain(requests.AddressSearchQuery),
    ),
    requests.ProductsQuery: RequestLayout(
        base("queryProductsForLocationRequest"), _LOCATION, _plain(requests.ProductsQuery)
    ),
    requests.AppointmentsQuery: RequestLayout(
        base("queryAppointmentAvailabilityRequest"),
        (
            *_PRODUCT_AT_LOCATION,
            Text("appointments_from", base("appointmentsFrom"), date.fromisoformat),
            APPOINTMENT_TYPE,
            PROJECT,
        ),
        _plain(requests.AppointmentsQuery),
    ),
    requests.ReserveAppointmentRequest: RequestLayout(
        base("reserveAppointmentRequest"),
        (*_PRODUCT_AT_LOCATION, Group(base("appointmentSlot"), SLOT), APPOINTMENT_TYPE),
        _reservation,
    ),
    requests.InstallationDetailsQuery: RequestLayout(
        base("queryInstallationDetailsRequest"),
        (*_LOCATION, SERVICE),
        _plain(requests.InstallationDetailsQuery),
    ),
}
