"""Answers ride on the next event, once; the closing carries all of them with the source that carried each first."""

import uuid
from typing import Any

import pytest

from closures.photos import evidence
from closures.photos.evidence import Capture
from dispatch import visits
from dispatch.models import Job
from dispatch.states import JobState
from seller_link.wire import contract
from tests import make

pytestmark = pytest.mark.django_db


def bodies(job: Job) -> list[dict[str, Any]]:
    return list(job.outbound_messages.order_by("seq").values_list("body", flat=True))


def carried(body: dict[str, Any]) -> list[tuple[str, str, str]]:
    entries = body.get("questions_answers", [])
    return [(entry["question_code"], entry["answer"], entry["source"]) for entry in entries]


def close(job: Job, code: str) -> dict[str, Any]:
    make.close(job, code, remarks="Agreed with the customer")
    return bodies(job)[-1]


def test_answers_ride_on_the_next_event_once() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.record_answer(job, "SAF01", "yes")
    make.record_answer(job, "SAF03", "no")

    make.scan(job)
    make.scan(job, fsan="ALCLF1234567")

    first, second = bodies(job)[-2:]
    assert carried(first) == [("SAF01", "Yes", "notifyJob"), ("SAF03", "No", "notifyJob")]
    assert "questions_answers" not in second
    assert contract.problems("notifyJob.partner", first) == []


def test_changed_answer_is_new_and_the_same_one_is_not() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.record_answer(job, "SAF01", "yes")
    make.record_answer(job, "SAF03", "no")
    make.scan(job)

    make.record_answer(job, "SAF01", "yes")
    make.record_answer(job, "SAF03", "yes")
    make.scan(job, fsan="ALCLF1234567")

    assert carried(bodies(job)[-1]) == [("SAF03", "Yes", "notifyJob")]


def test_answer_that_is_no_longer_asked_does_not_ride() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.record_answer(job, "SAF01", "no")
    make.record_answer(job, "SAF02", "A dog")
    make.record_answer(job, "SAF01", "yes")

    make.scan(job)

    assert carried(bodies(job)[-1]) == [("SAF01", "Yes", "notifyJob")]


def test_photos_wait_for_the_closing() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    photo = make.photo(job, question_code="PHO01")
    make.record_answer(job, "PHO01", [str(photo.pk)])

    make.scan(job)

    assert "questions_answers" not in bodies(job)[-1]


def test_closing_carries_all_each_with_its_first_source() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.record_answer(job, "SAF01", "yes")
    make.record_answer(job, "SAF03", "no")
    make.scan(job)
    make.record_answer(job, "SAF03", "yes")
    make.result(job, 1)
    make.answer_all(job)

    body = close(job, "SP")

    entries = {entry["question_code"]: entry for entry in body["questions_answers"]}
    assert entries["SAF01"]["source"] == "notifyJob"
    assert (entries["SAF03"]["answer"], entries["SAF03"]["source"]) == ("Yes", "closeJob")
    assert (entries["LGT01"]["answer"], entries["LGT01"]["source"]) == ("-18.5", "closeJob")
    assert (entries["PHO01"]["answer"], entries["PHO01"]["source"]) == ("1", "Closure")
    with_files = {code for code, entry in entries.items() if "files" in entry}
    assert with_files == {code for code, entry in entries.items() if entry["source"] == "Closure"}
    assert all(len(entry["files"]) == int(entry["answer"]) for entry in entries.values() if "files" in entry)
    assert contract.problems("closeJob", body) == []


def test_photo_that_never_arrived_is_no_answer_of_an_office_closing() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    capture = Capture(uuid.uuid4(), "PHO01", make.now(), source="camera")
    make.record_answer(
        job, "PHO01", [str(make.act(evidence.announce_photo, job=job, capture=capture, by=None).pk)]
    )
    visits.assign(job=job, engineer=make.engineer(), starts_at=make.at("11:00"), by=make.office())

    make.close_without_visit(job, "MBORC", remarks="Storm")

    body = bodies(job)[-1]
    assert (body["questions_answers"], "engineer" in body) == ([], False)


def test_photo_answer_without_files_breaks_the_contract() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.answer_all(job, code="RNA/NA")
    body = close(job, "RNA/NA")
    (photo, *_others) = [entry for entry in body["questions_answers"] if entry["source"] == "Closure"]

    for broken in (
        {**photo, "files": []},
        {name: member for name, member in photo.items() if name != "files"},
    ):
        found = contract.problems("closeJob", {**body, "questions_answers": [broken]})
        assert [detail.field for detail in found] == ["/questions_answers/0/files"]
