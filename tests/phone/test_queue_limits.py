"""What a phone says that cannot be kept, comes out of turn, or comes too late."""

import json
import uuid
from typing import Any

import pytest
from django.test import Client

from closures.models import Photo
from dispatch import visits
from dispatch.models import Job, JobEvent, OntScan
from dispatch.states import EventKind, JobState
from engineers.models import Engineer, PhoneMessage
from phone import sync
from tests import make
from tests.together import at_once


def entry(job: Job, kind: str, *, message_id: str = "", at: str = "", **body: Any) -> dict[str, Any]:
    return {
        "message_id": message_id or str(uuid.uuid4()),
        "kind": kind,
        "job": job.provider_job_id,
        "occurred_at": at or make.now().isoformat(),
        "body": body,
    }


HERE = {"latitude": 53.8, "longitude": -1.55, "accuracy_metres": 8}


def outcome_of(engineer: Engineer, message: dict[str, Any]) -> tuple[str, list[tuple[str, str]]]:
    result = sync.apply_message(entry=message, engineer=engineer)
    return result.outcome, [(problem.code, problem.where) for problem in result.problems]


def late_facts(job: Job) -> list[str]:
    return [event.facts["what"] for event in job.events.filter(kind=EventKind.REPORTED_LATE)]


def test_same_step_under_a_new_id_is_refused_and_is_no_late_fact(engineer: Engineer) -> None:
    job = make.job(at_state=JobState.EN_ROUTE, to=engineer)

    outcome = outcome_of(engineer, entry(job, "en_route", position=HERE))

    assert (outcome, late_facts(job)) == (("refused", [("not_now", "job")]), [])


def test_scan_before_arrival_is_refused_and_is_no_late_fact(engineer: Engineer) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    scan = entry(
        job, "ont_scanned", scan_id=str(uuid.uuid4()), fsan="CXNK00ABCDEF", serial_number="261200123456"
    )

    outcome = outcome_of(engineer, scan)

    assert (outcome, late_facts(job)) == (("refused", [("not_now", "job")]), [])


def test_arrival_at_a_cancelled_job_is_a_late_fact(engineer: Engineer) -> None:
    job = make.job(at_state=JobState.CANCELLED, to=engineer)
    later_job = make.job(at_state=JobState.ASSIGNED, to=engineer, window=("13:00", "18:00"))
    make.walk(later_job, at_state=JobState.CANCELLED)

    outcome = outcome_of(engineer, entry(later_job, "on_site", position=HERE))

    assert (outcome[0], late_facts(later_job), late_facts(job)) == ("late", ["on_site"], [])


def test_scan_id_used_twice_is_refused(engineer: Engineer) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    scan = {"scan_id": str(uuid.uuid4()), "fsan": "CXNK00ABCDEF", "serial_number": "261200123456"}
    outcome_of(engineer, entry(job, "ont_scanned", **scan))

    outcome = outcome_of(engineer, entry(job, "ont_scanned", **scan))

    assert (outcome, OntScan.objects.count()) == (("refused", [("scan_known", "scan_id")]), 1)


def test_office_s_closure_is_refused_from_a_phone(engineer: Engineer) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)

    outcome = outcome_of(engineer, entry(job, "close", code="NTR", remarks="Not needed"))

    job.refresh_from_db()
    assert (outcome, job.state) == (("refused", [("office_only", "code")]), JobState.ASSIGNED)


@pytest.mark.parametrize("text", ["sp", "SP x", "x y\nz <b>WWW", "SOMETHING"])
def test_text_that_is_no_closure_code_is_refused(engineer: Engineer, text: str) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    make.answer_all(job, code="OTHER")

    outcome = outcome_of(engineer, entry(job, "close", code=text, remarks="Because"))

    job.refresh_from_db()
    assert (outcome, job.state) == (("refused", [("unknown_code", "closure")]), JobState.ON_SITE)


def test_photo_of_a_job_taken_away_is_kept(engineer: Engineer) -> None:
    job = make.job(at_state=JobState.EN_ROUTE, to=engineer)
    visits.unassign(job=job, by=make.office())
    photo = {"photo_id": str(uuid.uuid4()), "question": "PHO01", "taken_at": make.now().isoformat()}

    outcome = outcome_of(engineer, entry(job, "photo_taken", **photo))

    assert (outcome[0], Photo.objects.filter(by=engineer).count()) == ("applied", 1)


def test_another_engineer_s_message_is_not_answered(engineer: Engineer) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    message = entry(job, "en_route", position=HERE)
    outcome_of(engineer, message)

    assert outcome_of(make.engineer(), message) == ("refused", [("message_id_reused", "message_id")])


@pytest.mark.parametrize(
    "value", ["NUL \0", "half \ud83d", float("inf"), json.loads("[" * 40 + "]" * 40)], ids=repr
)
def test_unstorable_value_is_refused(engineer: Engineer, value: Any) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)

    assert outcome_of(engineer, entry(job, "answered", question="ROU03", value=value))[0] == "refused"


@pytest.mark.parametrize("latitude", ["nan", "inf", 91])
def test_position_that_is_no_place_is_refused(engineer: Engineer, latitude: Any) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)

    outcome = outcome_of(engineer, entry(job, "en_route", position={**HERE, "latitude": latitude}))

    assert outcome == ("refused", [("invalid", "position.latitude")])


def test_position_of_a_receiver_without_a_fix_is_none(engineer: Engineer) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)

    outcome = outcome_of(engineer, entry(job, "en_route", position={**HERE, "latitude": 0, "longitude": 0}))

    event = job.events.get(kind=EventKind.EN_ROUTE)
    assert outcome == ("applied", [])
    assert (event.facts.get("latitude"), event.facts["position_missing_because"]) == (
        None,
        "position_unavailable",
    )


def test_number_text_that_is_not_finite_leaves_the_job_alone(engineer: Engineer) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    outcome_of(engineer, entry(job, "en_route", position={**HERE, "accuracy_metres": "nan"}))

    assert JobEvent.objects.filter(job=job, kind=EventKind.EN_ROUTE).count() == 0


@pytest.mark.django_db(transaction=True)
def test_twins_at_once_have_one_effect() -> None:
    engineer = make.engineer()
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    message, outcomes = entry(job, "en_route", position=HERE), []

    def send() -> None:
        outcomes.append(sync.apply_message(entry=message, engineer=engineer).outcome)

    at_once(*[send] * 6)

    assert sorted(outcomes) == ["already"] * 5 + ["applied"]
    assert job.events.filter(kind=EventKind.EN_ROUTE).count() == 1
    assert late_facts(job) == []
    assert PhoneMessage.objects.count() == 1


def test_sync_over_http_names_the_field(client: Client, engineer: Engineer) -> None:
    client.force_login(engineer.user, "engineers.permissions.RoleBackend")
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    message = entry(job, "en_route", at="2026-11-23T08:00:00", position=HERE)

    answer = client.post("/phone/sync", {"messages": [message]}, "application/json").json()

    assert [problem["where"] for problem in answer["results"][0]["problems"]] == ["occurred_at"]
