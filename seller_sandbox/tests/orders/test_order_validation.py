"""Every row of the error table that rejects an order (order-provisioning.md, Errors; D1, D2, D6)."""

from datetime import timedelta
from typing import Any

import pytest

from seller_sandbox.orders import reasons
from seller_sandbox.orders.reasons import Reason
from seller_sandbox.orders.states import OrderState
from seller_sandbox.orders.wire.requests import ServiceConfiguration
from seller_sandbox.tests.orders import samples
from seller_sandbox.tests.orders.samples import uprn

pytestmark = pytest.mark.usefixtures("network")

REJECTED: dict[str, tuple[dict[str, Any], Reason]] = {
    "project unknown": ({"project_reference": "PRJ-NONE"}, reasons.PROJECT),
    "project ended": ({"project_reference": "PRJ-ENDED"}, reasons.PROJECT),
    "project not begun": ({"project_reference": "PRJ-FUTURE"}, reasons.PROJECT),
    "project of another buyer": ({"project_reference": "PRJ-OF-B"}, reasons.PROJECT),
    "reference missing": ({"reference": ""}, reasons.REFERENCE_MISSING),
    "reference of 37 characters": ({"reference": "x" * 37}, reasons.REFERENCE_TOO_LONG),
    "UPRN missing": ({"uprn": ""}, reasons.UPRN_INVALID),
    "UPRN not numeric": ({"uprn": "10001A"}, reasons.UPRN_INVALID),
    "UPRN in other digits": ({"uprn": "١٢٣"}, reasons.UPRN_INVALID),
    "UPRN unknown": ({"uprn": "999999999999"}, reasons.UPRN_UNKNOWN),
    "product unknown": ({"product_name": "Copper"}, reasons.PRODUCT_NOT_FTTH),
    "product not FTTH": ({"product_name": samples.NOT_FTTH}, reasons.PRODUCT_NOT_FTTH),
    "product not for the account": (
        {"who": "BUYERB", "product_name": samples.BUSINESS, "uprn": uprn(4)},
        reasons.PRODUCT_NOT_FOR_ACCOUNT,
    ),
    "product not for the premises": (
        {"product_name": samples.BUSINESS},
        reasons.PRODUCT_NOT_FOR_LOCATION,
    ),
    "same product as the live service": (
        {"uprn": uprn(20), "product_name": samples.LOCAL_160},
        reasons.PRODUCT_SAME,
    ),
    "auxiliary service not recognised": ({"auxiliary_services": ("TEA",)}, reasons.AUXILIARY_UNKNOWN),
    "auxiliary service not with the product": (
        {"auxiliary_services": ("BUSINESS-CARE",)},
        reasons.AUXILIARY_NOT_FOR_PRODUCT,
    ),
    "auxiliary service not for the account": (
        {"who": "BUYERB", "product_name": samples.LOCAL_1000, "auxiliary_services": ("MULTICAST",)},
        reasons.AUXILIARY_NOT_FOR_ACCOUNT,
    ),
    "SVLAN 0": ({"configuration": ServiceConfiguration(s_vlan="0")}, reasons.CONFIGURATION_VLAN),
    "CVLAN 4095": ({"configuration": ServiceConfiguration(c_vlan="4095")}, reasons.CONFIGURATION_VLAN),
    "SVLAN of 5000 digits": (
        {"configuration": ServiceConfiguration(s_vlan="9" * 5000)},
        reasons.CONFIGURATION_VLAN,
    ),
    "ENNI of another buyer": (
        {"configuration": ServiceConfiguration(nni_identifier="ENNI-B1")},
        reasons.CONFIGURATION_NNI,
    ),
    "line profile unknown": (
        {"configuration": ServiceConfiguration(line_profile="LP-NONE")},
        reasons.CONFIGURATION_PROFILE,
    ),
    "Agent-Remote-Id of 65 characters": (
        {"configuration": ServiceConfiguration(agent_remote_id="x" * 65)},
        reasons.CONFIGURATION_LENGTH,
    ),
    "authentication protocol of 41 characters": (
        {"configuration": ServiceConfiguration(authentication_protocol="x" * 41)},
        reasons.CONFIGURATION_LENGTH,
    ),
    "property type not FTTH": ({"uprn": uprn(42)}, reasons.PROPERTY_TYPE),
    "RFS_0": ({"uprn": uprn(40)}, reasons.RFS_STATUS),
    "NOT_RFS_1": ({"uprn": uprn(41)}, reasons.RFS_STATUS),
    "pre-order with DR4": ({"uprn": uprn(31)}, reasons.RFS_STATUS),
    "pre-order without a release date": ({"uprn": uprn(32)}, reasons.RFS_STATUS),
    "pre-order with a release date in the past": ({"uprn": uprn(33)}, reasons.RFS_STATUS),
    "unsupported ONT at RFS_3 without an appointment": (
        {"uprn": uprn(11), "product_name": samples.LOCAL_1000},
        reasons.ONT_NOT_SUPPORTED,
    ),
    "unsupported ONT at RFS_4 without an appointment": (
        {"uprn": uprn(27), "product_name": samples.NATIONAL_1000, "new_order_type": "Switch"},
        reasons.ONT_NOT_SUPPORTED,
    ),
    "newOrderType off RFS_4": ({"new_order_type": "Switch"}, reasons.ORDER_TYPE),
    "newOrderType unknown": ({"uprn": uprn(24), "new_order_type": "Gift"}, reasons.ORDER_TYPE),
    "service of another provider without newOrderType": (
        {"uprn": uprn(24), "product_name": samples.LOCAL_160},
        reasons.NOT_OWNER,
    ),
    "regrade of another provider's service": (
        {"uprn": uprn(24), "product_name": samples.LOCAL_160, "new_order_type": "Regrade"},
        reasons.NOT_OWNER,
    ),
    "Switch of one's own service": (
        {"uprn": uprn(20), "product_name": samples.LOCAL_1000, "new_order_type": "Switch"},
        reasons.OWN_SERVICE,
    ),
    "appointment key unknown": ({"reservation_key": "no key"}, reasons.KEY_UNKNOWN),
}


@pytest.mark.parametrize("case", REJECTED)
def test_order_is_rejected_with_the_reason_of_its_row(case: str) -> None:
    members, reason = REJECTED[case]

    order = samples.placed(**members)

    assert order.state == OrderState.REJECTED
    assert samples.kinds(order) == ["pending", "rejected"]
    assert samples.last_members(order)["reason"]["code"] == reason.code


def test_all_reasons_are_kept_and_not_only_the_first() -> None:
    """Errors."""
    order = samples.placed(reference="", uprn="x", product_name="Copper")

    stored = order.events.get(kind="rejected").details["reasons"]
    assert [row["code"] for row in stored] == ["501", "504", "506"]


def test_reference_is_unique_per_buyer() -> None:
    samples.placed(reference="ORDER-1")

    again = samples.placed(reference="ORDER-1")
    of_another = samples.placed(reference="ORDER-1", who="BUYERB")

    assert samples.last_members(again)["reason"]["code"] == reasons.REFERENCE_DUPLICATE.code
    assert of_another.state == OrderState.ACKNOWLEDGED


def test_order_without_a_reference_is_answered_with_the_message_id_as_correlation() -> None:
    """Errors, reference; D2."""
    request = samples.request(reference="")
    order = samples.placing.receive(request, buyer=samples.buyer())

    assert samples.last_members(order)["correlation_id"] == request.header.message_id


@pytest.mark.parametrize(
    ("uprn_of_key", "product_of_key", "reason"),
    [
        (uprn(1, 2), samples.LOCAL_160, reasons.KEY_WRONG_UPRN),
        (uprn(1), samples.LOCAL_1000, reasons.KEY_WRONG_PRODUCT),
    ],
)
def test_key_for_other_premises_or_another_product_is_rejected(
    uprn_of_key: str, product_of_key: str, reason: Reason
) -> None:
    key = samples.reserve(at=uprn_of_key, product=product_of_key).key

    order = samples.placed(reservation_key=str(key))

    assert samples.last_members(order)["reason"]["code"] == reason.code


@pytest.mark.parametrize(
    ("situation", "members", "state", "last"),
    [
        (1, {}, OrderState.ACKNOWLEDGED, "delay"),
        (10, {}, OrderState.COMMITTED, "enniReserved"),
        (20, {"product_name": samples.LOCAL_1000}, OrderState.ACKNOWLEDGED, "delay"),
        (
            24,
            {"product_name": samples.NATIONAL_160, "new_order_type": "Switch"},
            OrderState.COMMITTED,
            "enniReserved",
        ),
        (11, {"product_name": samples.LOCAL_1000}, OrderState.REJECTED, "rejected"),
    ],
)
def test_expired_key_is_removed_and_the_order_goes_on_without_it(
    situation: int, members: dict[str, Any], state: OrderState, last: str
) -> None:
    """Errors, Endpoints 5, D6: an unsupported ONT is rejected as it is without a key (524)."""
    at, product = uprn(situation), members.get("product_name", samples.LOCAL_160)
    key = samples.reserve(at=at, product=product).key
    samples.clock.move(seconds=2 * samples.A_DAY)

    order = samples.placed(uprn=at, reservation_key=str(key), **members)

    assert (order.state, samples.kinds(order)[-1], order.appointment) == (state, last, None)


def test_key_of_a_slot_that_has_begun_is_removed() -> None:
    """Errors: no order is committed to a visit in the past, though the key's hours are not over."""
    begins = samples.reserve(not_before=samples.days_ahead(7)).starts_at
    with samples.clock.at(begins - timedelta(hours=17)):
        appointment = samples.reserve(not_before=samples.limits.local_day(begins))
    seconds = int((begins + timedelta(hours=6) - samples.clock.now()).total_seconds())
    samples.clock.move(seconds=seconds)

    order = samples.placed(reservation_key=str(appointment.key))

    assert order.appointment is None
    assert samples.kinds(order) == ["pending", "acknowledged", "delay"]


def test_key_of_another_order_is_rejected() -> None:
    """Errors, key."""
    first = samples.appointed()

    second = samples.placed(reservation_key=str(first.appointment.key))

    assert samples.last_members(second)["reason"]["code"] == reasons.KEY_IN_USE.code


def test_project_that_is_running_is_accepted() -> None:
    assert samples.placed(project_reference="PRJ-RUNNING").state == OrderState.ACKNOWLEDGED


def test_date_in_the_past_is_rejected() -> None:
    order = samples.placed(requested_date=samples.days_ahead(-1))

    assert samples.last_members(order)["reason"]["code"] == reasons.DATE_IN_PAST.code


def test_texts_of_the_longest_configuration_are_accepted() -> None:
    """Errors, Gross errors; D2."""
    longest = ServiceConfiguration(agent_remote_id="x" * 64, authentication_protocol="x" * 40)

    assert samples.placed(configuration=longest).state == OrderState.ACKNOWLEDGED
