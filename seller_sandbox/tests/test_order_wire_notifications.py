"""notifyOfOrderStatus: every kind, with what it must and may carry (docs/order-messages.md, Notifications)."""

from typing import Any

import pytest
from lxml import etree

from seller_sandbox.orders.notification_kinds import EVENT_ROWS, RULE_ROWS, BuyerAction, NotificationKind
from seller_sandbox.orders.wire import examples, notifications, seller_messages
from seller_sandbox.orders.wire.namespaces import INTERFACE, base, ext
from seller_sandbox.soap import envelope, schema_model

EXAMPLES = {kind: examples.members(kind) for kind in NotificationKind}


def details_of(members: dict[str, Any]) -> dict[str, Any]:
    values = seller_messages.read(notifications.notification(members)).values
    return values.get("in_progress") or values["closed"]


def notification_of(members: dict[str, Any]) -> etree._Element:
    return envelope.open_envelope(notifications.notification(members))


@pytest.mark.parametrize("kind", NotificationKind)
def test_every_kind_keeps_to_the_schema(kind: NotificationKind) -> None:
    message = seller_messages.read(notifications.notification(EXAMPLES[kind]))

    assert message.values["kind"] == kind
    assert message.values["seller_order_reference"] == examples.SELLER_REFERENCE
    assert message.values["header"]["correlation_id"] == examples.CORRELATION_ID


def test_kinds_are_those_of_the_schema() -> None:
    assert [*schema_model.types(INTERFACE)[base("NotificationKind")].values] == [*NotificationKind]
    flags = schema_model.types(INTERFACE)[ext("AwaitingBuyerAction")].children
    assert [row.tag for row in flags] == [ext(action) for action in BuyerAction]


def test_every_row_of_the_document_has_a_kind_and_every_kind_a_row() -> None:
    assert len(EVENT_ROWS) == 16
    assert len(RULE_ROWS) == 3
    assert {kind for _, kinds in EVENT_ROWS for kind in kinds} | {kind for _, kind in RULE_ROWS} == {
        *NotificationKind
    }


@pytest.mark.parametrize("kind", NotificationKind)
def test_kind_says_the_state_or_has_it_as_a_member(kind: NotificationKind) -> None:
    state = notifications.STATES.get(kind) or EXAMPLES[kind]["state"]
    element = notification_of(EXAMPLES[kind])
    container = "alaOrderClosed" if state in notifications.ENDED else "alaOrderInProgress"

    assert element.findtext(f"{base(container)}/{base('orderStatus')}") == state.capitalize()


@pytest.mark.parametrize("kind", notifications.REQUIRED)
def test_missing_member_is_named(kind: NotificationKind) -> None:
    name = notifications.REQUIRED[kind]
    members = {key: value for key, value in EXAMPLES[kind].items() if key != name}

    with pytest.raises(ValueError, match=f"of kind {kind} lacks its member {name}"):
        notifications.notification(members)


@pytest.mark.parametrize(
    "name", ["message_id", "sent_at", "correlation_id", "buyer_identifier", "seller_order_reference"]
)
def test_missing_reference_is_named(name: str) -> None:
    with pytest.raises(ValueError, match=f"lacks its member {name}"):
        notifications.notification({**EXAMPLES[NotificationKind.PENDING], name: ""})


def test_missing_state_is_named() -> None:
    with pytest.raises(ValueError, match="lacks its member state"):
        notifications.notification({**EXAMPLES[NotificationKind.DELAY], "state": ""})


def test_order_without_a_reference_of_the_buyer_is_notified() -> None:
    members = {**EXAMPLES[NotificationKind.REJECTED], "buyer_order_reference": "", "service_identifier": ""}

    assert "buyer_order_reference" not in seller_messages.read(notifications.notification(members)).values


def test_missed_appointment_has_the_thirteen_fields_of_the_document() -> None:
    element = notification_of(EXAMPLES[NotificationKind.MISSED_APPOINTMENT])
    missed = element.find(f".//{base('missedAppointment')}")

    assert [etree.QName(child).localname for child in missed] == [
        "buyerOrderReference",
        "sellerOrderReference",
        "serviceIdentifier",
        "appointmentReservationKey",
        "appointmentDate",
        "appointmentStartTime",
        "appointmentEndTime",
        "sellerMissed",
        "amended",
        "cancelled",
        "endUserMissed",
        "endUserPreAgreed",
        "mborc",
    ]
    assert [child.text for child in missed][7:] == ["Y", "N", "N", "N", "N", "N"]


def test_late_provision_has_three_totals_and_its_exclusions() -> None:
    late = details_of(EXAMPLES[NotificationKind.LATE_PROVISION])["late_provision"]

    assert (late["total_days"], late["seller_days"], late["other_days"]) == (12, 9, 3)
    assert late["exclusions"] == [
        {"reason": "RC003", "starts_on": "2026-12-04", "ends_on": "2026-12-06", "days": 3}
    ]


def test_exclusion_reasons_are_the_ten_of_the_document() -> None:
    assert len(schema_model.types(INTERFACE)[base("ExclusionReason")].values) == 10


def test_late_provision_without_exclusions() -> None:
    members = EXAMPLES[NotificationKind.LATE_PROVISION]
    late = {**members["late_provision"], "exclusions": [], "other_days": 0}

    assert details_of({**members, "late_provision": late})["late_provision"]["other_days"] == 0


def test_complex_order_has_its_flag_and_its_fields() -> None:
    element = notification_of(EXAMPLES[NotificationKind.MILESTONE])
    progress = element.find(base("alaOrderInProgress"))

    assert progress.findtext(ext("isComplexOrder")) == "true"
    assert progress.findtext(f"{ext('complexOrder')}/{ext('earliestSurveyDate')}") == "2026-12-09"
    assert details_of(EXAMPLES[NotificationKind.MILESTONE])["complex_order"]["milestones"] == [
        "Desktop Survey Completed"
    ]


@pytest.mark.parametrize("kind", [NotificationKind.ACKNOWLEDGED, NotificationKind.CANCELLED])
def test_flag_and_element_are_left_out_together(kind: NotificationKind) -> None:
    """Of orders that are not complex, and of complex ones that have ended (complexOrder)."""
    complex_order = EXAMPLES[NotificationKind.MILESTONE]["complex_order"]
    is_ended = kind == NotificationKind.CANCELLED
    members = {**EXAMPLES[kind], **({"complex_order": complex_order} if is_ended else {})}
    content = notifications.notification(members)

    assert b"omplexOrder" not in content


def test_flags_of_a_complex_order_come_in_any_order() -> None:
    members = EXAMPLES[NotificationKind.MILESTONE]
    complex_order = {**members["complex_order"], "awaiting_buyer_action": [*reversed(BuyerAction)]}

    read = details_of({**members, "complex_order": complex_order})["complex_order"]

    assert read["awaiting_buyer_action"] == [*reversed(BuyerAction)]


def test_new_configuration_is_in_every_notification() -> None:
    configuration = {"nni_identifier": "ENNI-A2", "line_profile": "160-VLAN911", "s_vlan": ""}

    assert {
        str(details_of({**members, "configuration": configuration})["configuration"])
        for members in EXAMPLES.values()
    } == {str({"nni_identifier": "ENNI-A2", "line_profile": "160-VLAN911"})}


def test_instants_have_an_offset_and_slots_that_of_their_day() -> None:
    appointment = {
        **examples.APPOINTMENT,
        "starts_at": "2026-07-01T07:00:00+00:00",
        "ends_at": "2026-07-01T12:00:00+00:00",
    }
    members = {**EXAMPLES[NotificationKind.COMMITTED], "appointment": appointment}
    element = notification_of({**members, "sent_at": "2026-06-30T23:30:00+00:00"})

    assert element.findtext(f"{base('message')}/{base('sentAt')}") == "2026-07-01T00:30:00+01:00"
    texts = [child.text for child in element.find(f".//{base('appointment')}")][1:4]
    assert texts == ["2026-07-01", "08:00:00+01:00", "13:00:00+01:00"]


def test_members_that_are_none_are_left_out() -> None:
    nothing = dict.fromkeys(
        ["appointment", "requested_date", "delay", "warning", "reason", "notes", "complex_order"]
    )

    assert set(details_of({**EXAMPLES[NotificationKind.PENDING], **nothing, "configuration": {}})) == {
        "order_status",
        "service_identifier",
    }


@pytest.mark.parametrize("text", ["", "\x00\x1b[31m", "x" * 5000, "\ud800", "]]><&"])
def test_texts_of_people_keep_to_the_schema(text: str) -> None:
    members = EXAMPLES[NotificationKind.CASE_COMMENT]
    case = {**members["case"], "text": text}

    assert len(details_of({**members, "case": case, "notes": text})["case"]["text"]) <= 2000
