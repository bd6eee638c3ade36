"""The office's review of a closure: nothing is sent before the approval, and nothing is lost on the way back."""

import uuid

import pytest
from django.test import Client
from pytest_django import Settings

from board.jobs.job_presenter import build_job_page
from closures import answers, closing
from closures.models import Answer, Closure
from dispatch import jobs
from dispatch.job_events import IllegalEvent
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Engineer
from monitoring import alarms
from phone.day_payload import serialize_day
from tests import make
from tests.board.office import press, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def review_is_on(settings: Settings) -> None:
    settings.CLOSURE_REVIEW = True


@pytest.fixture
def engineer(db: None) -> Engineer:
    return make.engineer()


def close(job: Job, engineer: Engineer) -> Job:
    make.close(job, engineer=engineer)
    return Job.objects.get(pk=job.pk)


@pytest.fixture
def job(engineer: Engineer) -> Job:
    """Closed by its engineer, not yet seen by the office."""
    made = make.job(at_state=JobState.ON_SITE, to=engineer)
    make.scan(made)
    make.result(made, 1)
    make.answer_all(made)
    return close(made, engineer)


def sent(job: Job) -> list[str]:
    return [message.operation for message in job.outbound_messages.order_by("seq")]


def send(client: Client, job: Job, action: str, **fields: object) -> int:
    form = {"seen": job.last_event_seq, **fields}
    return client.post(f"/board/jobs/{job.provider_job_id}/{action}/", form).status_code


def phone_job(engineer: Engineer) -> dict[str, object]:
    (found,) = serialize_day(engineer)["jobs"]
    return found  # type: ignore[no-any-return]


def first_photo(job: Job) -> str:
    answer = Answer.objects.active().get(job=job, question_code="PHO01")
    return str(answer.value[0])


def test_closure_waits_and_the_engineer_is_free(job: Job, engineer: Engineer) -> None:
    assert (job.state, "closeJob" in sent(job)) == (JobState.IN_REVIEW, False)
    assert job.visits.get().ended_at is not None
    (alarm,) = alarms.open_alarms()
    assert (alarm.kind, "closed it with Service works (SP)" in str(alarms.text_of(alarm))) == (
        "closure_review",
        True,
    )
    seen = phone_job(engineer)
    assert (seen["state"], seen["closed_as"]) == ("closed", "SP")


def test_approval_sends_the_closure_as_the_engineer_made_it(job: Job) -> None:
    client = signed_in()
    closed_at = Closure.objects.get(job=job).closed_at

    status = send(client, job, "approve")

    job.refresh_from_db()
    assert (status, job.state, sent(job)[-1]) == (302, JobState.CLOSED, "closeJob")
    event = job.events.get(kind="closed")
    assert (event.occurred_at, event.facts["reviewed"], event.actor) == (closed_at, True, "dispatcher")
    assert list(alarms.open_alarms()) == []


def test_second_decision_is_refused_with_who_decided(job: Job) -> None:
    send(signed_in(), job, "approve")

    again = signed_in().post(f"/board/jobs/{job.provider_job_id}/approve/", {"seen": job.last_event_seq})

    assert again.status_code == 409
    assert "This review has ended: Closed, Dana Dispatch." in again.content.decode()
    assert sent(job).count("closeJob") == 1


def test_photo_is_sent_back_with_its_reason_and_done_again(job: Job, engineer: Engineer) -> None:
    photo = first_photo(job)
    status = send(signed_in(), job, "send-back", item=[f"PHO01:{photo}"], reason="Too dark")

    job.refresh_from_db()
    assert (status, job.state, Closure.objects.filter(job=job).exists()) == (302, JobState.ON_SITE, False)
    assert job.visits.get().ended_at is None
    seen = phone_job(engineer)
    assert (seen["state"], seen["sent_back"]) == ("on_site", [{"question": "PHO01", "reason": "Too dark"}])
    (notice,) = [notice for notice in seen["notices"] if notice["rule"] == "sent_back"]
    assert notice["words"] == (
        "The office sent this back: Photo of the front of the premises. Reason: Too dark. Do it again, then "
        "close the job."
    )
    with pytest.raises(closing.ClosureRefused, match="was sent back: Too dark"):
        close(job, engineer)

    fresh = make.photo(job, question_code="PHO01", raw=make.jpeg(width=70))
    make.record_answer(job, "PHO01", [str(fresh.pk)])
    assert phone_job(engineer)["sent_back"] == []
    assert send(signed_in(), close(job, engineer), "approve") == 302
    assert sent(job).count("closeJob") == 1


def test_of_several_photos_only_the_bad_one_is_taken_out(job: Job, engineer: Engineer) -> None:
    send(signed_in(), job, "send-back", item=["SAF01:"], reason="Ask again")
    job.refresh_from_db()
    good = first_photo(job)
    bad = str(make.photo(job, question_code="PHO01", raw=make.jpeg(width=71)).pk)
    for code, value in (("PHO01", [good, bad]), ("SAF01", "yes")):
        make.record_answer(job, code, value)
    job = close(job, engineer)

    send(signed_in(), job, "send-back", item=[f"PHO01:{bad}"], reason="Blurred")

    answer = Answer.objects.active().get(job=job, question_code="PHO01")
    assert (answer.value, answer.answer_text) == ([good], "1 photo")
    assert phone_job(engineer)["sent_back"] == [{"question": "PHO01", "reason": "Blurred"}]


def test_photo_that_was_replaced_is_no_choice(engineer: Engineer) -> None:
    made = make.job(at_state=JobState.ON_SITE, to=engineer)
    make.scan(made)
    make.result(made, 1)
    make.answer_all(made)
    replaced = first_photo(made)
    fresh = str(make.photo(made, question_code="PHO01", raw=make.jpeg(width=73)).pk)
    make.record_answer(made, "PHO01", [fresh])
    job = close(made, engineer)

    page = build_job_page(job, now=make.now())

    assert page.review is not None
    choices = [line.value for line in page.review.photos if line.value.startswith("PHO01:")]
    assert (choices, send(signed_in(), job, "send-back", item=[f"PHO01:{replaced}"], reason="Dark")) == (
        [f"PHO01:{fresh}"],
        409,
    )


def test_nothing_is_sent_back_without_a_reason_or_a_choice(job: Job) -> None:
    client = signed_in()
    assert send(client, job, "send-back", item=["PHO01:"], reason=" ") == 409
    assert send(client, job, "send-back", reason="Bad") == 409
    assert send(client, job, "send-back", item=["NONE1:"], reason="Bad") == 409
    job.refresh_from_db()
    assert (job.state, Answer.objects.active().filter(job=job, question_code="PHO01").count()) == (
        JobState.IN_REVIEW,
        1,
    )


def test_reason_and_ticks_are_still_there_after_a_note_came_in_between(job: Job) -> None:
    client, seen, item = signed_in(), job.last_event_seq, f"PHO01:{first_photo(job)}"
    press(signed_in(), job, "notes", note_id=str(uuid.uuid4()), text="The customer rang")
    address = f"/board/jobs/{job.provider_job_id}/send-back/"

    refused = client.post(address, {"seen": seen, "item": [item], "reason": "The label is blurred"})

    correction = refused.context["page"].correction
    assert (refused.status_code, correction.texts[0].value) == (409, "The label is blurred")
    assert [choice.value for choice in correction.choices if choice.is_chosen] == [item]
    again = {**dict(correction.others), "item": [item], "reason": correction.texts[0].value}
    assert client.post(correction.url, again).status_code == 302
    job.refresh_from_db()
    assert (job.state, job.events.last().facts["reason"]) == (JobState.ON_SITE, "The label is blurred")


def test_reason_of_what_is_sent_back_is_not_cut(job: Job) -> None:
    client, typed = signed_in(), "x" * 501
    address = f"/board/jobs/{job.provider_job_id}/send-back/"

    refused = client.post(address, {"seen": job.last_event_seq, "item": ["PHO01:"], "reason": typed})

    assert "The reason can have at most 500 characters. This one has 501." in refused.content.decode()
    assert refused.context["page"].correction.texts[0].value == typed


@pytest.mark.parametrize("kind", ["yes_no", "choice", "number", "text"])
def test_answer_that_is_no_picture_has_no_photo_to_send_back(engineer: Engineer, kind: str) -> None:
    made = make.job(at_state=JobState.ON_SITE, to=engineer)
    make.scan(made)
    make.result(made, 1)
    make.answer_all(made)
    for code, value in (("SPD01", "no"), ("SPD04", "No laptop")):
        make.record_answer(made, code, value)
    job = close(made, engineer)
    answer = Answer.objects.active().filter(job=job, kind=kind).first()
    assert answer is not None
    item = f"{answer.question_code}:{str(answer.value)[0]}"

    status = send(signed_in(), job, "send-back", item=[item], reason="Bad")

    unchanged = Answer.objects.active().get(job=job, question_code=answer.question_code)
    assert (status, unchanged.pk, unchanged.value) == (409, answer.pk, answer.value)


def test_seller_cannot_cancel_what_was_begun_and_review_goes_on(job: Job) -> None:
    with pytest.raises(jobs.JobAlreadyStarted):
        jobs.cancel_job(job=job, reason="Changed their mind")

    assert send(signed_in(), job, "approve") == 302


def test_failed_provisioning_that_came_since_stands_in_the_way(job: Job) -> None:
    make.result(job, 6)
    job.refresh_from_db()

    status = send(signed_in(), job, "approve")

    job.refresh_from_db()
    assert (status, job.state) == (409, JobState.IN_REVIEW)


def test_nothing_changes_under_the_eyes_of_the_office(job: Job, engineer: Engineer) -> None:
    with pytest.raises(answers.JobIsClosed):
        make.record_answer(job, "SAF01", "no", by=engineer)
    with pytest.raises(IllegalEvent):
        close(job, engineer)
    make.photo(job, question_code="PHO01", raw=make.jpeg(width=72))


def test_contradicting_answers_mark_the_review(engineer: Engineer) -> None:
    made = make.job(at_state=JobState.ON_SITE, to=engineer)
    make.scan(made)
    make.result(made, 1)
    make.answer_all(made)
    for code, value in (("ONT03", "no_service"), ("SPD01", "no"), ("SPD04", "No laptop")):
        make.record_answer(made, code, value)
    page = build_job_page(close(made, engineer), now=make.now())

    assert page.review is not None
    assert page.review.blocking == []
    assert [text.partition(":")[0] for text in page.review.warnings] == [
        "Which lights does the ONT show? Broadband green, service off",
        "Did you run a speed test? No",
    ]


def test_closure_of_the_office_needs_no_review() -> None:
    job = make.job()
    make.close_without_visit(job)
    job.refresh_from_db()
    assert job.state == JobState.CLOSED


def test_without_the_setting_a_closure_is_sent_at_once(engineer: Engineer, settings: Settings) -> None:
    settings.CLOSURE_REVIEW = False
    made = make.job(at_state=JobState.ON_SITE, to=engineer)
    make.scan(made)
    make.result(made, 1)
    make.answer_all(made)

    assert (close(made, engineer).state, sent(made)[-1]) == (JobState.CLOSED, "closeJob")
