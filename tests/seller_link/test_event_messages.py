"""What the seller learns of each event, held against the contract's own schemas."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
import time_machine

from dispatch import visits
from dispatch.models import Job
from dispatch.states import EventKind, JobState
from engineers.staff import Position
from seller_link.event_messages import MESSAGES, SILENT
from seller_link.wire import contract, outgoing
from tests import make

pytestmark = pytest.mark.django_db


def bodies(job: Job) -> list[dict[str, object]]:
    return list(job.outbound_messages.values_list("body", flat=True))


def schema_of(body: dict[str, object]) -> str:
    return "closeJob" if "closureCode" in body else "notifyJob.partner"


def test_every_event_is_sent_or_silent() -> None:
    assert {*MESSAGES} | SILENT == {*EventKind}
    assert {*MESSAGES} & SILENT == set()


def test_messages_keep_the_contract() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)
    closed = make.job(at_state=JobState.CLOSED)

    sent = [*bodies(job), *bodies(closed)]

    assert [contract.problems(schema_of(body), body) for body in sent] == [[]] * 5


def test_engineer_assigned_says_who_and_when() -> None:
    engineer = make.engineer(name="Erin Engineer")
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)

    (body,) = bodies(job)

    assert body["event"] == "engineerAssigned"
    assert body["providerJobId"] == job.provider_job_id
    assert body["sellerJobId"] == job.seller_job_id
    assert body["engineer"] == {"id": engineer.staff_number, "name": "Erin Engineer", "phone": "07700 900123"}
    assert body["plannedStart"] == "2026-11-23T08:00:00.000+00:00"
    assert body["plannedEnd"] == "2026-11-23T10:00:00.000+00:00"


def test_another_time_and_another_engineer_are_sent_again() -> None:
    first, second = make.engineer(), make.engineer()
    job = make.job(at_state=JobState.ASSIGNED, to=first)

    visits.assign(job=job, engineer=first, starts_at=make.at("09:00"), by=make.office())
    visits.assign(job=job, engineer=second, starts_at=make.at("09:00"), by=make.office())

    sent = [(body["event"], body["engineer"]["id"], body["plannedStart"]) for body in bodies(job)]
    assert sent == [
        ("engineerAssigned", first.staff_number, "2026-11-23T08:00:00.000+00:00"),
        ("engineerAssigned", first.staff_number, "2026-11-23T09:00:00.000+00:00"),
        ("engineerAssigned", second.staff_number, "2026-11-23T09:00:00.000+00:00"),
    ]
    assert [contract.problems("notifyJob.partner", body) for body in bodies(job)] == [[]] * 3


def test_unassigned_job_has_no_message_of_its_own() -> None:
    job = make.job(at_state=JobState.ASSIGNED)

    visits.unassign(job=job, by=make.office())

    assert [body["event"] for body in bodies(job)] == ["engineerAssigned"]


def test_engineer_is_left_out_when_nobody_attended() -> None:
    (body,) = bodies(make.job(at_state=JobState.CLOSED))

    assert "engineer" not in body
    assert contract.problems("closeJob", body) == []


def test_position_is_sent_as_the_phone_knew_it() -> None:
    job = make.job(at_state=JobState.EN_ROUTE)

    assert bodies(job)[-1]["coordinates"] == {"latitude": 53.8, "longitude": -1.55, "accuracyMetres": 8}


def test_missing_position_is_left_out_not_invented() -> None:
    job = make.job(at_state=JobState.ASSIGNED)

    make.start_travel(job, position=Position(missing_because="permission_refused"))

    assert "coordinates" not in bodies(job)[-1]
    assert contract.problems("notifyJob.partner", bodies(job)[-1]) == []


def test_time_of_a_phone_that_runs_ahead_is_not_in_the_future() -> None:
    job = make.job(at_state=JobState.ASSIGNED)

    event = make.start_travel(job, occurred_at=make.now() + timedelta(hours=3))

    body = bodies(job)[-1]
    assert body["occurredAt"] == body["sentAt"]
    assert event.occurred_at > event.recorded_at


def test_times_do_not_run_backwards_for_the_seller() -> None:
    job = make.job(at_state=JobState.EN_ROUTE)
    before = bodies(job)[-1]["occurredAt"]

    event = make.arrive(job, occurred_at=make.now() - timedelta(days=400))

    assert bodies(job)[-1]["occurredAt"] == before
    assert event.occurred_at < make.now() - timedelta(days=399)


@pytest.mark.parametrize(("ahead", "goes_on_at"), [(4, 4), (60, 4)])
def test_times_do_not_run_backwards_after_our_clock_was_ahead(ahead: int, goes_on_at: int) -> None:
    with time_machine.travel(make.at("10:00"), tick=False) as clock:
        clock.shift(timedelta(minutes=ahead))
        job = make.job(at_state=JobState.EN_ROUTE)
        clock.move_to(make.at("10:00"))

        make.arrive(job)

        assert bodies(job)[-1]["occurredAt"] == outgoing.instant(make.at(f"10:0{goes_on_at}"))


def test_seller_whose_clock_is_behind_accepts_what_follows_after_our_clock_was_ahead() -> None:
    """It refuses what lies more than five minutes ahead of its clock."""
    with time_machine.travel(make.at("10:00"), tick=False) as clock:
        clock.shift(timedelta(hours=1))
        job = make.job(at_state=JobState.EN_ROUTE)
        clock.move_to(make.at("10:00"))

        make.arrive(job)

    clock_of_seller = make.at("10:00") - timedelta(seconds=20)
    assert bodies(job)[-1]["occurredAt"] <= outgoing.instant(clock_of_seller + timedelta(minutes=5))


def test_answer_of_a_clock_that_was_ahead_is_accepted_and_keeps_its_time() -> None:
    """A closeJob whose answer names another time than the notifyJob before it is refused, too."""
    with time_machine.travel(make.at("10:00"), tick=False) as clock:
        clock.shift(timedelta(hours=1))
        job = make.job(at_state=JobState.ON_SITE)
        make.answer_all(job)
        clock.move_to(make.at("10:00"))
        make.scan(job)
        make.result(job, 1)
        clock.move_to(make.at("10:20"))

        make.close(job)

    *_earlier, scanned, closed = bodies(job)
    reported = times_of_answers(scanned)
    assert set(reported.values()) == {outgoing.instant(make.at("10:04"))}
    assert reported.items() <= times_of_answers(closed).items()


def times_of_answers(body: dict[str, Any]) -> dict[str, str]:
    return {entry["question_code"]: entry["response_received"] for entry in body["questions_answers"]}


def test_tap_before_a_move_keeps_its_time() -> None:
    engineer = make.engineer()
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    tapped_at = make.now()
    visits.assign(job=job, engineer=engineer, starts_at=make.at("09:00"), by=make.office())

    make.start_travel(job, occurred_at=tapped_at)

    assert bodies(job)[-1]["occurredAt"] == outgoing.instant(tapped_at)


def test_scan_carries_both_values_and_its_id() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    scan = make.scan(job)

    body = bodies(job)[-1]

    assert body["ont"] == {"fsan": "CXNK00ABCDEF", "serialNumber": "261200123456"}
    assert body["scanId"] == str(scan.scan_id)
    assert uuid.UUID(body["messageId"]) != scan.scan_id
