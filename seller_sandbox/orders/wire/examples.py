"""One example of every message, in domain words; docs/order-messages.md shows them as they go over the wire."""

from datetime import UTC, date, datetime, time
from typing import Any

from seller_sandbox.orders.notification_kinds import BuyerAction, NotificationKind
from seller_sandbox.orders.wire import requests as wire

MOMENT = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
UPRN, PRODUCT = "1000101", "Residential FTTH Local Access 160 Mbps"
BUYER, SELLER = "BUYERA", "SANDBOX"
BUYER_REFERENCE = "5d1f0f5e-92a7-4f0c-9a53-0d3c2c6f9b11"
SELLER_REFERENCE = "SO-261123-000001-9F3A"
SERVICE = "FBR100000001"
KEY = "0b9e64ad-3a1b-4d53-8c52-5d0c9a1c7e21"
MESSAGE_ID = "9f0c1d6e-7b0a-4a2f-8f52-0c7f8f1f2a10"
CORRELATION_ID = "c2a7f8b4-52a4-4e5f-9a0d-6f9be01d3c77"
HEADER = wire.Header(
    message_id=MESSAGE_ID,
    correlation_id=CORRELATION_ID,
    sent_at=MOMENT,
    buyer_identifier=BUYER,
    seller_identifier=SELLER,
)
ORDER_HEADER = wire.Header(
    message_id=MESSAGE_ID,
    correlation_id=CORRELATION_ID,
    sent_at=MOMENT,
    buyer_identifier=BUYER,
    seller_identifier=SELLER,
    reseller_id="BAQ",
    buyer_order_reference=BUYER_REFERENCE,
)
CONFIGURATION = wire.ServiceConfiguration(
    nni_identifier="ENNI-A1",
    s_vlan="100",
    c_vlan="200",
    line_profile="160-VLAN0",
    agent_remote_id="FBR100000001",
    authentication_protocol="pppoeIntermediateAgent",
)
NEW_INSTALL = wire.OrderRequest(
    ORDER_HEADER,
    "alaNewInstall",
    uprn=UPRN,
    product_name=PRODUCT,
    reservation_key=KEY,
    project_reference="PRJ-RUNNING",
    site=wire.SiteInformation(
        contact_name="Jo Marsh",
        contact_email="jo.marsh@example.org",
        contact_phone="+44 113 496 0001",
        access_restrictions="Ring the bell of number 3",
        preferred_ont_location="Hall cupboard",
        hazards="Asbestos register at reception",
        wayleave_obtained=True,
        is_within_scope=True,
        has_power_sockets=True,
    ),
    configuration=CONFIGURATION,
    auxiliary_services=("BATTERY-BACKUP",),
)
SWITCH = wire.OrderRequest(
    ORDER_HEADER,
    "alaNewInstall",
    uprn="1001201",
    product_name=PRODUCT,
    new_order_type="Switch",
    requested_date=date(2026, 12, 1),
    is_engineer_install=True,
)
MODIFY = wire.OrderRequest(
    ORDER_HEADER,
    "alaModify",
    service_identifier=SERVICE,
    configuration=wire.ServiceConfiguration(nni_identifier="ENNI-A2", line_profile="160-VLAN911"),
)
CEASE = wire.OrderRequest(
    ORDER_HEADER, "alaCease", service_identifier=SERVICE, requested_date=date(2026, 12, 31)
)
AMENDMENT = wire.AmendOrderRequest(
    ORDER_HEADER,
    SELLER_REFERENCE,
    {
        "reservation_key": "41c1c1f5-7a35-4a7e-9d41-0e9d2f6f7a02",
        "site": {"access_restrictions": "Key at the shop"},
        "configuration": {"line_profile": "160-VLAN911"},
        "auxiliary_services": ["PRIORITY-REPAIR"],
        "cancelled_auxiliary_services": ["BATTERY-BACKUP"],
        "case_reference": f"{SELLER_REFERENCE}-C1",
        "case_comment": "The shared drive belongs to the buyer",
    },
)
COMPLEX_AMENDMENT = wire.AmendOrderRequest(
    ORDER_HEADER,
    SELLER_REFERENCE,
    {
        "reservation_key": "41c1c1f5-7a35-4a7e-9d41-0e9d2f6f7a02",
        "appointment_type": "orderSurvey",
        "complex_answer": "acceptEstimate",
        "survey_date": "2026-12-09",
    },
)
CANCELLATION = wire.CancelOrderRequest(ORDER_HEADER, SELLER_REFERENCE, "300", "Customer changed their mind")
RESERVATION = wire.ReserveAppointmentRequest(
    HEADER,
    slot_date=date(2026, 12, 2),
    slot_start=time(8),
    slot_end=time(13),
    uprn=UPRN,
    product_name=PRODUCT,
    appointment_type="install",
)
# title, path, request
REQUESTS: tuple[tuple[str, str, wire.ParsedRequest], ...] = (
    ("New install", "order", NEW_INSTALL),
    ("Switch with an engineer", "order", SWITCH),
    ("Modify", "orderModify", MODIFY),
    ("Cease", "ceaseOrder", CEASE),
    ("Amendment of an appointment, site, configuration and services, with a reply", "amendOrder", AMENDMENT),
    ("Amendment of a complex order", "amendOrder", COMPLEX_AMENDMENT),
    ("Cancellation", "cancelOrder", CANCELLATION),
    ("Address search", "queryAddressSearch", wire.AddressSearchQuery(HEADER, postcode="LS30 1AA")),
    ("Products", "queryProductsForLocation", wire.ProductsQuery(HEADER, uprn=UPRN)),
    (
        "Slots",
        "queryAppointmentAvailability",
        wire.AppointmentsQuery(
            HEADER,
            uprn=UPRN,
            product_name=PRODUCT,
            appointments_from=date(2026, 12, 1),
            appointment_type="install",
        ),
    ),
    ("Reservation", "reserveAppointment", RESERVATION),
    (
        "Installation details",
        "queryInstallationDetails",
        wire.InstallationDetailsQuery(HEADER, service_identifier=SERVICE),
    ),
)

_K = NotificationKind
_REASON = {"code": "502", "message": "The buyer order reference was used before"}
_DELAY = {
    "code": "210",
    "reason": "Pre-order awaiting cabinet release",
    "next_best_action": "Wait for the cabinet; the appointment stands unless a slip is notified",
}
APPOINTMENT = {
    "key": KEY,
    "starts_at": "2026-12-02T08:00:00+00:00",
    "ends_at": "2026-12-02T13:00:00+00:00",
    "appointment_type": "install",
}
_MISSED = {
    "key": KEY,
    "starts_at": "2026-12-02T08:00:00+00:00",
    "ends_at": "2026-12-02T13:00:00+00:00",
    "is_seller_missed": True,
    "is_amended": False,
    "is_cancelled": False,
    "is_end_user_missed": False,
    "is_end_user_pre_agreed": False,
    "is_mborc": False,
}
_LATE = {
    "total_days": 12,
    "seller_days": 9,
    "other_days": 3,
    "exclusions": [
        {"reason": "RC003", "starts_on": "2026-12-04", "ends_on": "2026-12-06", "days": 3},
    ],
}
_COMPLEX = {
    "stage": "Desktop Survey Completed",
    "awaiting_buyer_action": [BuyerAction.ANSWER_ESTIMATE, BuyerAction.BOOK_SURVEY],
    "earliest_survey_date": "2026-12-09",
    "confirmed_survey_date": None,
    "earliest_appointment_date": None,
    "milestones": ["Desktop Survey Completed"],
}
# what each kind shows beside references and state
DETAILS: dict[NotificationKind, dict[str, Any]] = {
    _K.PENDING: {},
    _K.ACKNOWLEDGED: {},
    _K.COMMITTED: {"appointment": APPOINTMENT, "delay": _DELAY},
    _K.COMPLETED: {"warning": {"code": "590", "message": "No CPE was found at activation"}},
    _K.REJECTED: {"reason": _REASON},
    _K.NNI_RESERVED: {"state": "committed", "nni_identifiers": ["ENNI-A1", "ENNI-A2"]},
    _K.MISSED_APPOINTMENT: {"state": "committed", "missed_appointment": _MISSED},
    _K.CABINET_SLIP: {
        "state": "committed",
        "notes": "The cabinet goes live on 2026-12-07. A new appointment follows.",
    },
    _K.DELAY: {"state": "acknowledged", "delay": _DELAY},
    _K.DELAY_REAPPOINT: {
        "state": "committed",
        "delay": {
            "code": "232",
            "reason": "A new appointment is needed",
            "next_best_action": "Amend with a new key",
        },
    },
    _K.UNSOLICITED_CEASE: {
        "unsolicited_cease": {"new_order_type": "WLTO", "requested_date": "2026-12-10"},
    },
    _K.LINKED_DATE_CHANGED: {"state": "committed", "requested_date": "2026-12-14"},
    _K.AMENDMENT_PENDING: {"state": "committed"},
    _K.AMENDMENT_ACCEPTED: {"state": "committed", "appointment": APPOINTMENT},
    _K.AMENDMENT_REJECTED: {
        "state": "committed",
        "reason": {"code": "540", "message": "Product and UPRN cannot be amended"},
    },
    _K.AMEND_REQUESTED_DATE_REJECTED: {
        "state": "committed",
        "reason": {
            "code": "545",
            "message": "The date must be after the losing provider's cease date, "
            "or on that date when it ordered the cease itself",
        },
    },
    _K.AMEND_APPOINTMENT_DATE_REJECTED: {
        "state": "committed",
        "reason": {"code": "541", "message": "The point of no return has passed"},
    },
    _K.CANCELLATION_PENDING: {"state": "committed"},
    _K.CANCELLATION_ACCEPTED: {"reason": {"code": "300", "message": "Customer changed their mind"}},
    _K.CANCELLATION_REJECTED: {
        "state": "committed",
        "reason": {"code": "560", "message": "The engineer is on site: the order cannot be cancelled"},
    },
    _K.CANCELLED: {"reason": {"code": "570", "message": "No appointment was added within 30 days"}},
    _K.LATE_PROVISION: {"state": "completed", "late_provision": _LATE},
    _K.CASE_COMMENT: {
        "state": "committed",
        "case": {
            "reference": f"{SELLER_REFERENCE}-C1",
            "text": "Who owns the shared drive?",
            "is_open": True,
        },
    },
    _K.MILESTONE: {"state": "acknowledged", "complex_order": _COMPLEX},
}


def members(kind: NotificationKind) -> dict[str, Any]:
    """The members of one notification of this kind."""
    return {
        "kind": kind.value,
        "message_id": MESSAGE_ID,
        "correlation_id": CORRELATION_ID,
        "sent_at": MOMENT.isoformat(),
        "buyer_identifier": BUYER,
        "buyer_order_reference": BUYER_REFERENCE,
        "seller_order_reference": SELLER_REFERENCE,
        "service_identifier": SERVICE,
        "configuration": {"nni_identifier": "ENNI-A1", "line_profile": "160-VLAN0"},
        **DETAILS[kind],
    }
