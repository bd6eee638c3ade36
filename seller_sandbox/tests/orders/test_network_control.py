"""The control interface for the network: premises, capacity, ONTs, buyers and their projects."""

from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from seller_sandbox.network.appointments import AppointmentNotPossible
from seller_sandbox.orders.states import OrderState
from seller_sandbox.tests.orders import samples
from seller_sandbox.tests.orders.control_client import get, open_control, post

pytestmark = pytest.mark.usefixtures("network")
control = pytest.fixture(open_control)
NOKIA, OLD_CALIX = "Nokia XS-010X-Q", "Calix 801Gv2"


def test_premises_show_what_is_installed_and_live(control: Client) -> None:
    """Location; issue 13, 5a."""
    report = get(control, f"network/{samples.uprn(20)}").body

    assert (report["rfs_status"], report["service"]["buyer"]) == ("RFS_4", "BUYERA")
    assert report["ont"]["serialNumber"] == f"{int(samples.uprn(20)):012}"


def test_premises_can_be_changed(control: Client) -> None:
    """Location; issue 13, 5a."""
    path = f"network/{samples.uprn(1)}"

    changed = post(control, path, {"rfs_status": "RFS_0", "loc_codes": ["WSD"]})

    assert (changed.body["rfs_status"], changed.body["loc_codes"]) == ("RFS_0", ["WSD"])
    assert samples.placed().state == OrderState.REJECTED
    refused = post(control, path, {"rfs_status": "RFS_9"})
    assert refused.status == 400


@pytest.mark.parametrize(
    ("situation", "status", "reason"),
    [
        (1, "RFS_3", "install one (POST /api/network/1000101/ont)"),
        (1, "RFS_4", "install one (POST /api/network/1000101/ont)"),
        (10, "RFS_4", "No service is live at these premises"),
        (20, "RFS_1", "A service is live at these premises"),
        (20, "RFS_3", "A service is live at these premises"),
        (20, "NOT_RFS_2", "A service is live at these premises"),
    ],
)
def test_rfs_status_must_be_true_of_the_premises(
    control: Client, situation: int, status: str, reason: str
) -> None:
    """Location, RFS status: what orders ask of the premises is true."""
    path = f"network/{samples.uprn(situation)}"
    before = get(control, path).body

    refused = post(control, path, {"rfs_status": status, "dr_status": "DR4"})

    assert (refused.status, reason in refused.body["error"]) == (409, True), refused.body
    assert get(control, path).body == before


def test_premises_with_a_live_service_can_be_taken_out_of_service_and_back(control: Client) -> None:
    """States, seller cancel: premises that can no longer be served."""
    path = f"network/{samples.uprn(20)}"

    assert [
        post(control, path, {"rfs_status": status}).body["rfs_status"] for status in ("RFS_0", "RFS_4")
    ] == ["RFS_0", "RFS_4"]


@pytest.mark.parametrize(
    ("body", "mistake"),
    [
        ({"property_type": "x" * 21}, "property_type: must have 20 characters at most"),
        ({"loc_codes": ["x" * 21]}, "loc_codes: must have 20 characters at most"),
    ],
)
def test_premises_keep_to_what_answers_can_carry(control: Client, body: Any, mistake: str) -> None:
    """Location; Endpoints, queryAddressSearch."""
    refused = post(control, f"network/{samples.uprn(1)}", body)

    assert (refused.status, refused.body["error"]) == (400, mistake)


def test_a_release_date_that_moves_slips_the_orders_before_it(control: Client) -> None:
    """States, cabinet slip."""
    order = samples.appointed()
    day = samples.days_ahead(40).isoformat()

    answer = post(control, f"network/{order.uprn}/release", {"release_on": day})

    assert answer.body == {"slipped": [order.seller_order_reference]}
    assert get(control, f"network/{order.uprn}").body["cabinet"]["release_on"] == day


@pytest.mark.parametrize("day", ["0001-01-01", "1899-12-31", "2199-01-01", "2250-01-01", "9999-12-31"])
def test_a_date_that_no_message_can_carry_is_refused(control: Client, day: str) -> None:
    """The schemas' dates lie between 1900 and 2199, and slots follow the cabinet's release.

    Location, Cabinet Release Date.
    """
    order = samples.appointed()
    uprn, bounds = order.uprn, "must be a day from 1900-01-01 to 2198-12-31"
    requests = {
        f"network/{uprn}/release": {"release_on": day},
        f"network/{uprn}/capacity": {"capacity": 1, "day": day},
        f"orders/{order.seller_order_reference}/reappoint": {"not_before": day},
    }

    refused = {path: post(control, path, body) for path, body in requests.items()}

    assert {answer.status for answer in refused.values()} == {400}
    assert all(bounds in answer.body["error"] for answer in refused.values())


def test_the_last_release_date_leaves_premises_that_can_be_asked_for(control: Client) -> None:
    """Location, Cabinet Release Date."""
    path = f"network/{samples.uprn(1)}/release"

    assert post(control, path, {"release_on": "2198-12-31"}).status == 200

    assert samples.reserve().starts_at.year == 2199


def test_callback_addresses_of_a_buyer_can_be_set(control: Client) -> None:
    urls = ["https://127.0.0.1:9700/mine"]

    assert post(control, "buyers/BUYERA", {"callback_urls": urls}).body["callback_urls"] == urls


@pytest.mark.parametrize(
    ("address", "mistake"),
    [
        ("http://plain", "must be an address like https://"),
        ("https://127.0.0.1:99999/mine", "a port from 1 to 65535"),
        ("https://127.0.0.1:0/mine", "a port from 1 to 65535"),
        ("https://127.0.0.1:port/mine", "a port from 1 to 65535"),
        ("https://[::1/mine", "must be an address like https://"),
        ("https://127.0.0.1/a b", "must be an address like https://"),
        ("https://127.0.0.1/ä", "must be an address like https://"),
        ("https://me:secret@127.0.0.1/mine", "without a user name"),
        ("https://127.0.0.1/mine#part", "without a #"),
    ],
)
def test_a_callback_address_that_cannot_be_used_is_refused(
    control: Client, address: str, mistake: str
) -> None:
    """Authentication 4."""
    before = get(control, "buyers/BUYERA").body["callback_urls"]

    refused = post(control, "buyers/BUYERA", {"callback_urls": [address]})

    assert (refused.status, mistake in refused.body["error"]) == (400, True), refused.body
    assert get(control, "buyers/BUYERA").body["callback_urls"] == before


# --- capacity -------------------------------------------------------------------------------------------------
def test_capacity_of_an_area_is_shown_with_its_used_visits(control: Client) -> None:
    """Issue 13, 2."""
    appointment = samples.reserve()

    found = get(control, f"network/{samples.uprn(1)}/capacity").body

    assert found["usual"]["install"] == {"am": 50, "pm": 50}
    day = appointment.starts_at.astimezone(settings.LOCAL_ZONE).date().isoformat()
    assert found["days"] == [
        {"appointment_type": "install", "day": day, "half": "am", "capacity": 50, "used": 1}
    ]


def test_usual_capacity_of_none_leaves_no_slot(control: Client) -> None:
    """Endpoints, queryAppointmentAvailability: Rejected with reason."""
    answer = post(control, f"network/{samples.uprn(1)}/capacity", {"capacity": 0})

    assert answer.body["usual"]["install"] == {"am": 0, "pm": 0}
    with pytest.raises(AppointmentNotPossible):
        samples.reserve()


def test_capacity_of_one_half_day_can_be_set(control: Client) -> None:
    """Issue 13, 2."""
    first = samples.reserve()
    day = first.starts_at.astimezone(settings.LOCAL_ZONE).date().isoformat()
    path = f"network/{samples.uprn(1)}/capacity"

    answer = post(control, path, {"capacity": 1, "day": day, "half": "am"})

    assert answer.body["days"] == [
        {"appointment_type": "install", "day": day, "half": "am", "capacity": 1, "used": 1}
    ]
    # the morning is full
    assert samples.reserve().starts_at > first.starts_at


def test_capacity_is_counted_by_type(control: Client) -> None:
    """Issue 13, 2."""
    post(control, f"network/{samples.uprn(1)}/capacity", {"capacity": 0, "appointment_type": "orderSurvey"})

    assert samples.reserve()
    with pytest.raises(AppointmentNotPossible):
        samples.reserve(at=samples.uprn(6), product=samples.COMPLEX, appointment_type="orderSurvey")


def test_capacity_of_a_day_off_is_refused(control: Client) -> None:
    """Issue 13, 2."""
    path = f"network/{samples.uprn(1)}/capacity"

    refused = post(control, path, {"capacity": 1, "day": "2026-12-25"})

    assert (refused.status, "Nobody works on 2026-12-25" in refused.body["error"]) == (409, True)


# --- ONTs -----------------------------------------------------------------------------------------------------
def test_an_installed_ont_makes_premises_rfs_3(control: Client) -> None:
    """Endpoints 3: remote activation."""
    wanted = {"model": NOKIA, "fsan": "ALCL12AB34CD", "serialNumber": "000123456789"}

    report = post(control, f"network/{samples.uprn(1)}/ont", wanted).body

    assert report["rfs_status"] == "RFS_3"
    assert report["ont"] == {
        "vendor": "Nokia",
        "model": "XS-010X-Q",
        "fsan": "ALCL12AB34CD",
        "serialNumber": "000123456789",
    }
    assert samples.placed(requested_date=samples.days_ahead(5)).is_appointed is False


def test_another_ont_takes_the_place_of_an_ont_with_a_live_service(control: Client) -> None:
    """Endpoints 5: an ONT that does not support the product."""
    path = f"network/{samples.uprn(20)}"

    report = post(control, f"{path}/ont", {"model": OLD_CALIX}).body

    assert (report["rfs_status"], report["ont"]["model"]) == ("RFS_4", "801Gv2")
    order = samples.placed(
        uprn=samples.uprn(20),
        product_name=samples.LOCAL_1000,
        requested_date=samples.days_ahead(5),
    )
    assert (order.state, order.end_code) == (OrderState.REJECTED, "524")


def test_an_ont_can_be_taken_out(control: Client) -> None:
    """Location, RFS status."""
    path = f"network/{samples.uprn(10)}"

    report = post(control, f"{path}/remove-ont", {}).body

    assert (report["rfs_status"], report["ont"]) == ("RFS_1", None)
    assert post(control, f"{path}/remove-ont", {}).status == 409


def test_an_ont_that_an_order_is_activated_over_stays(control: Client) -> None:
    """States, completion: without it the order could never be completed."""
    order = samples.placed(uprn=samples.uprn(10))
    path = f"network/{order.uprn}/remove-ont"

    refused = post(control, path, {})
    samples.cancel(order)

    assert (refused.status, order.seller_order_reference in refused.body["error"]) == (409, True)
    assert post(control, path, {}).body["rfs_status"] == "RFS_1"


@pytest.mark.parametrize(
    ("path", "body", "status", "reason"),
    [
        ("1002001/remove-ont", {}, 409, "A service is live"),
        ("1004001/ont", {"model": NOKIA}, 409, "RFS_0: make them ready"),
        ("1000101/ont", {"model": "Nokia 9000"}, 409, "Known are Calix GP1100X"),
        ("1000101/ont", {"model": NOKIA, "fsan": "CXNK12AB34CD"}, 409, "ALCL and eight hexadecimal digits"),
        ("1000101/ont", {"model": NOKIA, "fsan": "ALCL12AB34CDE"}, 400, "12 characters at most"),
        ("1000101/ont", {}, 400, "model is missing"),
    ],
)
def test_an_ont_that_cannot_be_there_is_refused(
    control: Client, path: str, body: Any, status: int, reason: str
) -> None:
    """Issue 13, 5a."""
    refused = post(control, f"network/{path}", body)

    assert (refused.status, reason in refused.body["error"]) == (status, True), refused.body


def test_an_ont_is_at_one_premises_only(control: Client) -> None:
    """Issue 13, 5a."""
    wanted = {"model": NOKIA, "fsan": "ALCL12AB34CD"}
    post(control, f"network/{samples.uprn(1)}/ont", wanted)

    refused = post(control, f"network/{samples.uprn(1, 2)}/ont", wanted)

    assert (refused.status, samples.uprn(1) in refused.body["error"]) == (409, True)


def test_a_serial_number_is_at_one_premises_only(control: Client) -> None:
    """Issue 13, 5a."""
    known = f"{int(samples.uprn(20)):012}"

    refused = post(control, f"network/{samples.uprn(1)}/ont", {"model": NOKIA, "serialNumber": known})

    assert (refused.status, samples.uprn(20) in refused.body["error"]) == (409, True)
    again = post(control, f"network/{samples.uprn(20)}/ont", {"model": NOKIA, "serialNumber": known})
    assert again.status == 200


# --- projects -------------------------------------------------------------------------------------------------
def test_an_agreed_project_can_be_ordered_in_until_its_dates_change(control: Client) -> None:
    """What the service does, Project references; Errors, 511."""
    today = samples.clock.today().isoformat()
    wanted = {"projectReference": "PRJ-NEW", "starts_on": today, "ends_on": today, "name": "New estate"}

    report = post(control, "buyers/BUYERA/projects", wanted).body

    assert {**wanted, "requirements": ""} in report["projects"]
    assert get(control, "buyers/BUYERA").body == report
    assert samples.placed(project_reference="PRJ-NEW").state != OrderState.REJECTED
    over = {"projectReference": "PRJ-NEW", "starts_on": "2020-01-01", "ends_on": "2020-12-31"}
    changed = post(control, "buyers/BUYERA/projects", over).body["projects"]
    assert {**over, "name": "New estate", "requirements": ""} in changed
    order = samples.placed(uprn=samples.uprn(1, 2), project_reference="PRJ-NEW")
    assert (order.state, order.end_code) == (OrderState.REJECTED, "511")


@pytest.mark.parametrize(
    ("body", "mistake"),
    [
        ({"projectReference": "P"}, "ends_on is missing; starts_on is missing"),
        (
            {"projectReference": "P", "starts_on": "2026-12-02", "ends_on": "2026-12-01"},
            "ends_on: must not lie before starts_on",
        ),
        (
            {"projectReference": "P" * 41, "starts_on": "2026-12-01", "ends_on": "2026-12-01"},
            "projectReference: must have 40 characters at most",
        ),
    ],
)
def test_a_project_that_cannot_be_read_is_explained(control: Client, body: Any, mistake: str) -> None:
    """Project references."""
    refused = post(control, "buyers/BUYERA/projects", body)

    assert (refused.status, refused.body["error"]) == (400, mistake)
