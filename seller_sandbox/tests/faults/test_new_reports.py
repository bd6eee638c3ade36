"""addFaultReport: Pending, then Accepted or Rejected, for four reasons and no others (Errors; D1 to D3)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import LazySettings

from seller_sandbox import clock
from seller_sandbox.faults import lifecycle, operator_actions, validation
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.faults.states import FaultEventKind, FaultState
from seller_sandbox.network import services
from seller_sandbox.network.models import AppointmentState
from seller_sandbox.tests.faults import samples

pytestmark = pytest.mark.usefixtures("network")


def test_answer_is_pending_with_the_message_id() -> None:
    message = samples.request()
    answer = samples.values(samples.send(message))

    assert answer["status"] == "Pending"
    assert answer["message_id"] == message.header.message_id
    assert answer["response_code"] == "0"
    assert "maintainer_fault_reference" not in answer


def test_accepted_almost_at_once_with_our_reference() -> None:
    report = samples.accepted()
    content = samples.notification(report, "Accepted")

    assert report.state == "accepted"
    assert content["maintainer_fault_reference"] == report.maintainer_fault_reference
    assert content["state"] == "Accepted"
    assert content["service_affected"] == samples.service().service_identifier
    assert samples.sent(report) == ["Accepted"]


def test_outage_books_the_slot_of_its_key() -> None:
    appointment = samples.reserve()
    report = samples.accepted(samples.outage(appointment_reservation_key=str(appointment.key)))
    appointment.refresh_from_db()

    assert appointment.state == AppointmentState.BOOKED
    assert report.appointment == appointment
    assert samples.sent(report) == ["Accepted", "AppointmentConfirmation"]
    assert samples.notification(report, "AppointmentConfirmation")["appointment"]["status"] == "Confirmed"


@pytest.mark.parametrize(
    ("description", "state", "slot"),
    [("No light", "accepted", AppointmentState.BOOKED), ("", "rejected", AppointmentState.EXPIRED)],
)
def test_key_of_the_last_second_is_not_too_late(
    settings: LazySettings, description: str, state: str, slot: AppointmentState
) -> None:
    """D3: the seller takes longer than the reservation lasts; a rejected report does not keep it."""
    settings.FAULT_STEP_SECONDS = 20
    reserved = samples.reserve()
    with clock.at(reserved.expires_at - timedelta(seconds=5)):
        report = samples.pending(
            samples.outage(appointment_reservation_key=str(reserved.key), description=description)
        )

    wait = reserved.expires_at - clock.now() + timedelta(seconds=16)
    report = samples.after(report, seconds=int(wait.total_seconds()))

    reserved.refresh_from_db()
    assert (report.state, reserved.state) == (state, slot)


@pytest.mark.parametrize(
    ("changes", "element"),
    [
        ({"report_date_time": None}, "reportDateTime"),
        ({"reporter_contact_details": {}}, "reporterContactDetails/name"),
        ({"reporter_contact_details": {"name": "Ada"}}, "reporterContactDetails/phone"),
        ({"end_user_contact_details": {"phone": "07700 900123"}}, "endUserContactDetails/name"),
        ({"end_user_contact_details": {"name": "Jo"}}, "endUserContactDetails/phone"),
        ({"service_affected": ""}, "serviceAffected"),
        ({"buyer_fault_reference": ""}, "buyerFaultReference"),
        ({"fault_type": ""}, "faultDetails/type"),
        ({"description": ""}, "faultDetails/description"),
        ({"fault_start_time": None}, "faultDetails/faultStartTime"),
    ],
)
def test_missing_mandatory_information_rejects(changes: dict[str, object], element: str) -> None:
    answer = samples.send(samples.request(**changes))
    report = samples.after(FaultReport.objects.get(), seconds=samples.A_MINUTE)

    assert samples.values(answer)["status"] == "Pending"
    assert report.state == "rejected"
    assert {
        "code": validation.MISSING,
        "message": f"{element} is missing. Send it.",
    } in report.rejection_reasons


def rejected(**members: object) -> list[dict[str, str]]:
    """Why a report is rejected."""
    report = samples.after(samples.pending(samples.request(**members)), seconds=samples.A_MINUTE)
    assert report.state == "rejected"
    return report.rejection_reasons


def test_service_id_that_is_unknown_ceased_or_foreign_is_one_reason() -> None:
    ceased = samples.service(samples.OTHER_UPRN)
    services.end(service=ceased, at=clock.now())
    foreign = samples.service(samples.FOREIGN_UPRN).service_identifier

    for identifier in ("FBR999999999", ceased.service_identifier, foreign):
        reasons = rejected(service_affected=identifier)
        assert reasons == [
            {"code": validation.INVALID_SERVICE, "message": f"{identifier} is not a live service of yours."}
        ]


@pytest.mark.locks
def test_longest_service_id_is_rejected() -> None:
    """PostgreSQL has no room for 3,000 bytes in an index, unless they can be compressed: these cannot."""
    text = "".join(chr(0x4E00 + number * 7919 % 20_000) for number in range(1000))

    report = samples.pending(samples.request(service_affected=text))

    assert samples.after(report, seconds=60).state == "rejected"


def test_outage_without_a_key_is_rejected() -> None:
    reasons = rejected(fault_type="Service Outage")

    text = "A Service Outage needs an appointment reservation key. Reserve a slot and send its key."
    assert reasons == [{"code": validation.KEY_NEEDED, "message": text}]


@pytest.mark.parametrize("fault_type", ["Impaired Service", "Performance Issue"])
def test_other_type_with_a_key_is_rejected(fault_type: str) -> None:
    key = str(samples.reserve().key)
    reasons = rejected(fault_type=fault_type, appointment_reservation_key=key)

    text = f"{fault_type} takes no appointment reservation key. Leave it out."
    assert reasons == [{"code": validation.KEY_NOT_ALLOWED, "message": text}]


@pytest.mark.parametrize(
    "members",
    [
        {"description": "x" * 5000},
        {"parent_fault_reference": "FT-of-nobody"},
        {"fault_start_time": datetime(2199, 12, 30, tzinfo=UTC)},
        {"report_date_time": datetime(1900, 1, 2, tzinfo=UTC)},
        {"triage_complete": False, "triage_findings": ""},
        {"site_access_details": "None", "site_access_contact_details": {"email": "only@example.org"}},
        {"files": [{"name": "photo.exe"}]},
    ],
)
def test_nothing_else_rejects(members: dict[str, Any]) -> None:
    """Whatever the document does not name is taken as it comes, also a second report about the same service."""
    samples.accepted()

    assert samples.accepted(samples.request(**members)).state == FaultState.ACCEPTED


def test_key_that_cannot_be_used_is_as_no_key() -> None:
    used = samples.outage()
    samples.accepted(used)
    elsewhere = samples.reserve(uprn=samples.OTHER_UPRN)
    expired = samples.reserve(number=3)
    clock.move(seconds=25 * samples.AN_HOUR)
    fresh = samples.reserve(uprn=samples.OTHER_UPRN)

    texts = {
        used.appointment_reservation_key: "is used already",
        str(elsewhere.key): "for other premises",
        str(fresh.key): "for other premises",
        str(expired.key): "has expired or was given back",
        "no key at all": "no reservation of yours",
    }
    for key, text in texts.items():
        reasons = rejected(fault_type="Service Outage", appointment_reservation_key=key)
        assert [reason["code"] for reason in reasons] == [validation.KEY_NEEDED]
        assert text in reasons[0]["message"]


def test_rejected_says_when_and_why_and_not_our_reference() -> None:
    report = samples.after(
        samples.pending(samples.request(description="", service_affected="FBR999999999")), seconds=60
    )
    content = samples.notification(report, "Rejected")

    assert samples.sent(report) == ["Rejected"]
    assert content["rejection"]["rejected_at"] == report.ended_at.replace(microsecond=0)
    assert [row["code"] for row in content["rejection"]["reasons"]] == [
        validation.MISSING,
        validation.INVALID_SERVICE,
    ]
    assert "maintainer_fault_reference" not in content
    assert not report.sla_intervals.exists()


def test_switch_of_the_console_rejects_at_once() -> None:
    operator_actions.set_rejects_at_once(rejects=True)
    wrong, right = samples.request(description=""), samples.request()
    answers = [samples.values(samples.send(message))["status"] for message in (wrong, right)]
    report = FaultReport.objects.get(buyer_fault_reference=wrong.buyer_fault_reference)

    assert answers == ["Rejected", "Pending"]
    assert samples.sent(samples.after(report, seconds=60)) == ["Rejected"]


def test_reference_that_was_used_before_is_a_400() -> None:
    first = samples.request()
    samples.send(first)
    answer = samples.send(replace(samples.request(), buyer_fault_reference=first.buyer_fault_reference))

    assert answer.status == 400
    assert samples.values(answer)["response_code"] == "3"
    assert FaultReport.objects.count() == 1


def test_same_message_twice_has_one_effect() -> None:
    message = samples.request()
    first, second = samples.send(message), samples.send(message)

    assert second.content == first.content
    assert FaultReport.objects.count() == 1


def test_message_id_of_another_message_is_a_400() -> None:
    message = samples.request()
    samples.send(message)
    answer = samples.send(replace(samples.request(), header=message.header))

    assert answer.status == 400
    assert samples.values(answer)["response_code"] == "2"
    assert samples.values(answer)["message_id"] == message.header.message_id


def test_files_and_updates_are_lists_of_the_ticket() -> None:
    row = {"name": "lights.jpg", "media_type": "image/jpeg", "size_bytes": 12, "description": "The lights"}
    report = samples.accepted(samples.request(files=[row], update_texts=["Router restarted"]))
    content = samples.notification(report, "Accepted")

    assert content["files"] == [{**row, "author": "Reporter"}]
    assert [(update["author"], update["text"]) for update in content["updates"]] == [
        ("Reporter", "Router restarted")
    ]


def test_triage_starts_after_acceptance() -> None:
    report = samples.in_progress()

    assert report.state == "in_progress"
    assert samples.sent(report) == ["Accepted", "InProgress"]


def test_event_that_the_table_does_not_have_is_refused() -> None:
    report = samples.accepted()

    with pytest.raises(lifecycle.FaultEventNotPossible):
        samples.act(report, lifecycle.apply, kind=FaultEventKind.RESOLUTION_ACCEPTED)
    assert samples.fresh(report).state == "accepted"


def test_reservation_that_expires_between_answer_and_validation_rejects() -> None:
    appointment = samples.reserve()
    report = samples.pending(samples.outage(appointment_reservation_key=str(appointment.key)))
    appointment.expires_at = clock.now() - timedelta(seconds=1)
    appointment.save()

    assert samples.after(report, seconds=60).state == "rejected"


def test_reference_that_no_later_message_can_name_is_a_400() -> None:
    """Fault report: the buyer's reference identifies the fault in every later message, of 100 characters at most."""
    longest, too_long = "r" * 100, "r" * 101
    report = samples.in_progress(samples.request(buyer_fault_reference=longest))
    refused = samples.send(samples.request(buyer_fault_reference=too_long))

    assert samples.values(samples.amend(report, update_texts=["Router restarted"]))["response_code"] == "0"
    assert refused.status == 400
    assert "addFaultReport/buyerFaultReference" in samples.values(refused)["error_message"]
    assert not FaultReport.objects.filter(buyer_fault_reference=too_long).exists()
