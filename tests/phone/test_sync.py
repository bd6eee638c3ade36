"""POST /phone/sync: each kind applied once, refused with the field's name, kept when it comes too late."""

import uuid

import pytest
from pytest_django import Settings

from closures.models import Answer, Closure, Photo
from dispatch import jobs, visits
from dispatch.models import Job, JobEvent, OntScan
from dispatch.states import EventKind, JobState
from engineers.models import Engineer, PhoneMessage
from tests import make
from tests.phone.phone import POSITION, Phone, entry
from tests.together import at_once

FSAN = {"scan_id": str(uuid.UUID(int=1)), "fsan": "cxnk 00ab-cdef", "serial_number": "261200123456"}
PHOTO = {"photo_id": str(uuid.UUID(int=2)), "question": "PHO01", "taken_at": "2026-11-23T09:00:00Z"}


def late_events(job: Job) -> list[str]:
    events = JobEvent.objects.filter(job=job, kind=EventKind.REPORTED_LATE)
    return [event.facts["what"] for event in events]


def fields_named(result: dict[str, list[dict[str, str]]]) -> list[str]:
    return [problem["where"] for problem in result["problems"]]


@pytest.mark.parametrize(
    ("at_state", "kind", "body"),
    [
        (JobState.ASSIGNED, "en_route", {"position": POSITION}),
        (JobState.EN_ROUTE, "on_site", {"position": {"missing_because": "permission_refused"}}),
        (JobState.ON_SITE, "ont_scanned", FSAN),
        (JobState.ON_SITE, "answered", {"question": "SAF01", "value": "yes"}),
        (JobState.ON_SITE, "answer_withdrawn", {"question": "SAF01"}),
        (JobState.ON_SITE, "photo_taken", PHOTO),
    ],
)
def test_each_kind_is_applied_then_already(
    engineer: Engineer, phone: Phone, at_state: JobState, kind: str, body: dict[str, object]
) -> None:
    message = entry(kind, make.job(at_state=at_state, to=engineer), body)

    assert [phone.send(message)[0]["outcome"] for _ in range(2)] == ["applied", "already"]
    assert PhoneMessage.objects.filter(pk=message["message_id"]).count() == 1


def test_close_is_applied_once(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    make.answer_all(job, code="HAZ")
    message = entry("close", job, {"code": "HAZ", "remarks": "Loose roof tiles"})

    assert [phone.send(message)[0]["outcome"] for _ in range(2)] == ["applied", "already"]
    assert list(Closure.objects.values_list("code", "remarks")) == [("HAZ", "Loose roof tiles")]


def test_reviewed_job_is_closed_for_the_phone(engineer: Engineer, phone: Phone, settings: Settings) -> None:
    settings.CLOSURE_REVIEW = True
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    make.answer_all(job, code="HAZ")
    message = entry("close", job, {"code": "HAZ", "remarks": "Loose roof tiles"})

    states = [phone.send(message)[0]["job"]["state"] for _ in range(2)]
    states.append(phone.say("check_in_done", job)["job"]["state"])

    job.refresh_from_db()
    assert (job.state, states) == (JobState.IN_REVIEW, ["closed"] * 3)
    (listed,) = phone.json("/phone/day.json")["jobs"]
    assert (listed["state"], listed["in_review"]) == ("closed", True)


def test_effects_are_there(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    results = phone.send(
        entry("en_route", job, {"position": POSITION}),
        entry("on_site", job, {"position": POSITION}),
        entry("answered", job, {"question": "SAF01", "value": "yes"}),
        entry("ont_scanned", job, FSAN),
        entry("photo_taken", job, PHOTO),
    )
    job.refresh_from_db()

    assert [result["outcome"] for result in results] == ["applied"] * 5
    assert (job.state, job.matrix_edition != "") == (JobState.ON_SITE, True)
    assert OntScan.objects.get().fsan == "CXNK00ABCDEF"
    assert (Answer.objects.count(), Photo.objects.count()) == (1, 1)


@pytest.mark.parametrize(
    ("named", "pinned"),
    [({"matrix": "sample-2"}, "sample-2"), ({"matrix": "gone"}, "sample-3"), ({}, "sample-3")],
)
def test_job_keeps_the_edition_that_the_phone_showed_on_arrival(
    engineer: Engineer, phone: Phone, named: dict[str, str], pinned: str
) -> None:
    job = make.job(at_state=JobState.EN_ROUTE, to=engineer)

    assert phone.say("on_site", job, {"position": POSITION, **named})["outcome"] == "applied"
    job.refresh_from_db()
    assert job.matrix_edition == pinned


def test_result_has_the_state_of_the_job(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    result = phone.say("en_route", job, {"position": POSITION})

    assert result["job"] == {"id": job.provider_job_id, "state": "en_route"}


def test_answer_carries_a_token(phone: Phone) -> None:
    assert phone.post({"messages": []}).json()["csrf_token"] != ""


@pytest.mark.parametrize(
    ("kind", "body", "where"),
    [
        ("en_route", {}, ["position"]),
        ("en_route", {"position": {"latitude": 99, "longitude": 0}}, ["position.latitude"]),
        ("on_site", {"position": {}}, ["position"]),
        ("ont_scanned", {"fsan": "CXNK00ABCDEF"}, ["scan_id"]),
        ("ont_scanned", {**FSAN, "fsan": "CXNK00ABCDEO"}, ["fsan"]),
        ("answered", {"value": 1}, ["question"]),
        ("answered", {"question": "LGT01", "value": "bright"}, ["question:LGT01"]),
        ("answered", {"question": "NONE9", "value": "yes"}, ["question:NONE9"]),
        ("answer_withdrawn", {}, ["question"]),
        ("photo_taken", {**PHOTO, "sha256": "ABC"}, ["sha256"]),
        ("photo_taken", {**PHOTO, "taken_at": "2026-11-23T09:00:00"}, ["taken_at"]),
        ("close", {}, ["code"]),
        ("sing", {}, ["kind"]),
    ],
)
def test_refusal_names_the_field(
    engineer: Engineer, phone: Phone, kind: str, body: dict[str, object], where: list[str]
) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    before = job.events.count()
    message = entry(kind, job, body)
    results = [phone.send(message)[0] for _ in range(2)]

    assert [(result["outcome"], fields_named(result)) for result in results] == [("refused", where)] * 2
    assert job.events.count() == before
    assert PhoneMessage.objects.get(pk=message["message_id"]).outcome == "refused"


def test_time_without_offset_is_refused(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    result = phone.say("en_route", job, {"position": POSITION}, occurred_at="2026-11-23T08:00:00")

    assert (result["outcome"], fields_named(result)) == ("refused", ["occurred_at"])


def test_job_of_somebody_else_is_unknown(phone: Phone) -> None:
    other = make.job(at_state=JobState.ASSIGNED)
    results = [phone.say("en_route", number, {"position": POSITION}) for number in (other, "J-NONE")]

    assert [result["problems"][0]["code"] for result in results] == ["unknown_job", "unknown_job"]
    assert [result["job"] for result in results] == [None, None]


def test_fact_after_a_cancel_is_kept_as_late(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.EN_ROUTE, to=engineer)
    jobs.cancel_job(job=job, reason="Customer changed their mind")
    results = [
        phone.say("on_site", job, {"position": POSITION}),
        phone.say("answered", job, {"question": "SAF01", "value": "yes"}),
    ]
    job.refresh_from_db()

    assert ([result["outcome"] for result in results], job.state) == (["late", "late"], JobState.CANCELLED)
    assert late_events(job) == ["on_site", "answered"]


def test_fact_after_a_reassignment_is_kept_as_late(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.EN_ROUTE, to=engineer)
    visits.assign(job=job, engineer=make.engineer(), starts_at=job.window_start, by=make.office())
    result = phone.say("on_site", job, {"position": POSITION})
    job.refresh_from_db()

    assert (result["outcome"], job.state, late_events(job)) == ("late", JobState.ASSIGNED, ["on_site"])


def test_reused_id_is_refused(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    first = entry("answered", job, {"question": "SAF01", "value": "yes"})
    results = phone.send(first, {**first, "body": {"question": "SAF01", "value": "no"}})

    assert [result["outcome"] for result in results] == ["applied", "refused"]
    assert results[1]["problems"][0]["code"] == "message_id_reused"
    assert Answer.objects.active().get().value == "yes"


def test_one_refused_message_does_not_stop_the_others(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    results = phone.send(
        entry("answered", job, {"question": "LGT01", "value": "bright"}),
        entry("answered", job, {"question": "SAF01", "value": "yes"}),
    )

    assert [result["outcome"] for result in results] == ["refused", "applied"]


@pytest.mark.parametrize("entry_sent", [None, 7, "en_route", [], {}, {"message_id": "abc"}])
def test_entry_that_is_no_message_is_refused(phone: Phone, entry_sent: object) -> None:
    assert phone.send(entry_sent)[0]["outcome"] == "refused"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "body", ["", "{", "[]", "7", '{"messages": {}}', '{"message": []}', {"messages": [{}] * 201}, "[" * 9999]
)
def test_bad_batch_is_refused_and_names_messages(phone: Phone, body: object) -> None:
    answer = phone.post(body)

    assert (answer.status_code, answer.json()["where"]) == (400, "messages")
    assert "messages" in answer.json()["message"]


def test_batch_over_one_megabyte_is_refused(phone: Phone) -> None:
    assert phone.post(" " * (2**20 + 1)).status_code == 400


def test_signed_out_phone_is_refused(phone: Phone) -> None:
    phone.client.logout()

    assert phone.post({"messages": []}).status_code == 401


@pytest.mark.django_db(transaction=True)
def test_same_message_at_once_has_one_effect() -> None:
    engineer = make.engineer()
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    message, outcomes = entry("en_route", job, {"position": POSITION}), []

    def send() -> None:
        outcomes.append(Phone(engineer).send(message)[0]["outcome"])

    at_once(*[send] * 4)

    assert sorted(outcomes) == ["already", "already", "already", "applied"]
    assert job.events.filter(kind=EventKind.EN_ROUTE).count() == 1
