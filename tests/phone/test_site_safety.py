"""An unsafe answer alarms the dispatch office, stops the work, and asks nothing more of who has left."""

from datetime import timedelta

import pytest
from django.utils import timezone, translation

from alerting import escalation
from alerting.models import AlarmDelivery
from closures import site_safety
from closures.closing import Outcome
from dispatch import visits
from dispatch.models import Job
from dispatch.states import JobState
from monitoring.alarms import acknowledge_alarm, is_unhandled, open_alarms, text_of
from monitoring.models import Alarm, AlarmKind
from tests import make
from tests.alerting.contacts import contact
from tests.closures.previews import preview_close
from tests.phone.phone import Phone, entry

pytestmark = pytest.mark.django_db
ADDED_LATER = {"question_code", "value", "matrix_edition"}


def alarmed() -> list[str]:
    return list(open_alarms().filter(kind=AlarmKind.SITE_UNSAFE).values_list("subject", flat=True))


def say(phone: Phone, job: Job, question: str, value: object) -> None:
    assert phone.say("answered", job, {"question": question, "value": value})["outcome"] in {
        "applied",
        "late",
    }


@pytest.fixture
def job(phone: Phone) -> Job:
    return make.job(at_state=JobState.ON_SITE, to=phone.engineer)


@pytest.mark.parametrize(
    ("question", "unsafe", "safe"), [("SAF01", "no", "yes"), ("SAF08", "no", "yes"), ("SAF01", False, True)]
)
def test_unsafe_answer_alarms_the_office_until_it_is_safe(
    phone: Phone, job: Job, question: str, unsafe: object, safe: object
) -> None:
    say(phone, job, question, unsafe)
    (alarm,) = open_alarms()
    assert (alarm.kind, alarm.subject) == (AlarmKind.SITE_UNSAFE, job.provider_job_id)
    assert str(text_of(alarm)).startswith(f"{phone.engineer.name} answered “")
    assert str(text_of(alarm)).endswith(f"Call {phone.engineer.phone} now.")

    say(phone, job, question, safe)
    assert alarmed() == []


def test_alarm_reads_in_the_language_of_whoever_reads_it(phone: Phone, job: Job) -> None:
    say(phone, job, "SAF01", "no")
    (alarm,) = open_alarms()

    assert "“Is it safe to work here?” with “No”" in str(text_of(alarm))
    with translation.override("de"):
        assert "„Ist es sicher, hier zu arbeiten?“ mit „Nein“" in str(text_of(alarm))


def test_alarm_of_an_older_version_or_a_lost_edition_keeps_its_english_texts(phone: Phone, job: Job) -> None:
    say(phone, job, "SAF01", "no")
    (alarm,) = open_alarms()
    older = {name: value for name, value in alarm.parameters.items() if name not in ADDED_LATER}

    for parameters in (older, {**alarm.parameters, "matrix_edition": "of-nobody"}):
        alarm.parameters = parameters
        with translation.override("de"):
            assert "„Is it safe to work here?“ mit „No“" in str(text_of(alarm))


def test_alarm_ends_when_the_unsafe_answer_is_taken_back(phone: Phone, job: Job) -> None:
    say(phone, job, "SAF01", "no")
    say(phone, job, "SAF08", "no")
    phone.say("answer_withdrawn", job, {"question": "SAF01"})
    assert alarmed() == [job.provider_job_id]

    phone.say("answer_withdrawn", job, {"question": "SAF08"})
    assert alarmed() == []


def test_unsafe_answer_of_a_job_that_went_to_somebody_else_alarms_too(phone: Phone, job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(state=JobState.CANCELLED)
    say(phone, job, "SAF01", "no")

    assert alarmed() == [job.provider_job_id]


def test_alarm_of_a_closed_job_ends_after_the_office_could_see_it(phone: Phone, job: Job) -> None:
    phone.send(
        entry("answered", job, {"question": "SAF01", "value": "no"}),
        entry("answered", job, {"question": "HAZ01", "value": "A dog"}),
        entry("close", job, {"code": "HAZ"}),
    )
    job.refresh_from_db()
    assert job.state == JobState.CLOSED
    site_safety.watch_unsafe_sites()
    assert alarmed() == [job.provider_job_id]

    Alarm.objects.update(raised_at=timezone.now() - timedelta(minutes=31))
    site_safety.watch_unsafe_sites()
    assert alarmed() == []


def take_over(job: Job) -> Phone:
    """A colleague, who is on site."""
    colleague = make.engineer(name="Farah Aziz")
    visits.assign(job=job, engineer=colleague, starts_at=job.window_start, by=make.office())
    make.start_travel(job, engineer=colleague)
    make.arrive(job, engineer=colleague)
    return Phone(colleague)


def notified() -> int:
    """How many messages to contacts a run creates."""
    known = AlarmDelivery.objects.count()
    escalation.create_due_deliveries()
    return AlarmDelivery.objects.count() - known


def acknowledged_alarm() -> Alarm:
    (alarm,) = open_alarms()
    assert acknowledge_alarm(alarm, owner_id=make.dispatcher().pk)
    return alarm


def test_second_engineer_in_danger_rings_again(phone: Phone, job: Job) -> None:
    """At once, and as long as the first one, although somebody took care of the first one."""
    contact("office")
    say(phone, job, "SAF01", "no")
    assert notified() == 1
    acknowledged_alarm()
    Alarm.objects.update(raised_at=timezone.now() - timedelta(hours=2))

    colleague = take_over(job)
    say(colleague, job, "SAF01", "no")
    (alarm,) = open_alarms()
    assert (is_unhandled(alarm, now=timezone.now()), alarm.owner, notified()) == (True, None, 1)
    assert "Farah Aziz" in str(text_of(alarm))

    say(colleague, job, "HAZ01", "A dog")
    assert colleague.say("close", job, {"code": "HAZ"})["outcome"] == "applied"
    site_safety.watch_unsafe_sites()
    assert alarmed() == [job.provider_job_id]


def test_second_danger_rings_again_and_the_same_one_does_not(phone: Phone, job: Job) -> None:
    contact("office")
    say(phone, job, "SAF01", "no")
    assert notified() == 1
    acknowledged_alarm()

    say(phone, job, "SAF01", "no")
    assert notified() == 0
    say(phone, job, "SAF08", "no")
    assert notified() == 1


def test_alarm_names_the_answer_that_is_still_unsafe(phone: Phone, job: Job) -> None:
    """Nobody is notified of it again."""
    contact("office")
    say(phone, job, "SAF01", "no")
    say(phone, job, "SAF08", "no")
    assert notified() == 1
    acknowledged_alarm()

    say(phone, job, "SAF08", "yes")
    (alarm,) = open_alarms()
    assert "“Is it safe to work here?” with “No”" in str(text_of(alarm))
    assert (is_unhandled(alarm, now=timezone.now()), notified()) == (False, 0)


def test_alarm_names_the_late_answer_that_is_still_unsafe(phone: Phone, job: Job) -> None:
    colleague = take_over(job)
    assert phone.say("answered", job, {"question": "SAF01", "value": "no"})["outcome"] == "late"
    say(colleague, job, "SAF08", "no")

    say(colleague, job, "SAF08", "yes")
    (alarm,) = open_alarms()
    assert str(text_of(alarm)).startswith(f"{phone.engineer.name} answered “Is it safe to work here?”")


def test_alarm_of_an_open_job_stays(phone: Phone, job: Job) -> None:
    say(phone, job, "SAF01", "no")
    Alarm.objects.update(raised_at=timezone.now() - timedelta(hours=3))
    site_safety.watch_unsafe_sites()

    assert alarmed() == [job.provider_job_id]


def test_unsafe_answer_is_no_success(phone: Phone, job: Job) -> None:
    """That it is the next step is the phone's: tests/js/workflow.test.mjs."""
    say(phone, job, "SAF01", "no")
    problems = preview_close(job=job, outcome=Outcome(code="SP"))

    (stopped,) = [problem for problem in problems if problem.code == "unsafe_answer"]
    assert (stopped.blocks, stopped.where) == (True, "question:SAF01")
    assert stopped.message == "Is it safe to work here? No: stop work until this is safe."


def test_unsafe_site_is_closed_from_a_safe_place(phone: Phone, job: Job) -> None:
    """Only the hazard as text; its photo may be left out."""
    make.pin_edition(job, "sample-3")
    missing = [
        problem.where for problem in preview_close(job=job, outcome=Outcome(code="HAZ")) if problem.blocks
    ]
    assert missing == ["question:HAZ01"]
    make.record_answer(job, "HAZ01", "A dog")

    assert preview_close(job=job, outcome=Outcome(code="HAZ")) == []
