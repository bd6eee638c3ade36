"""An engineer asks the office to give a half-done job to a colleague."""

from datetime import timedelta

import pytest
import time_machine

from board.day.board_presenter import build_board
from board.jobs.job_presenter import build_job_page
from closures import closing
from closures.closing import Outcome
from dispatch import attention, visits
from dispatch.models import Job, Visit
from dispatch.states import JobState
from engineers.models import Engineer
from engineers.moment_texts import format_day, format_time
from engineers.shifts import local_time
from monitoring.alarms import open_alarms, text_of
from monitoring.models import AlarmKind
from phone.day_payload import serialize_day
from seller_link.models import OutboundMessage
from tests import make
from tests.phone.phone import Phone

pytestmark = pytest.mark.django_db
WHY = {"reason": "The duct is blocked, the rods are with Sam"}


@pytest.fixture
def job(engineer: Engineer) -> Job:
    return make.job(at_state=JobState.ON_SITE, to=engineer)


def request_text(job: Job) -> str:
    return build_job_page(job, now=make.now()).head.assignment.handover_request


def marked(job: Job) -> list[bool]:
    board = build_board(make.DAY, now=make.now(), today=make.DAY)
    return [card.wants_hand_over for lane in board.lanes for card in lane.cards]


def attention_texts() -> list[str]:
    return [str(text_of(alarm)) for alarm in open_alarms().filter(kind=AlarmKind.HANDOVER_REQUESTED)]


def is_asked_on_phone(job: Job) -> bool:
    (visit,) = Visit.objects.active().filter(job=job).select_related("engineer")
    asked = {
        carried["id"]: carried["handover_requested"] for carried in serialize_day(visit.engineer)["jobs"]
    }
    return bool(asked[job.provider_job_id])


def test_handover_request_is_shown_on_the_job_and_its_card_and_moves_nothing(phone: Phone, job: Job) -> None:
    sent_before = OutboundMessage.objects.filter(job=job).count()

    assert phone.say("handover_requested", job, WHY)["outcome"] == "applied"
    job.refresh_from_db()
    assert job.state == JobState.ON_SITE
    assert "requested a handover at " in request_text(job)
    assert request_text(job).endswith(": The duct is blocked, the rods are with Sam")
    assert marked(job) == [True]
    assert attention_texts() == [
        f"Erin Engineer asks the office to reassign job {job}, {job.address}: {WHY['reason']}"
    ]
    assert is_asked_on_phone(job) is True
    # the seller has no message for it
    assert OutboundMessage.objects.filter(job=job).count() == sent_before


def test_handover_request_of_an_earlier_day_says_its_day(phone: Phone, job: Job) -> None:
    asked_at = make.now()
    with time_machine.travel(asked_at, tick=False):
        phone.say("handover_requested", job, WHY)
        on_the_day = request_text(job)
    with time_machine.travel(asked_at + timedelta(days=1), tick=False):
        later = request_text(job)

    clock, day = format_time(asked_at), format_day(local_time(asked_at).date())
    assert on_the_day == f"Erin Engineer requested a handover at {clock}: {WHY['reason']}"
    assert later == f"Erin Engineer requested a handover on {day} at {clock}: {WHY['reason']}"


def test_handover_request_ends_when_somebody_else_has_the_job(phone: Phone, job: Job) -> None:
    phone.say("handover_requested", job, WHY)
    colleague = make.engineer(name="Sam Second")
    visits.assign(job=job, engineer=colleague, starts_at=make.at("10:00"), by=make.office())
    job.refresh_from_db()

    assert (request_text(job), marked(job), attention_texts()) == ("", [False], [])
    assert is_asked_on_phone(job) is False
    attention.watch_day()
    assert attention_texts() == []


def test_handover_request_is_looked_for_again_until_the_job_is_over(phone: Phone, job: Job) -> None:
    phone.say("handover_requested", job, WHY)
    attention.end_handover_request(job)

    attention.watch_day()
    assert len(attention_texts()) == 1

    make.answer_all(job, code="HAZ")
    phone.say("close", job, {"code": "HAZ", "remarks": "Loose roof tiles"})
    attention.watch_day()
    assert attention_texts() == []


def test_handover_request_that_comes_after_that_is_kept_as_late(phone: Phone, job: Job) -> None:
    visits.assign(
        job=job, engineer=make.engineer(name="Sam Second"), starts_at=make.at("10:00"), by=make.office()
    )
    answer = phone.say("handover_requested", job, WHY)

    assert (answer["outcome"], answer["problems"][0]["code"]) == ("late", "reassigned")
    page = build_job_page(Job.objects.get(pk=job.pk), now=make.now())
    assert "“Handover requested” arrived after the job was already" in page.history[-1].event.sentence
    assert WHY["reason"] in page.history[-1].event.sentence
    assert request_text(job) == ""


@pytest.mark.parametrize("body", [{}, {"reason": ""}, {"reason": "x" * 501}])
def test_handover_request_without_a_reason_is_refused(phone: Phone, job: Job, body: dict[str, str]) -> None:
    answer = phone.say("handover_requested", job, body)

    assert (answer["outcome"], answer["problems"][0]["where"]) == ("refused", "reason")


def test_job_that_was_not_begun_has_no_handover_request(phone: Phone, engineer: Engineer) -> None:
    job = make.job()

    assert phone.say("handover_requested", job, WHY)["problems"][0]["code"] == "unknown_job"


def test_whoever_takes_over_answers_the_safety_questions_again(phone: Phone, job: Job) -> None:
    for question, value in (("SAF01", "yes"), ("SAF08", "yes"), ("LGT02", "-21.5")):
        phone.say("answered", job, {"question": question, "value": value})
    colleague = make.engineer(name="Sam Second")
    visits.assign(job=job, engineer=colleague, starts_at=make.at("10:00"), by=make.office())

    (carried,) = serialize_day(colleague)["jobs"]
    assert carried["answers"] == {"LGT02": -21.5}
    make.start_travel(job)
    make.arrive(job)
    job.refresh_from_db()
    refused = closing.closing_context(job=job, outcome=Outcome(code="SP")).answers
    make.record_answer(job, "SAF01", "yes", by=colleague)
    answered = closing.closing_context(job=job, outcome=Outcome(code="SP")).answers
    assert (refused, answered) == ({"LGT02": -21.5}, {"LGT02": -21.5, "SAF01": "yes"})


def handover_notices(engineer: Engineer) -> list[str]:
    (carried,) = serialize_day(engineer)["jobs"]
    return [notice["words"] for notice in carried["notices"] if notice["rule"] == "handed_over"]


def test_engineer_who_gets_a_begun_job_back_reads_that_it_was_with_a_colleague(
    phone: Phone, engineer: Engineer, job: Job
) -> None:
    phone.say("answered", job, {"question": "LGT02", "value": "-21.5"})
    colleague = make.engineer(name="Sam Second")
    for now_with, starts_at in ((colleague, "10:00"), (engineer, "11:00")):
        visits.assign(job=job, engineer=now_with, starts_at=make.at(starts_at), by=make.office())

    (text,) = handover_notices(engineer)
    assert text.startswith("Sam Second had this job before you. It already has answers: 1")


@pytest.mark.parametrize("is_unassigned_between", [False, True])
def test_third_engineer_reads_what_the_first_one_did(
    phone: Phone, job: Job, is_unassigned_between: bool
) -> None:
    phone.say("answered", job, {"question": "LGT02", "value": "-21.5"})
    second, third = make.engineer(name="Sam Second"), make.engineer(username="third", name="Toni Third")
    visits.assign(job=job, engineer=second, starts_at=make.at("10:00"), by=make.office())
    if is_unassigned_between:
        visits.unassign(job=job, by=make.office())
    visits.assign(job=job, engineer=third, starts_at=make.at("11:00"), by=make.office())

    (text,) = handover_notices(third)
    assert text.startswith("Sam Second had this job before you. It already has answers: 1")


def test_job_that_nobody_began_is_not_called_handed_over(engineer: Engineer) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    colleague = make.engineer(name="Sam Second")
    visits.assign(job=job, engineer=colleague, starts_at=make.at("10:00"), by=make.office())

    assert handover_notices(colleague) == []
