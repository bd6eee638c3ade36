"""An answer that arrives after its job was reassigned joins the job while the colleague has not begun, under the name
of whoever gave it; otherwise it is kept as a sync conflict, and is no part of the colleague's work."""

from datetime import timedelta

import pytest
import time_machine
from pytest_django import Settings

from closures.models import Answer
from dispatch import visits
from dispatch.models import Job
from dispatch.states import EventKind, JobState
from dispatch.sync_conflicts import RuleName
from engineers.models import Engineer, PhoneMessage
from tests import make
from tests.phone.phone import POSITION, Phone
from tests.phone.test_sync_conflicts import colleague, history, reassigned, with_phone

CUS02 = {"question": "CUS02", "value": "Key is under the mat"}


def before_it() -> str:
    return (make.now() - timedelta(minutes=30)).isoformat()


def test_late_answer_joins_the_colleague_s_job(phone: Phone) -> None:
    job = with_phone(phone, JobState.ON_SITE)
    reassigned(job)
    result = phone.say("answered", job, CUS02, occurred_at=before_it())

    if result["problems"][0]["code"] != RuleName.JOINED:
        pytest.fail(str(result))
    answer = Answer.objects.active().get()
    assert (answer.by, answer.question_code) == (phone.engineer, "CUS02")
    assert "was given before that and was added because the question was still open." in history(job)


def test_late_answer_replaces_nobody_else_s(phone: Phone) -> None:
    job = with_phone(phone, JobState.ON_SITE)
    reassigned(job)
    second = job.visits.active().get().engineer
    Phone(second).say("answered", job, {"question": "CUS02", "value": "Met the neighbour"})
    result = phone.say("answered", job, CUS02, occurred_at=before_it())

    assert result["problems"][0]["code"] == RuleName.REASSIGNED
    assert Answer.objects.active().get().by == second
    assert "Key is under the mat" in history(job)


@pytest.mark.parametrize("step", ["en_route", "on_site"])
def test_late_answer_completes_no_work_of_a_colleague(phone: Phone, step: str) -> None:
    job = with_phone(phone, JobState.ON_SITE)
    reassigned(job)
    Phone(job.visits.active().get().engineer).say(step, job, {"position": POSITION})
    result = phone.say("answered", job, CUS02, occurred_at=before_it())

    assert (result["outcome"], result["problems"][0]["code"]) == ("late", RuleName.REASSIGNED)
    assert not Answer.objects.exists()
    event = job.events.get(kind=EventKind.REPORTED_LATE)
    assert (event.user, event.occurred_at) == (
        phone.engineer.user,
        PhoneMessage.objects.latest("received_at").occurred_at,
    )
    assert "Key is under the mat" in history(job)


def test_answer_given_after_the_job_was_lost_is_none_of_the_colleague_s(phone: Phone) -> None:
    job = with_phone(phone, JobState.ON_SITE)
    reassigned(job)
    result = phone.say("answered", job, CUS02)

    assert (result["problems"][0]["code"], Answer.objects.count()) == (RuleName.REASSIGNED, 0)
    assert "Key is under the mat" in history(job)


def test_late_answer_of_who_only_accompanied_does_not_join(phone: Phone) -> None:
    first, job = colleague("Bob Third"), make.job(day=make.today())
    visits.assign(
        job=job, engineer=first, second_engineer=phone.engineer, starts_at=job.window_start, by=make.office()
    )
    visits.assign(
        job=job, engineer=colleague(), second_engineer=None, starts_at=job.window_start, by=make.office()
    )
    result = phone.say("answered", job, CUS02, occurred_at=before_it())

    assert (result["problems"][0]["code"], Answer.objects.count()) == (RuleName.REASSIGNED, 0)


def test_late_answer_is_kept_while_the_colleague_s_closing_is_reviewed(
    phone: Phone, settings: Settings
) -> None:
    settings.CLOSURE_REVIEW = True
    job = with_phone(phone, JobState.ON_SITE)
    reassigned(job)
    make.arrive(job)
    make.answer_all(job, code="HAZ")
    make.close(job, "HAZ", remarks="Loose roof tiles")
    result = phone.say("answered", job, CUS02, occurred_at=before_it())

    assert (result["outcome"], result["problems"][0]["code"]) == ("late", RuleName.REASSIGNED)
    assert "Key is under the mat" in history(job)


def test_safety_is_answered_by_whoever_is_there(phone: Phone) -> None:
    job = with_phone(phone, JobState.ON_SITE)
    reassigned(job)

    body = {"question": "SAF01", "value": "yes"}
    result = phone.say("answered", job, body, occurred_at=before_it())
    assert (result["problems"][0]["code"], Answer.objects.count()) == (RuleName.REASSIGNED, 0)


@pytest.mark.parametrize(
    ("kind", "body"),
    [("answered", CUS02), ("handover_requested", {"reason": "No ladder"})],
    ids=["answer", "request"],
)
def test_unfinished_work_is_kept_and_changes_no_job_that_came_back(
    phone: Phone, kind: str, body: dict[str, str]
) -> None:
    job = with_phone(phone, JobState.ON_SITE)
    result = phone.say(kind, job, {**body, "unfinished": True})

    assert (result["outcome"], result["problems"][0]["code"]) == ("late", RuleName.UNFINISHED)
    assert not Answer.objects.exists()
    assert not job.events.filter(kind=EventKind.HANDOVER_REQUESTED).exists()
    text = history(job)
    assert list(body.values())[-1] in text
    assert "The engineer could not finish this, so it did not change the job." in text


def test_unfinished_answer_does_not_join_a_colleague_s_job(phone: Phone) -> None:
    job = with_phone(phone, JobState.ON_SITE)
    reassigned(job)
    result = phone.say("answered", job, {**CUS02, "unfinished": True}, occurred_at=before_it())

    assert (result["problems"][0]["code"], Answer.objects.count()) == (RuleName.UNFINISHED, 0)


@pytest.mark.parametrize("had_it", [True, False])
@pytest.mark.parametrize("between", ["Bob Between", ""], ids=["colleague", "nobody"])
def test_answer_joins_by_who_had_the_job_when_it_was_given(
    phone: Phone, *, had_it: bool, between: str
) -> None:
    """The engineer lost it, got it back and lost it again."""
    start = make.now() - timedelta(hours=5)
    with time_machine.travel(start):
        job, other = with_phone(phone), colleague(between) if between else None
    for hours, holder in enumerate([other, phone.engineer, colleague()], start=1):
        with time_machine.travel(start + timedelta(hours=hours)):
            hand_to(job, holder)
    answered_at = start + timedelta(hours=2.5 if had_it else 1.5)
    result = phone.say("answered", job, CUS02, occurred_at=answered_at.isoformat())

    expected = RuleName.JOINED if had_it else RuleName.REASSIGNED
    assert (result["problems"][0]["code"], Answer.objects.count()) == (expected, int(had_it))


def hand_to(job: Job, engineer: Engineer | None) -> None:
    if engineer is None:
        visits.unassign(job=job, by=make.office())
    else:
        visits.assign(job=job, engineer=engineer, starts_at=job.window_start, by=make.office())
