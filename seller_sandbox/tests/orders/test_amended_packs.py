"""What an amendment changes reaches the engineer: cancelJob and a new pack (issue section 4; What the service does)."""

from collections.abc import Callable
from typing import Any

import pytest

from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.orders import reasons
from seller_sandbox.orders.models import Order
from seller_sandbox.tests.orders import complex_samples, samples, visit_samples

pytestmark = pytest.mark.usefixtures("network")


def amended(**changes: Any) -> tuple[Order, Job]:
    """An order whose partner has cancelled the job of an amendment, if it was asked to; with its first job."""
    order = samples.appointed()
    job = samples.accepted(order)
    return visit_samples.partner_cancels(samples.amend(order, **changes)), job


def latest_pack(order: Order) -> dict[str, Any]:
    """createJob of the visit that is planned."""
    return order.visits.get(ended_at=None).job.thread.outbound.get(operation="createJob").members


@pytest.mark.parametrize(
    ("changes", "member", "text"),
    [
        ({"site": {"hazards": "Asbestos in the loft"}}, "site", "Asbestos in the loft"),
        ({"site": {"access_restrictions": "Gate code 12"}}, "site", "Gate code 12"),
        ({"site": {"contact_phone": "07700 900999"}}, "siteContact", "07700 900999"),
        ({"configuration": {"line_profile": "160-VLAN911"}}, "product", "160-VLAN911"),
    ],
)
def test_change_of_what_the_pack_says_sends_a_new_pack(
    changes: dict[str, Any], member: str, text: str
) -> None:
    """Amendment rules 3 and 5: accepted, for the same appointment, and the buyer hears of nothing else."""
    order, job = amended(**changes)

    assert samples.kinds(order)[-2:] == ["amendmentPending", "amendmentAccepted"]
    visit = order.visits.get(ended_at=None)
    assert (visit.job != job, visit.appointment) == (True, order.appointment)
    assert text in latest_pack(order)[member].values()


@pytest.mark.parametrize(
    "changes",
    [
        {"auxiliary_services": ["BATTERY-BACKUP"]},
        {"configuration": {"s_vlan": "100"}},
        {"site": {"hazards": samples.SITE.hazards}},
    ],
)
def test_change_that_the_pack_does_not_show_leaves_the_visit_alone(changes: dict[str, Any]) -> None:
    """Amendment rules 5, 6."""
    order, job = amended(**changes)

    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert order.visits.get().job == job


def test_site_information_is_accepted_while_the_engineer_is_on_site() -> None:
    """Amendment rules 3; no pack can be replaced any more."""
    order = samples.appointed()
    job = samples.accepted(order)
    job.state = JobState.ON_SITE
    job.save()

    order = samples.amend(order, site={"hazards": "None"})

    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert order.visits.get().ended_at is None


def test_site_information_is_accepted_when_the_partner_cancels_no_more() -> None:
    """Amendment rules 3."""
    order = samples.appointed()
    job = samples.accepted(order)
    order = samples.amend(order, site={"hazards": "None"})

    samples.tell(job, "cancelRefused")

    order = samples.fresh(order)
    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert order.visits.get().ended_at is None


def test_what_waits_behind_a_refused_change_of_appointment_is_decided_for_itself() -> None:
    """Amendment rules 1."""
    order = samples.appointed()
    job = samples.accepted(order)
    order = samples.amend(order, reservation_key=str(samples.reserve(number=3).key))
    order = samples.amend(order, auxiliary_services=["BATTERY-BACKUP"])

    samples.tell(job, "cancelRefused")

    order = samples.fresh(order)
    assert samples.kinds(order)[-2:] == ["amendmentRejected", "amendmentAccepted"]
    rejected = samples.members_of(order, "amendmentRejected")["reason"]
    assert rejected["code"] == reasons.AMEND_ENGINEER_STARTED.code


def civils_planned() -> Order:
    return complex_samples.build_planned(needs_civils=True)


@pytest.mark.parametrize("begin", [complex_samples.survey_planned, civils_planned])
def test_visit_of_a_complex_order_gets_a_new_pack_for_the_same_time(begin: Callable[[], Order]) -> None:
    """Amendment rules 3."""
    order = begin()
    visit = order.visits.get(ended_at=None)
    job = samples.accepted(order)
    order = samples.amend(order, site={"hazards": "Asbestos in the loft"})

    complex_samples.cancel_visit(job)

    order = samples.fresh(order)
    again = order.visits.get(ended_at=None)
    assert (again.purpose, again.appointment) == (visit.purpose, visit.appointment)
    assert (again.job.starts_at, again.job.ends_at) == (job.starts_at, job.ends_at)
    assert latest_pack(order)["site"]["hazards"] == "Asbestos in the loft"
    assert samples.kinds(order)[-1] == "amendmentAccepted"
