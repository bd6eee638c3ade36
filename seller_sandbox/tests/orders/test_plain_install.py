"""A new install with an engineer, from the order to the closed job (order-provisioning.md, States)."""

import pytest

from seller_sandbox.jobs.models import Job
from seller_sandbox.orders.states import OrderState
from seller_sandbox.orders.wire.requests import SiteInformation
from seller_sandbox.tests.orders import samples

pytestmark = pytest.mark.usefixtures("network")


def test_order_is_pending_until_the_seller_has_validated_it() -> None:
    order = samples.pending()

    assert order.state == OrderState.PENDING
    assert samples.kinds(order) == ["pending"]


def test_appointed_order_is_acknowledged_and_committed_and_sends_a_job_pack() -> None:
    order = samples.appointed()

    assert order.state == OrderState.COMMITTED
    assert samples.kinds(order) == ["pending", "acknowledged", "committed", "enniReserved"]
    job = Job.objects.get()
    assert job.pack["appointment"]["reservationKey"] == str(order.appointment.key)
    assert job.pack["orderReferences"]["sellerOrderReference"] == order.seller_order_reference
    assert job.pack["site"]["hazards"] == "Dog in the yard"


def test_order_without_an_appointment_is_delayed_and_ends_after_thirty_days() -> None:
    order = samples.placed()
    assert order.state == OrderState.ACKNOWLEDGED
    assert samples.kinds(order) == ["pending", "acknowledged", "delay"]

    order = samples.at_midnight(order, samples.days_ahead(30))
    assert order.state == OrderState.ACKNOWLEDGED
    order = samples.at_midnight(order, samples.days_ahead(1))

    assert order.state == OrderState.CANCELLED
    assert samples.kinds(order)[-1] == "cancelled"


def test_appointment_added_by_amendment_commits_the_order() -> None:
    order = samples.placed()
    key = samples.reserve().key

    order = samples.amend(order, reservation_key=str(key))

    assert order.state == OrderState.COMMITTED
    assert samples.kinds(order)[3:] == ["amendmentPending", "amendmentAccepted", "committed", "enniReserved"]


def test_cancel_before_the_partner_knows_cancels_the_job_first() -> None:
    order = samples.appointed()
    job = samples.accepted(order)

    order = samples.cancel(order)
    assert order.state == OrderState.COMMITTED
    samples.tell(job, "cancelled")

    order = samples.fresh(order)
    assert order.state == OrderState.CANCELLED
    assert samples.kinds(order)[-2:] == ["cancellationPending", "cancellationAccepted"]
    assert order.appointment.state == "released"


def test_cancel_is_rejected_when_the_engineer_is_on_site() -> None:
    order = samples.appointed()
    job = samples.accepted(order)
    order = samples.cancel(order)

    samples.tell(job, "cancelRefused")

    order = samples.fresh(order)
    assert order.state == OrderState.COMMITTED
    assert samples.kinds(order)[-1] == "cancellationRejected"


def test_seven_items_of_site_information_reach_the_pack() -> None:
    """What the service does, business-site information; the job interface has notes for the assumptions."""
    site = SiteInformation(
        contact_name="Sam Field",
        contact_email="sam@bellmoor.example",
        contact_phone="07700 900123",
        access_restrictions="Ring at gate 2",
        preferred_ont_location="Comms cupboard",
        hazards="Asbestos register at reception",
        wayleave_obtained=True,
        is_within_scope=True,
        has_power_sockets=False,
    )
    order = samples.appointed(situation=4, product=samples.BUSINESS, site=site)

    pack = order.visits.get().job.pack
    assert pack["siteContact"] == {
        "name": "Sam Field",
        "phone": "07700 900123",
        "email": "sam@bellmoor.example",
    }
    assert pack["site"] == {
        "accessRestrictions": "Ring at gate 2",
        "preferredOntLocation": "Comms cupboard",
        "hazards": "Asbestos register at reception",
        "notes": "Wayleave obtained: yes. Install under 15 m outside and 10 m inside on the ground floor: yes. "
        "Two power sockets within 1 m: no.",
    }
