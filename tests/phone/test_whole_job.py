"""A whole job as a phone's queue sends it: what is asked, how it may end, and what is refused on the way."""

import hashlib
import uuid
from typing import Any

import pytest

from board.event_descriptions import event_line
from closures import closing, closing_context
from closures.closing import Outcome
from closures.models import Answer, Closure, Photo
from closures.question_matrix.matrix import Question
from dispatch.models import Job
from dispatch.states import EventKind, JobState, JobType
from engineers.models import Engineer
from seller_link.models import OutboundMessage
from tests import make
from tests.phone.phone import POSITION, Phone

LABEL = {"fsan": "cxnk 00ab cdef", "serial_number": "261200123456"}


def still_asked(job: Job, code: str, *stages: str) -> list[Question]:
    found = closing.closing_context(job=Job.objects.get(pk=job.pk), outcome=Outcome(code=code))
    return [
        question
        for question in closing_context.closure_questions(found)
        if question.stage in stages and question.code not in found.answers
    ]


def answer_all(phone: Phone, job: Job, *stages: str, code: str = "SP", leave: str = "") -> None:
    """What these stages ask on the way to this, one after the other, but for `leave`."""
    for _ in range(60):
        asked = [question for question in still_asked(job, code, *stages) if question.code != leave]
        if not asked:
            return
        body = {"question": asked[0].code, "value": value_for(phone, job, asked[0])}
        assert phone.say("answered", job, body)["outcome"] == "applied"
    raise AssertionError("the questions do not end")


def value_for(phone: Phone, job: Job, question: Question) -> Any:
    if question.is_picture:
        return [photographed(phone, job, question)]
    if question.choices:
        return question.choices[0].code
    if question.kind == "number":
        return "−18,5" if question.expected else str(question.minimum)
    return {"yes_no": "yes", "text": "As agreed"}[question.kind]


def photographed(phone: Phone, job: Job, question: Question) -> str:
    raw, photo_id = make.new_jpeg(), str(uuid.uuid4())
    body = {
        "photo_id": photo_id,
        "question": question.code,
        "sha256": hashlib.sha256(raw).hexdigest(),
        "taken_at": make.now().isoformat(),
        "signer": "A. Customer",
    }
    assert phone.say("photo_taken", job, body)["outcome"] == "applied"
    assert phone.put(photo_id, raw).status_code == 200
    return photo_id


def scan(phone: Phone, job: Job, **more: Any) -> dict[str, Any]:
    return phone.say("ont_scanned", job, {"scan_id": str(uuid.uuid4()), **LABEL, **more})


def closed(phone: Phone, job: Job, **body: Any) -> dict[str, Any]:
    result = phone.say("close", job, body)
    job.refresh_from_db()
    return result


def fields_named(result: dict[str, Any]) -> list[str]:
    return [problem["where"] for problem in result["problems"]]


def problem_texts(result: dict[str, Any]) -> str:
    return " ".join(problem["message"] for problem in result["problems"])


def test_whole_job(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    phone.say("en_route", job, {"position": POSITION})
    phone.say("on_site", job, {"position": POSITION})
    answer_all(phone, job, "safety")
    scan(phone, job)
    make.result(job, 1)
    answer_all(phone, job, "work")
    result = closed(phone, job, code="SP", remarks="All good")

    assert (result["outcome"], job.state, Closure.objects.get().code) == ("applied", JobState.CLOSED, "SP")
    assert job.scans.get().fsan == "CXNK00ABCDEF"
    assert Photo.objects.stored().count() == Photo.objects.count() > 0


def test_job_that_cannot_be_completed(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.EN_ROUTE, to=engineer)
    phone.say("on_site", job, {"position": POSITION})
    answer_all(phone, job, "safety", "closing", code="CON")
    closed(phone, job, code="CON", secondary_code="CON03", remarks="Blocked duct")

    assert (job.state, Closure.objects.get().secondary_code) == (JobState.CLOSED, "CON03")


def test_optional_question_may_be_left_open(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer, job_type=JobType.EXTERNAL)
    answer_all(phone, job, "safety", "work", code="EXTCOMP", leave="ROU03")
    left = [question.code for question in still_asked(job, "EXTCOMP", "safety", "work")]
    result = closed(phone, job, code="EXTCOMP")

    assert (left, result["outcome"], job.state) == (["ROU03"], "applied", JobState.CLOSED)


@pytest.mark.parametrize(
    ("job_type", "code", "refused"),
    [(JobType.REVISIT, "REVCOMP", []), (JobType.INSTALLATION, "SP", ["scan"])],
)
def test_only_a_revisit_may_leave_the_ont_alone(
    engineer: Engineer, phone: Phone, job_type: JobType, code: str, refused: list[str]
) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer, job_type=job_type)
    answer_all(phone, job, "safety", "work", code=code)

    assert fields_named(closed(phone, job, code=code)) == refused


def test_device_on_another_job_is_a_problem_and_may_be_used_anyway(engineer: Engineer, phone: Phone) -> None:
    other = make.job(at_state=JobState.ON_SITE)
    make.scan(other)
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    refused = scan(phone, job)
    assert (refused["outcome"], refused["problems"][0]["code"]) == ("refused", "duplicate_device")
    assert problem_texts(refused) == f"CXNK00ABCDEF was scanned for our open job {other} at LS6 3AB."
    scan(phone, job, duplicate_confirmed=True)

    assert job.scans.get().fsan == "CXNK00ABCDEF"


def test_wrong_answer_is_refused_with_a_sentence(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    refused = phone.say("answered", job, {"question": "LGT01", "value": "99"})

    assert (refused["outcome"], problem_texts(refused)) == (
        "refused",
        "The number must be from −40 to 10 dBm.",
    )
    assert fields_named(refused) == ["question:LGT01"]


def test_later_answer_counts(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    for value in ("yes", "no"):
        phone.say("answered", job, {"question": "SAF01", "value": value})

    assert Answer.objects.active().get().value == "no"


def test_everything_that_is_missing_is_named_with_its_step(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    missing = fields_named(closed(phone, job, code="SP"))

    assert {"scan", "question:SAF01", "question:PHO01"} <= set(missing)


def test_refused_closing_lists_the_problems(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    result = closed(phone, job, code="CON", remarks="Kept as typed")

    assert (result["outcome"], job.state) == ("refused", JobState.ON_SITE)
    assert {"secondary", "question:NET01"} <= set(fields_named(result))


def test_findings_on_site_are_reported_from_there(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.EN_ROUTE, to=engineer)
    result = closed(phone, job, code="HAZ")

    assert (result["outcome"], "arrive" in fields_named(result)) == ("refused", True)
    assert "Tap “I'm on site” first" in problem_texts(result)


@pytest.mark.parametrize("kind", ["en_route", "on_site", "answered", "close"])
def test_tap_on_another_engineer_s_job_is_of_an_unknown_one(phone: Phone, kind: str) -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    body = {"position": POSITION, "code": "SP", "question": "SAF01", "value": "yes"}

    assert phone.say(kind, job, body)["problems"][0]["code"] == "unknown_job"


def contradicting(phone: Phone, engineer: Engineer) -> Job:
    """Finished but for two answers after which nobody expects a success."""
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    make.scan(job)
    make.result(job, 1)
    make.answer_all(job)
    for question, value in (("ONT03", "no_service"), ("SPD01", "no"), ("SPD04", "No laptop")):
        phone.say("answered", job, {"question": question, "value": value})
    return job


def test_contradicting_answers_are_ticked_one_by_one_and_the_ticks_recorded(
    engineer: Engineer, phone: Phone
) -> None:
    job = contradicting(phone, engineer)

    refused = closed(phone, job, code="SP", checked=["SPD01"])
    assert (refused["outcome"], fields_named(refused)) == ("refused", ["question:ONT03"])
    assert closed(phone, job, code="SP", checked=["SPD01", "ONT03", "SAF01"])["outcome"] == "applied"

    ticked = [
        {
            "question": "ONT03",
            "text": "Which lights does the ONT show?",
            "answer": "Broadband green, service off",
        },
        {"question": "SPD01", "text": "Did you run a speed test?", "answer": "No"},
    ]
    assert sorted(job.closure.checked_answers, key=lambda row: row["question"]) == ticked
    event = job.events.get(kind=EventKind.CLOSED)
    assert event.facts["checked"] == job.closure.checked_answers
    text = event_line(event).sentence
    assert "Ticked as checked although it doesn't match: " in text
    assert "Which lights does the ONT show? Broadband green, service off" in text
    message = OutboundMessage.objects.get(job=job, operation="closeJob")
    assert "'checked'" not in str(message.body)


def test_changed_answer_needs_no_tick(engineer: Engineer, phone: Phone) -> None:
    job = contradicting(phone, engineer)
    phone.say("answered", job, {"question": "ONT03", "value": "all_green"})

    assert closed(phone, job, code="SP", checked=["SPD01"])["outcome"] == "applied"
    assert [row["question"] for row in job.closure.checked_answers] == ["SPD01"]


def test_phone_that_does_not_ask_yet_closes_with_a_warning(engineer: Engineer, phone: Phone) -> None:
    """An application that was loaded before, or a closure from before the update in its queue."""
    job = contradicting(phone, engineer)

    assert closed(phone, job, code="SP")["outcome"] == "applied"
    assert (job.closure.checked_answers, "checked" in job.events.last().facts) == ([], False)
