"""The amendment form of an order's page: everything that the document lets a buyer amend (Amendment rules)."""

import pytest
from django.test import Client

from seller_sandbox.orders.models import Order
from seller_sandbox.tests.orders import complex_samples, samples, visit_samples
from seller_sandbox.tests.orders.console_client import page, press

pytestmark = pytest.mark.usefixtures("network")


def amend(client: Client, order: Order, **fields: str | list[str]) -> Order:
    """The order after the seller has decided on what the form sent."""
    text = press(client, f"orders/{order.seller_order_reference}/buyer-amend", **fields)
    assert "The buyer&#x27;s amendment is received" in text
    return visit_samples.partner_cancels(samples.after(order, seconds=samples.A_MINUTE))


def form_of(client: Client, order: Order) -> str:
    html = client.get(f"/orders/{order.seller_order_reference}").content.decode()
    return html.split('id="buyer-amend"')[1].split("</details>")[0]


def test_configuration_is_amended_item_by_item(client: Client) -> None:
    """Amendment rules 5."""
    order = samples.appointed()
    before = order.configuration

    order = amend(client, order, line_profile="160-VLAN911", c_vlan="77", nni_identifier="")

    assert order.configuration == {**before, "line_profile": "160-VLAN911", "c_vlan": "77"}
    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert "C-VLAN: 77" in page(client, f"/orders/{order.seller_order_reference}")


def test_gross_error_in_the_configuration_is_rejected(client: Client) -> None:
    """Amendment rules 5."""
    order = amend(client, samples.appointed(), s_vlan="5000")

    assert samples.kinds(order)[-1] == "amendmentRejected"
    assert samples.last_members(order)["reason"]["code"] == "515"


def test_auxiliary_services_are_added_and_cancelled(client: Client) -> None:
    """Amendment rules 6, 7."""
    order = samples.appointed(auxiliary_services=("BATTERY-BACKUP",))
    form = form_of(client, order)
    assert "Add: Repair by the end of the next business day" in form
    assert "Cancel: Battery for the ONT, one hour" in form

    order = amend(
        client,
        order,
        auxiliary_services="PRIORITY-REPAIR",
        cancelled_auxiliary_services="BATTERY-BACKUP",
    )

    assert order.auxiliary_services == ["PRIORITY-REPAIR"]


def test_auxiliary_service_that_the_product_cannot_have_is_rejected(client: Client) -> None:
    """Amendment rules 6."""
    order = amend(client, samples.appointed(), auxiliary_services="MULTICAST")

    assert samples.kinds(order)[-1] == "amendmentRejected"
    assert order.auxiliary_services == []


def test_all_business_site_information_is_amended(client: Client) -> None:
    """Amendment rules 3; What the service does, Business-site information: seven items, the last of three answers."""
    order = samples.appointed()
    texts = {
        "contact_name": "Ada Long",
        "contact_email": "ada@example.org",
        "contact_phone": "07700 900001",
        "access_restrictions": "Rear gate",
        "preferred_ont_location": "Comms room",
        "hazards": "Asbestos register at the desk",
    }
    answers = {"wayleave_obtained": "yes", "is_within_scope": "no", "has_power_sockets": "yes"}

    order = amend(client, order, **texts, **answers)

    assert order.site == {**texts, **{name: answer == "yes" for name, answer in answers.items()}}
    order = amend(client, order, wayleave_obtained="no")
    assert order.site["wayleave_obtained"] is False


def test_survey_date_of_a_complex_order_is_amended(client: Client) -> None:
    """complexOrder, confirmedSurveyDate."""
    order = complex_samples.estimated()
    slot = samples.reserve(
        at=order.uprn,
        product=samples.COMPLEX,
        appointment_type="orderSurvey",
        not_before=samples.days_ahead(8),
    )
    day = slot.starts_at.date()
    assert 'name="survey_date"' in form_of(client, order)

    order = amend(client, order, complex_answer="acceptEstimate", survey_date=day.isoformat())

    assert order.complex_order.confirmed_survey_date == day


def test_a_cease_has_only_its_date_to_amend(client: Client) -> None:
    """Switch and WLTO rules 3."""
    order = samples.placed(
        kind="alaCease",
        uprn="",
        product_name="",
        service_identifier="FBR001002001",
        requested_date=samples.days_ahead(40),
    )

    form = form_of(client, order)

    assert 'name="requested_date"' in form
    for name in ("line_profile", "auxiliary_services", "hazards", "wayleave_obtained"):
        assert f'name="{name}"' not in form
    day = samples.days_ahead(50)
    assert amend(client, order, requested_date=day.isoformat()).requested_date == day
