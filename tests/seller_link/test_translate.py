"""What the seller hears of each event, held against the contract's own schemas."""

import uuid
from datetime import timedelta

import pytest

from dispatch import visits
from dispatch.history import By
from dispatch.models import Job
from dispatch.states import Actor, EventKind, JobState
from engineers.people import Position
from seller_link.translate import MESSAGES, SILENT
from seller_link.wire import contract
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


def test_another_engineer_is_told_again_but_another_time_is_not() -> None:
    first, second = make.engineer(), make.engineer()
    job = make.job(at_state=JobState.ASSIGNED, to=first)

    visits.assign(job=job, engineer=first, starts_at=make.at("09:00"), by=make.office())
    visits.assign(job=job, engineer=second, starts_at=make.at("09:00"), by=make.office())

    assert [body["engineer"]["id"] for body in bodies(job)] == [first.staff_number, second.staff_number]


def test_position_is_sent_as_the_phone_knew_it() -> None:
    job = make.job(at_state=JobState.EN_ROUTE)

    assert bodies(job)[-1]["coordinates"] == {"latitude": 53.8, "longitude": -1.55, "accuracyMetres": 8}


def test_missing_position_is_left_out_not_invented() -> None:
    engineer = make.engineer()
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)

    visits.start_travel(
        job=job,
        engineer=engineer,
        by=By(Actor.ENGINEER, engineer.user),
        occurred_at=make.now(),
        position=Position(missing_because="permission refused"),
    )

    assert "coordinates" not in bodies(job)[-1]
    assert contract.problems("notifyJob.partner", bodies(job)[-1]) == []


def test_time_of_a_phone_that_runs_ahead_is_not_in_the_future() -> None:
    engineer = make.engineer()
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)

    event = visits.start_travel(
        job=job,
        engineer=engineer,
        by=By(Actor.ENGINEER, engineer.user),
        occurred_at=make.now() + timedelta(hours=3),
        position=make.HERE,
    )

    body = bodies(job)[-1]
    assert body["occurredAt"] == body["sentAt"]
    assert event.occurred_at > event.recorded_at


def test_scan_carries_both_values_and_its_id() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    scan = make.scan(job)

    body = bodies(job)[-1]

    assert body["ont"] == {"fsan": "CXNK00ABCDEF", "serialNumber": "261200123456"}
    assert body["scanId"] == str(scan.scan_id)
    assert uuid.UUID(body["messageId"]) != scan.scan_id
