"""The layout of every answer to a buyer's request (order-messages.md)."""

from seller_sandbox.orders.wire.fields import (
    APPOINTMENT,
    BUYER_REFERENCE,
    CONFIGURATION,
    HEADER,
    PRODUCT,
    REJECTION_REASON,
    SERVICE,
    SLOT,
    TARGET,
    UPRN,
)
from seller_sandbox.orders.wire.namespaces import base, ext
from seller_sandbox.soap.layout import Choice, Flag, FreeText, Group, Lines, Many, Part, Text, Texts
from seller_sandbox.soap.text_formats import parse_boolean, render_boolean, render_date

STATUS = Text("status", base("status"))
_LOCATION: tuple[Part, ...] = (
    UPRN,
    Group(
        base("address"),
        (
            Lines("address_lines", base("addressLine")),
            FreeText("town", base("town"), always=True),
            FreeText("postcode", base("postcode"), always=True),
        ),
    ),
    Text("rfs_status", base("rfsStatus")),
    Text("cabinet_release_date", base("cabinetReleaseDate"), render=render_date),
    Text("loc_codes", base("locCodes"), str.split, " ".join),
    Text("is_pre_order", base("preOrder"), parse_boolean, render_boolean),
    Text("dr_status", base("drStatus")),
    Text("property_type", base("propertyType")),
    Text("classification", base("propertyClassification")),
)
_PRODUCT: tuple[Part, ...] = (
    PRODUCT,
    Choice("appointment_required", base("appointmentRequired")),
    Texts("nni_identifiers", ext("nnis"), base("nniIdentifier")),
    # empty here, and the text true in a notification (D16)
    Flag("is_complex", ext("isComplexOrder")),
)
_INSTALLATION: tuple[Part, ...] = (
    Text("ont_identifier", base("ontIdentifier")),
    Text("ont_port", base("ontPort")),
    PRODUCT,
    SERVICE,
    CONFIGURATION,
)


def _list(tag: str, name: str, item_tag: str, parts: tuple[Part, ...]) -> Group:
    """A container that is there also when the list is empty."""
    return Group(base(tag), (Many(name, base(item_tag), parts),), always=True)


_STATUS_RESPONSE: tuple[Part, ...] = (*HEADER, BUYER_REFERENCE, TARGET, STATUS, REJECTION_REASON)
# by local name
RESPONSES: dict[str, tuple[Part, ...]] = {
    "orderResponse": (),
    "amendOrderResponse": _STATUS_RESPONSE,
    "cancelOrderResponse": _STATUS_RESPONSE,
    "queryAddressSearchResponse": (*HEADER, _list("locations", "locations", "location", _LOCATION)),
    "queryProductsForLocationResponse": (
        *HEADER,
        _list("availableProducts", "products", "availableProduct", _PRODUCT),
    ),
    "queryAppointmentAvailabilityResponse": (
        *HEADER,
        STATUS,
        REJECTION_REASON,
        Group(
            base("availableSlots"),
            (Many("slots", base("appointmentSlot"), SLOT),),
            sets=(("status", "Accepted"),),
            always=True,
        ),
    ),
    "reserveAppointmentResponse": (*HEADER, STATUS, REJECTION_REASON, APPOINTMENT),
    "queryInstallationDetailsResponse": (
        *HEADER,
        _list("installations", "installations", "installation", _INSTALLATION),
    ),
}
