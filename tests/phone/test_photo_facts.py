"""What a phone knows of a picture besides its bytes: its doubts, what was drawn on it, who signed."""

import hashlib
import uuid
from typing import Any

import pytest

from board.jobs.job_presenter import build_job_page
from closures.models import Answer, Photo
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Engineer
from tests import make
from tests.phone.phone import POSITION, Phone

RAW = make.jpeg()
DRAWN_FROM = "a" * 64


@pytest.fixture
def job(engineer: Engineer) -> Job:
    return make.job(at_state=JobState.ON_SITE, to=engineer)


def body(question: str, **more: Any) -> dict[str, Any]:
    return {
        "photo_id": str(uuid.uuid4()),
        "question": question,
        "taken_at": "2026-11-23T09:00:00+00:00",
        "sha256": hashlib.sha256(RAW).hexdigest(),
        "source": "camera",
        "position": POSITION,
        **more,
    }


def test_doubts_of_the_phone_are_kept_and_shown_on_the_board(phone: Phone, job: Job) -> None:
    checks = {"blur": True, "dark": False, "unreadable": False, "used_anyway": True}

    result = phone.say("photo_taken", job, body("PHO01", checks=checks, original_sha256=DRAWN_FROM))

    (line,) = build_job_page(job, now=make.now()).photos
    assert (result["outcome"], Photo.objects.get().checks) == ("applied", checks)
    assert line.doubts == "Blurry, kept anyway"
    assert line.remarks == [f"Annotated. Original: {DRAWN_FROM[:12]}"]


def test_phone_gets_the_hashes_that_it_gave(phone: Phone, job: Job) -> None:
    phone.say("photo_taken", job, body("PHO01", original_sha256=DRAWN_FROM))

    (listed,) = phone.json("/phone/day.json")["jobs"][0]["photos"].values()
    assert (listed["sha256"], listed["original_sha256"]) == (hashlib.sha256(RAW).hexdigest(), DRAWN_FROM)


def test_good_photo_has_no_warnings(phone: Phone, job: Job) -> None:
    phone.say("photo_taken", job, body("PHO01"))

    (line,) = build_job_page(job, now=make.now()).photos
    assert (line.doubts, line.remarks, Photo.objects.get().checks) == ("", [], {})


@pytest.mark.parametrize(
    "odd", [{"checks": {"blur": "very"}}, {"checks": []}, {"original_sha256": "short"}, {"signer": "x" * 121}]
)
def test_odd_facts_are_refused_by_name(phone: Phone, job: Job, odd: dict[str, Any]) -> None:
    result = phone.say("photo_taken", job, body("PHO01", **odd))

    assert result["outcome"] == "refused"
    assert result["problems"][0]["where"].startswith(next(iter(odd)))


def test_signature_names_who_signed_to_the_board_and_its_files_to_the_seller(phone: Phone, job: Job) -> None:
    make.scan(job)
    make.result(job, 1)
    make.answer_all(job)
    picture = body("SIG01", signer="Ann Other")
    answer = {"question": "SIG01", "value": [picture["photo_id"]]}

    results = phone.say("photo_taken", job, picture), phone.say("answered", job, answer)
    phone.put(picture["photo_id"], RAW)
    phone.say("close", job, {"code": "SP"})

    answers_sent = job.outbound_messages.last().body["questions_answers"]
    (signed,) = [answer_sent for answer_sent in answers_sent if answer_sent["question_code"] == "SIG01"]
    assert [answer_sent["outcome"] for answer_sent in results] == ["applied", "applied"]
    assert Answer.objects.active().get(question_code="SIG01").answer_text == "Signed by Ann Other"
    assert (signed["answer"], signed["source"], len(signed["files"])) == ("1", "Closure", 1)


def test_signature_waits_for_its_picture_before_a_closure(phone: Phone, job: Job) -> None:
    make.scan(job)
    make.result(job, 1)
    make.answer_all(job)
    picture = body("SIG01", signer="Ann Other")
    phone.say("photo_taken", job, picture)
    phone.say("answered", job, {"question": "SIG01", "value": [picture["photo_id"]]})

    closed = phone.say("close", job, {"code": "SP"})

    assert [problem["code"] for problem in closed["problems"]] == ["photo_not_stored"]


@pytest.mark.parametrize("question", ["ZZZ99", "PHO01\n", "SAF01", "pho01"])
def test_photo_of_no_question_of_the_job_is_refused(phone: Phone, job: Job, question: str) -> None:
    result = phone.say("photo_taken", job, body(question))

    assert (result["outcome"], result["problems"][0]["where"]) == ("refused", "question")
    assert not Photo.objects.exists()


def test_photos_of_one_question_have_an_end(phone: Phone, job: Job) -> None:
    results = [phone.say("photo_taken", job, body("PHO01")) for _ in range(31)]

    assert [result["outcome"] for result in results] == [*["applied"] * 30, "refused"]
    assert results[-1]["problems"][0]["code"] == "too_many_photos"


@pytest.mark.parametrize("question", ["PHO01", "PHO02"])
def test_answer_with_another_engineer_s_photo_is_refused(phone: Phone, job: Job, question: str) -> None:
    other_phone = Phone(make.engineer())
    other = make.job(at_state=JobState.ON_SITE, to=other_phone.engineer)
    picture = body("PHO01")
    other_phone.say("photo_taken", other, picture)

    result = phone.say("answered", job, {"question": question, "value": [picture["photo_id"]]})

    assert (result["outcome"], result["problems"][0]["code"]) == ("refused", "photo_of_another_answer")
    assert not Answer.objects.filter(job=job).exists()
