"""One example of every answer, made by the functions that make the real ones."""

from collections.abc import Callable
from datetime import date, datetime

from seller_sandbox.orders.wire import callback, responses
from seller_sandbox.orders.wire.examples import (
    AMENDMENT,
    CANCELLATION,
    HEADER,
    KEY,
    MESSAGE_ID,
    PRODUCT,
    SERVICE,
    UPRN,
)
from seller_sandbox.orders.wire.namespaces import INTERFACE
from seller_sandbox.soap import soap_faults
from seller_sandbox.soap.problems import InvalidMessage, MessageProblem

_REASON = {"code": "547", "message": "The order has ended"}
_NO_SLOTS = {"code": "600", "message": "There are no slots for this product at these premises"}
_START = datetime.fromisoformat("2026-12-02T08:00:00+00:00")
_END = datetime.fromisoformat("2026-12-02T13:00:00+00:00")
LOCATION = responses.LocationDetails(
    uprn=UPRN,
    address_lines=("1 Harrowgate Lane",),
    town="Kirkwell",
    postcode="LS30 1AA",
    rfs_status="RFS_1",
    is_pre_order=False,
    cabinet_release_date=date(2025, 10, 19),
    loc_codes=("MDU", "SUR"),
    dr_status="DR3",
    property_type="FTTH",
    classification="Residential",
)
AVAILABLE = responses.ProductDetails(PRODUCT, "yes", ("ENNI-A1", "ENNI-A2"), is_complex=True)
APPOINTMENT = responses.AppointmentDetails(
    KEY, _START, _END, "install", datetime.fromisoformat("2026-11-24T09:30:00+00:00")
)
INSTALLATION = responses.InstallationDetails(
    "CXNK00A1B2C3", "1", PRODUCT, SERVICE, {"nni_identifier": "ENNI-A1", "s_vlan": "100", "c_vlan": "200"}
)
INVALID = InvalidMessage(
    MessageProblem(
        "orderRequest/message",
        "Element 'message': Missing child element(s). Expected is ( sentAt )",
        "Add sentAt; docs/order-messages.md shows the order of elements.",
    ),
    MessageProblem(
        "orderRequest/alaCease/requestedDate",
        "Element 'requestedDate': '31/12/2026' is not a valid value of the union type 'RequestedDate'",
        "Send a date as YYYY-MM-DD. A time after it is aligned to midnight of the same day.",
    ),
)
# title, and what makes the answer
ANSWERS: tuple[tuple[str, Callable[[], bytes]], ...] = (
    ("order, orderModify, ceaseOrder", responses.order_response),
    ("amendOrder: pending", lambda: responses.amend_response(AMENDMENT)),
    ("amendOrder: rejected up front", lambda: responses.amend_response(AMENDMENT, reason=_REASON)),
    ("cancelOrder: pending", lambda: responses.cancel_response(CANCELLATION)),
    ("cancelOrder: rejected up front", lambda: responses.cancel_response(CANCELLATION, reason=_REASON)),
    ("queryAddressSearch", lambda: responses.address_search_response(HEADER, [LOCATION])),
    ("queryProductsForLocation", lambda: responses.products_response(HEADER, [AVAILABLE])),
    ("queryProductsForLocation: none", lambda: responses.products_response(HEADER, [])),
    (
        "queryAppointmentAvailability: accepted",
        lambda: responses.appointments_response(HEADER, slots=[(_START, _END)]),
    ),
    (
        "queryAppointmentAvailability: rejected",
        lambda: responses.appointments_response(HEADER, reason=_NO_SLOTS),
    ),
    (
        "reserveAppointment: accepted",
        lambda: responses.reservation_response(HEADER, appointment=APPOINTMENT),
    ),
    ("reserveAppointment: rejected", lambda: responses.reservation_response(HEADER, reason=_NO_SLOTS)),
    ("queryInstallationDetails", lambda: responses.installation_response(HEADER, [INSTALLATION])),
    ("A message with two problems", lambda: soap_faults.of_message(INVALID, INTERFACE).content),
    ("The buyer's acknowledgement of a notification", lambda: callback.acknowledge(MESSAGE_ID)),
)
