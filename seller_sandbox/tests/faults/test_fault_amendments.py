"""amendFaultReport: what may change when, and what the buyer is sent (D1, D4; Endpoints, Rules 1)."""

import pytest

from seller_sandbox.faults import holds, operator_actions
from seller_sandbox.faults.models import FaultReport, TicketVisit
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.messages import outbox
from seller_sandbox.network.models import AppointmentState
from seller_sandbox.tests.faults import samples

pytestmark = pytest.mark.usefixtures("network")
_UPDATE = "FaultReportUpdate"


def visited(report: FaultReport, state: JobState) -> None:
    """A job of the partner for the ticket, in this state."""
    thread = outbox.open_thread(kind="job", reference="SJ-1", recipient="partner")
    window = {"starts_at": report.appointment.starts_at, "ends_at": report.appointment.ends_at}
    job = Job.objects.create(
        thread=thread, seller_job_id="SJ-1", job_type="revisit", state=state, pack={}, uprn="1", **window
    )
    arrived_at = None if state == JobState.EN_ROUTE else report.received_at
    TicketVisit.objects.create(report=report, job=job, planned_at=report.received_at, arrived_at=arrived_at)


def test_each_amendment_is_confirmed_with_what_changed() -> None:
    report = samples.in_progress()
    answer = samples.amend(report, description="No light at all", update_texts=["Router restarted"])
    content = samples.notification(report, "Amended")

    assert samples.values(answer)["response_code"] == "0"
    assert content["amended_fields"] == ["faultDetails/description", "updateText"]
    assert content["description"] == "No light at all"
    assert samples.fresh(report).description == "No light at all"


def test_parts_of_a_contact_that_are_not_named_stay() -> None:
    report = samples.in_progress()
    samples.amend(report, end_user_contact_details={"phone": "07700 900999"})

    assert samples.fresh(report).end_user_contact_details == {**samples.END_USER, "phone": "07700 900999"}


def test_empty_element_changes_nothing() -> None:
    report = samples.in_progress()
    samples.amend(
        report,
        description="",
        fault_location="",
        end_user_contact_details={"name": ""},
        update_texts=["", " "],
    )
    content = samples.notification(report, "Amended")

    assert samples.fresh(report).description == report.description
    assert not samples.fresh(report).updates.exists()
    assert content["amended_fields"] == []


@pytest.mark.parametrize("make", [samples.pending, samples.resolved])
def test_not_before_acceptance_and_not_after_resolution(make: object) -> None:
    report = make()
    answer = samples.amend(report, description="Other")

    assert (answer.status, samples.values(answer)["response_code"]) == (400, "5")
    assert samples.fresh(report).description == report.description


def test_not_after_the_end() -> None:
    report = samples.resolved()
    samples.answer_resolution(report, accepted=True)
    closed = samples.amend(report, description="Other")
    other = samples.act(samples.in_progress(), operator_actions.cancel, reason="Duplicate")
    cancelled = samples.amend(other, description="Other")

    assert (closed.status, cancelled.status) == (400, 400)


def test_service_never_changes() -> None:
    report = samples.in_progress()
    other = samples.service(samples.OTHER_UPRN).service_identifier

    assert samples.values(samples.amend(report, service_affected=other))["response_code"] == "6"
    assert samples.amend(report, service_affected=report.service_affected).status == 200


def test_reference_of_nobody_or_of_another_buyer_is_a_400() -> None:
    report = samples.in_progress()
    report.buyer_fault_reference = "unknown"
    assert samples.values(samples.amend(report, description="Other"))["response_code"] == "4"
    foreign = samples.service(samples.FOREIGN_UPRN).service_identifier
    other = samples.accepted(samples.request(who="BUYERB", service_affected=foreign))
    other.buyer = samples.buyer("BUYERA")

    assert samples.values(samples.amend(other, description="Other"))["response_code"] == "4"


def test_pair_of_references_that_do_not_belong_together_is_a_400() -> None:
    first, other = samples.in_progress(), samples.in_progress()
    message = samples.AmendFaultReportRequest(
        samples.header(), first.buyer_fault_reference, other.maintainer_fault_reference, {"description": "x"}
    )

    assert samples.values(samples.send(message))["response_code"] == "4"


def test_reappointment_gives_the_old_slot_up_and_confirms_the_new_one() -> None:
    report = samples.in_progress(samples.outage())
    old, new = report.appointment, samples.reserve(number=2)
    samples.amend(report, appointment_reservation_key=str(new.key))
    old.refresh_from_db()
    new.refresh_from_db()

    assert (old.state, new.state) == (AppointmentState.RELEASED, AppointmentState.BOOKED)
    assert samples.fresh(report).appointment == new
    assert samples.sent(report)[-3:] == ["AppointmentCancelled", "Amended", "AppointmentConfirmation"]
    assert samples.notification(report, "AppointmentCancelled")["appointment"]["key"] == str(old.key)
    assert samples.notification(report, "Amended")["appointment"]["key"] == str(new.key)
    assert samples.notification(report, "AppointmentConfirmation")["appointment"]["key"] == str(new.key)


def test_same_key_again_changes_nothing() -> None:
    report = samples.in_progress(samples.outage())
    samples.amend(report, appointment_reservation_key=report.appointment_reservation_key)

    assert samples.sent(report)[-1] == "Amended"
    assert samples.fresh(report).appointment == report.appointment


@pytest.mark.parametrize("state", [JobState.ON_SITE, JobState.SCANNED, JobState.PROVISIONED])
def test_new_key_is_refused_once_the_engineer_is_on_site(state: JobState) -> None:
    report = samples.in_progress(samples.outage())
    visited(report, state)
    answer = samples.amend(report, appointment_reservation_key=str(samples.reserve(number=2).key))

    assert samples.values(answer)["response_code"] == "7"
    assert samples.fresh(report).appointment == report.appointment


def test_new_key_is_taken_while_the_engineer_is_en_route() -> None:
    report = samples.in_progress(samples.outage())
    visited(report, JobState.EN_ROUTE)

    assert samples.amend(report, appointment_reservation_key=str(samples.reserve(number=2).key)).status == 200


def test_key_of_an_impaired_service_only_once_a_visit_is_needed() -> None:
    report = samples.in_progress()
    key = str(samples.reserve().key)
    refused = samples.values(samples.amend(report, appointment_reservation_key=key))
    assert (refused["response_code"], refused["error_message"]) == (
        "7",
        "appointment/appointmentReservationKey: Impaired Service takes no key before we say that a visit is needed. "
        "Leave it out.",
    )
    samples.act(report, operator_actions.need_visit, text="")

    assert samples.amend(report, appointment_reservation_key=key).status == 200
    assert samples.sent(report)[-1] == "AppointmentConfirmation"


def test_rejection_rules_hold_when_the_type_changes() -> None:
    impaired = samples.in_progress()
    assert samples.values(samples.amend(impaired, fault_type="Service Outage"))["response_code"] == "7"
    key = str(samples.reserve(number=1).key)
    amended = samples.amend(impaired, fault_type="Service Outage", appointment_reservation_key=key)
    assert amended.status == 200
    changed = samples.amend(impaired, fault_type="Performance Issue")

    assert samples.values(changed)["response_code"] == "7"


def test_key_that_cannot_be_used_is_refused() -> None:
    report = samples.in_progress(samples.outage())
    for key in ("nothing", str(samples.reserve(uprn=samples.OTHER_UPRN).key)):
        assert samples.values(samples.amend(report, appointment_reservation_key=key))["response_code"] == "7"
    assert samples.fresh(report).appointment == report.appointment


def test_information_in_an_amendment_ends_the_hold() -> None:
    report = samples.act(samples.in_progress(), holds.begin, reason="Which lights are on?")
    samples.amend(report, update_texts=["Only the power light"])

    assert samples.fresh(report).state == "in_progress"
    assert samples.sent(report)[-2:] == ["Amended", "InProgress"]


@pytest.mark.parametrize(
    "changes", [{"update_texts": [" "]}, {"description": ""}, {"reporter_contact_details": {"phone": ""}}]
)
def test_amendment_that_says_nothing_leaves_the_ticket_on_hold(changes: dict[str, object]) -> None:
    report = samples.act(samples.in_progress(), holds.begin, reason="Which lights are on?")
    samples.amend(report, **changes)

    assert samples.fresh(report).state == "on_hold"
    assert samples.sent(report)[-1] == "Amended"


def test_key_in_an_amendment_ends_the_hold() -> None:
    report = samples.in_progress(samples.outage())
    report = samples.act(report, holds.begin, reason="Another slot is needed")
    samples.amend(report, appointment_reservation_key=str(samples.reserve(number=4).key))

    assert samples.fresh(report).events.last().kind == "appointment_booked"


def test_amendment_sent_twice_is_confirmed_once() -> None:
    report = samples.in_progress()
    message = samples.AmendFaultReportRequest(
        samples.header(), report.buyer_fault_reference, changes={"description": "Other"}
    )
    samples.send(message)
    samples.send(message)

    assert samples.sent(report).count("Amended") == 1
