"""What an amendment changes reaches the engineer: cancelJob and a new pack (issue section 4; What the service does)."""

from collections.abc import Callable
from typing import Any

import pytest

from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.orders import reasons
from seller_sandbox.orders.late_orders import open_delays
from seller_sandbox.orders.models import Order, VisitPurpose
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


def test_change_of_a_pack_that_the_partner_refused_sends_a_new_pack() -> None:
    """Amendment rules 3: for the same appointment; the delay (236) was that of the first pack."""
    order = visit_samples.refuse_pack(samples.appointed())
    assert order.delay_code == "236"
    refused, appointment = visit_samples.job_of(order), order.appointment

    order = samples.amend(order, site={"hazards": "Asbestos in the loft"})

    assert samples.kinds(order)[-1] == "amendmentAccepted"
    visit = order.visits.get(ended_at=None)
    assert (visit.job != refused, visit.appointment, order.appointment) == (True, appointment, appointment)
    assert latest_pack(order)["site"]["hazards"] == "Asbestos in the loft"
    assert (order.delay_code, open_delays.list_open(order)) == ("", [])


def test_change_of_a_refused_pack_leaves_the_other_delays() -> None:
    order = visit_samples.refuse_pack(samples.appointed(situation=50))

    order = samples.amend(order, site={"hazards": "Asbestos in the loft"})

    assert order.delay_code == "203"


def test_change_that_a_refused_pack_does_not_show_leaves_it_refused() -> None:
    """Amendment rules 6; it is sent again by a person."""
    order = visit_samples.refuse_pack(samples.appointed())

    order = samples.amend(order, auxiliary_services=["BATTERY-BACKUP"])

    assert (order.visits.get().ended_at, order.delay_code) == (None, "236")


@pytest.mark.parametrize("begin", [complex_samples.survey_planned, civils_planned])
def test_refused_pack_of_a_complex_order_is_replaced_for_the_same_time(begin: Callable[[], Order]) -> None:
    order = begin()
    visit = order.visits.get(ended_at=None)
    order = visit_samples.refuse_pack(order)

    order = samples.amend(order, site={"hazards": "Asbestos in the loft"})

    again = order.visits.get(ended_at=None)
    assert (again.job != visit.job, again.purpose, again.appointment) == (
        True,
        visit.purpose,
        visit.appointment,
    )
    assert (again.job.starts_at, again.job.ends_at) == (visit.job.starts_at, visit.job.ends_at)
    assert latest_pack(order)["site"]["hazards"] == "Asbestos in the loft"
    assert order.delay_code == ""


def test_pack_that_is_refused_while_an_amendment_waits_is_replaced() -> None:
    """The cancelJob behind it never goes out; the partner has not seen what the amendment changes."""
    order = samples.amend(samples.appointed(), site={"hazards": "Asbestos in the loft"})
    appointment = order.appointment
    assert samples.kinds(order)[-1] == "amendmentPending"

    order = visit_samples.refuse_pack(order)

    assert samples.kinds(order)[-1] == "amendmentAccepted"
    assert (order.appointment, order.visits.get(ended_at=None).appointment) == (appointment, appointment)
    assert latest_pack(order)["site"]["hazards"] == "Asbestos in the loft"
    assert order.delay_code == ""


def test_refused_pack_is_not_replaced_when_a_cancellation_waits_behind_the_amendment() -> None:
    """All that waits is decided before a pack goes out."""
    order = samples.amend(samples.appointed(), site={"hazards": "Asbestos in the loft"})
    order = samples.cancel(order)

    order = visit_samples.refuse_pack(order)

    assert (order.state, order.visits.count()) == ("cancelled", 1)


def test_no_pack_goes_out_for_a_slot_that_ended_before_the_partner_answered() -> None:
    """Missed Appointment 6: nobody came, and the buyer has 30 days for a new key."""
    order = samples.appointed()
    samples.accepted(order)
    order = samples.amend(samples.until(order, order.appointment.starts_at), site={"hazards": "None"})
    order = samples.until(order, order.appointment.ends_at)

    order = visit_samples.partner_cancels(order)

    assert "amendmentAccepted" in samples.kinds(order)
    assert (order.visits.count(), order.appointment, order.delay_code) == (1, None, "239")
    assert order.missed_appointments.get().missed_by == "seller"


def test_no_pack_goes_out_for_a_survey_whose_slot_ended_before_the_partner_answered() -> None:
    """The same before KCI2. Missed Appointment 6."""
    order = visit_samples.complex_visit(VisitPurpose.SURVEY)
    order = samples.amend(samples.until(order, order.appointment.starts_at), site={"hazards": "None"})
    order = samples.until(order, order.appointment.ends_at)

    order = visit_samples.partner_cancels(order)

    assert (order.visits.count(), order.appointment, order.delay_code) == (1, None, "239")
    assert order.missed_appointments.get().missed_by == "seller"
