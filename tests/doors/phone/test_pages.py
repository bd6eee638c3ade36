"""The engineer's pages without any script: every step, a whole job, and what they say when something is wrong."""

import re
import uuid
from dataclasses import dataclass
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from closures import editions
from closures.models import Answer, Closure, Photo
from dispatch import jobs, visits
from dispatch.models import Job, JobEvent
from dispatch.states import EventKind, JobState, JobType
from engineers.models import Engineer
from tests import make
from tests.doors.phone.phone import Phone

TODAY = timezone.localdate()
FORM = re.compile(r'<form method="post"[^>]*id="step".*?</form>', re.S)
HIDDEN = re.compile(r'<input type="hidden" name="([a-z_]+)" value="([^"]*)">')
MAIN_BUTTON = re.compile(r'class="main-button"[^>]*>([^<]+)<')


def text_of(answer: HttpResponse) -> str:
    return unescape(answer.content.decode())


def main_button(answer: HttpResponse) -> str:
    found = MAIN_BUTTON.search(text_of(answer))
    return found.group(1) if found else ""


@dataclass
class Hand:
    """Fills in the form of the page that it sees, without script."""

    phone: Phone

    def open(self, path: str) -> HttpResponse:
        return self.phone.client.get(path, follow=True)

    def path(self, answer: HttpResponse) -> str:
        return str(answer.request["PATH_INFO"])

    def submit(self, page: HttpResponse, **filled: Any) -> HttpResponse:
        form = FORM.search(page.content.decode())
        assert form is not None, self.path(page)
        action = re.search(r'action="([^"]+)"', form.group(0))
        assert action is not None
        hidden = {name: unescape(value) for name, value in HIDDEN.findall(form.group(0))}
        return self.phone.client.post(unescape(action.group(1)), {**hidden, **filled}, follow=True)

    def answer(self, page: HttpResponse, job: Job) -> HttpResponse:
        code = self.path(page).split("/")[-2]
        question = editions.of(job).find(code)
        assert question is not None
        if question.is_picture:
            return self.submit(page, photo=SimpleUploadedFile("p.jpg", make.jpeg()), signer="A. Customer")
        plain: dict[str, Any] = {"yes_no": "yes", "text": "As agreed"}
        number = "−18,5" if question.expected else str(question.minimum)
        choice = question.choices[0].code if question.choices else ""
        return self.submit(page, value=plain.get(question.kind, choice or number))

    def answer_all(self, page: HttpResponse, job: Job) -> HttpResponse:
        for _ in range(60):
            if "/question/" not in self.path(page):
                return page
            page = self.answer(page, job)
        raise AssertionError("the questions do not end")


@pytest.fixture
def hand(phone: Phone) -> Hand:
    return Hand(phone)


def test_whole_job_through_plain_forms(engineer: Engineer, hand: Hand) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    next_url = f"/phone/jobs/{job}/next/"
    page = hand.submit(hand.open(next_url))
    assert (main_button(page), hand.path(page)) == ("I'm on site", f"/phone/jobs/{job}/arrive/")
    page = hand.answer_all(hand.submit(page), job)
    assert hand.path(page) == f"/phone/jobs/{job}/scan/"
    page = hand.submit(page, fsan="cxnk 00ab cdef", serial_number="261200123456")
    assert hand.path(page) == f"/phone/jobs/{job}/provisioning/"
    make.result(job, 1)
    page = hand.open(f"/phone/jobs/{job}/provisioning/")
    assert main_button(page) == "Go on"
    page = hand.answer_all(hand.open(next_url), job)
    assert (main_button(page), hand.path(page)) == ("Go on to close", f"/phone/jobs/{job}/review/")
    page = hand.submit(hand.open(f"/phone/jobs/{job}/close/?code=SP"), remarks="All good")
    job.refresh_from_db()

    assert (job.state, Closure.objects.get().code) == (JobState.CLOSED, "SP")
    assert (hand.path(page), main_button(page)) == (f"/phone/jobs/{job}/", "")
    assert "SP · Service Provided" in text_of(page)
    assert Photo.objects.stored().count() == Photo.objects.count() > 0


def test_job_that_cannot_be_completed_through_plain_forms(engineer: Engineer, hand: Hand) -> None:
    job = make.job(at_state=JobState.EN_ROUTE, to=engineer)
    page = hand.open(f"/phone/jobs/{job}/next/?closing=CON&secondary=CON03")
    assert hand.path(page) == f"/phone/jobs/{job}/arrive/"
    page = hand.answer_all(hand.submit(page), job)
    assert hand.path(page) == f"/phone/jobs/{job}/close/"
    hand.submit(page, secondary_code="CON03", remarks="Blocked duct")
    job.refresh_from_db()

    assert (job.state, Closure.objects.get().secondary_code) == (JobState.CLOSED, "CON03")


def test_form_sent_twice_is_one_message(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    form = {"message_id": str(uuid.uuid4())}
    answers = [phone.client.post(f"/phone/jobs/{job}/say/en_route/", form) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [302, 302]
    assert JobEvent.objects.filter(job=job, kind=EventKind.EN_ROUTE).count() == 1
    assert JobEvent.objects.filter(job=job, kind=EventKind.REPORTED_LATE).count() == 0


def test_old_page_of_the_browser_answers_anew(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    form = {"message_id": str(uuid.uuid4()), "question": "SAF01"}
    for value in ("yes", "no"):
        phone.client.post(f"/phone/jobs/{job}/say/answered/", {**form, "value": value})

    assert Answer.objects.standing().get().value == "no"


def test_plain_form_says_why_there_is_no_position(engineer: Engineer, hand: Hand) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    hand.submit(hand.open(f"/phone/jobs/{job}/travel/"))
    event = JobEvent.objects.get(job=job, kind=EventKind.EN_ROUTE)

    assert event.facts["position_missing_because"] == "asked without script"


STEPS = [
    "", "question/SAF01/", "question/ROU01/", "question/LGT01/", "question/ROU03/", "question/PHO01/",
    "question/NET01/?closing=CON", "question/SAF01/?meanwhile=1", "scan/", "provisioning/", "review/",
    "cant-complete/", "cant-complete/?code=CON", "cant-complete/?q=nobody", "close/", "close/?code=CON",
]  # fmt: skip


@pytest.mark.parametrize("step", STEPS)
def test_every_step_has_what_the_script_needs(engineer: Engineer, phone: Phone, step: str) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    answer = phone.client.get(f"/phone/jobs/{job}/{step}")
    page = text_of(answer)

    assert answer.status_code == 200
    assert [page.count(mark) for mark in ("data-sync-url=", "data-status", "data-problems", "data-pulse=")] == [
        1, 1, 1, 1,
    ]  # fmt: skip
    assert "js/phone/phone.js" in page


@pytest.mark.parametrize("step", ["", "travel/", "arrive/", "cant-complete/", "review/"])
def test_every_step_before_the_site_opens(engineer: Engineer, phone: Phone, step: str) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)

    assert phone.client.get(f"/phone/jobs/{job}/{step}").status_code == 200


@pytest.mark.parametrize(
    "step", ["travel/", "arrive/", "scan/", "provisioning/", "review/", "cant-complete/", "close/"]
)
@pytest.mark.parametrize("at_state", [JobState.CANCELLED, JobState.CLOSED])
def test_step_of_a_job_that_is_over_leads_to_the_job(
    engineer: Engineer, hand: Hand, step: str, at_state: JobState
) -> None:
    job = make.job(
        at_state=JobState.ON_SITE if at_state == JobState.CLOSED else JobState.ASSIGNED, to=engineer
    )
    end(job, at_state)

    assert hand.path(hand.open(f"/phone/jobs/{job}/{step}")) == f"/phone/jobs/{job}/"


def end(job: Job, at_state: JobState) -> None:
    if at_state == JobState.CANCELLED:
        jobs.cancel(job=job, reason="Customer changed their mind")
    else:
        make.answer_all(job, code="HAZ")
        Phone(job.visits.get().engineer).say("close", job, {"code": "HAZ"})


@pytest.mark.parametrize("kind", ["en_route", "on_site", "answered", "close"])
def test_tap_on_another_engineer_s_job_is_not_there(phone: Phone, kind: str) -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    form = {"message_id": str(uuid.uuid4()), "code": "SP", "question": "SAF01", "value": "yes"}

    assert phone.client.post(f"/phone/jobs/{job}/say/{kind}/", form).status_code == 404


def test_tap_on_a_job_taken_away_is_kept_and_said(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.EN_ROUTE, to=engineer)
    visits.assign(job=job, engineer=make.engineer(), starts_at=job.window_start, by=make.office())
    form = {"message_id": str(uuid.uuid4())}
    answer = phone.client.post(f"/phone/jobs/{job}/say/on_site/", form, follow=True)

    assert JobEvent.objects.filter(job=job, kind=EventKind.REPORTED_LATE).count() == 1
    assert f"Job {job} is not with you any more." in text_of(answer)


@pytest.mark.parametrize(
    ("result_id", "title", "button"),
    [
        (1, "ONT is provisioned", "Go on"),
        (2, "ONT is provisioned", "Go on"),
        (3, "Call the order desk", ""),
        (4, "The seller tries again in five minutes", ""),
        (5, "Wrong ONT type", "Scan again"),
        (6, "Check the label", "Scan again"),
        (7, "Device already in use", "Scan again"),
    ],
)
def test_each_result_has_its_instruction(phone: Phone, result_id: int, title: str, button: str) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer)
    make.scan(job)
    make.result(job, result_id)
    page = phone.client.get(f"/phone/jobs/{job}/provisioning/")

    assert (title in text_of(page), main_button(page)) == (True, button)
    assert ("data-until=" in text_of(page)) == (result_id == 4)
    assert ('href="tel:' in text_of(page)) == (result_id == 3)


def test_questions_meanwhile_go_on_until_there_are_none(engineer: Engineer, hand: Hand) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    hand.answer_all(hand.open(f"/phone/jobs/{job}/next/"), job)
    make.scan(job)
    first = hand.open(f"/phone/jobs/{job}/next/?meanwhile=1")
    page = hand.answer_all(first, job)

    assert ("/question/" in hand.path(first), hand.path(page)) == (True, f"/phone/jobs/{job}/provisioning/")


def test_optional_question_may_be_passed_over(engineer: Engineer, hand: Hand) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer, job_type=JobType.EXTERNAL)
    page = hand.open(f"/phone/jobs/{job}/next/")
    while not hand.path(page).endswith("/ROU03/"):
        page = hand.answer(page, job)
    skip = re.search(r'href="([^"]+)">Skip, it', text_of(page))
    assert skip is not None
    page = hand.answer_all(hand.open(skip.group(1)), job)
    given = set(Answer.objects.standing().values_list("question_code", flat=True))

    assert (hand.path(page), "ROU03" in given) == (f"/phone/jobs/{job}/review/", False)
    assert main_button(page) == "Go on to close"


def test_revisit_may_leave_the_ont_alone(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer, job_type=JobType.REVISIT)
    link = "The ONT stays: go on with the questions"

    assert link in text_of(phone.client.get(f"/phone/jobs/{job}/scan/"))
    other = make.job(at_state=JobState.ON_SITE, to=engineer, window=("13:00", "18:00"))
    assert link not in text_of(phone.client.get(f"/phone/jobs/{other}/scan/"))


def test_device_on_another_job_is_said_and_may_be_used_anyway(engineer: Engineer, hand: Hand) -> None:
    make.scan(make.job(at_state=JobState.ON_SITE))
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    page = hand.open(f"/phone/jobs/{job}/scan/")
    label = {"fsan": "CXNK00ABCDEF", "serial_number": "261200123456"}
    refused = hand.submit(page, **label)
    assert (refused.status_code, "was scanned for our open job" in text_of(refused)) == (422, True)
    assert "data-confirm-duplicate>" in text_of(refused)
    hand.submit(refused, **label, duplicate_confirmed="true")

    assert job.scans.get().fsan == "CXNK00ABCDEF"


def test_wrong_answer_shows_the_sentence_and_what_was_typed(engineer: Engineer, hand: Hand) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    refused = hand.submit(hand.open(f"/phone/jobs/{job}/question/LGT01/"), value="99")
    page = text_of(refused)

    assert (refused.status_code, "The number must be from −40 to 10 dBm." in page) == (422, True)
    assert ('value="99"' in page, "<title>Error: " in page) == (True, True)
    assert f'href="/phone/jobs/{job}/question/LGT01/"' in page


def test_missing_photo_is_asked_for(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    answers = [
        phone.client.post(f"/phone/jobs/{job}/photo/PHO01/"),
        phone.client.post(f"/phone/jobs/{job}/photo/PHO01/", {"photo": SimpleUploadedFile("a.pdf", b"%PDF")}),
    ]

    assert [answer.status_code for answer in answers] == [422, 422]
    assert "A photo is a JPEG, PNG, WebP or HEIC file." in text_of(answers[1])
    assert Answer.objects.count() == 0


def test_problems_link_to_the_step_that_mends_them(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    page = text_of(phone.client.get(f"/phone/jobs/{job}/review/"))
    wanted = ["scan/", "question/SAF01/", "question/PHO01/"]

    assert [step for step in wanted if f'<li><a href="/phone/jobs/{job}/{step}">' in page] == wanted


def test_refused_closing_lists_the_problems(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    form = {"message_id": str(uuid.uuid4()), "code": "CON", "remarks": "Kept as typed"}
    answer = phone.client.post(f"/phone/jobs/{job}/say/close/?closing=CON", form)
    page = text_of(answer)
    job.refresh_from_db()

    assert (answer.status_code, job.state) == (422, JobState.ON_SITE)
    assert f'href="/phone/jobs/{job}/cant-complete/?code=CON"' in page
    assert f'href="/phone/jobs/{job}/question/NET01/?closing=CON"' in page
    assert "Kept as typed" in page


def test_can_t_complete_says_to_arrive_first(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.EN_ROUTE, to=engineer)

    assert "so you say “I'm on site” first" in text_of(phone.client.get(f"/phone/jobs/{job}/cant-complete/"))


def test_codes_are_found_by_the_trade_s_words(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    page = text_of(phone.client.get(f"/phone/jobs/{job}/cant-complete/", {"q": "cherry"}))

    assert re.findall(r"closing=(\w+)", page) == ["CPR"]


def test_hazards_and_flags_stand_on_the_way(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer, flags=("CHP", "NEW"))
    page = text_of(phone.client.get(f"/phone/jobs/{job}/travel/"))

    assert [words in page for words in ("Dog in the garden", "Cherry picker needed", "NEW")] == [True] * 3


def test_earlier_visit_is_shown(engineer: Engineer, phone: Phone) -> None:
    make.close_without_visit(make.job(day=make.DAY - timedelta(days=30)))
    make.job(day=make.DAY + timedelta(days=30), job_type=JobType.CIVILS)
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    page = text_of(phone.client.get(f"/phone/jobs/{job}/"))

    assert ("Solved by telephone" in page, "Civils" in page) == (True, False)


def test_cancelled_job_says_so(engineer: Engineer, phone: Phone) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=engineer, day=TODAY)
    jobs.cancel(job=job, reason="Customer changed their mind")
    page = phone.client.get(f"/phone/jobs/{job}/")

    assert ("Cancelled by the seller" in text_of(page), main_button(page)) == (True, "")
    assert "Customer changed their mind" in text_of(page)
    assert "Finished today" in text_of(phone.client.get("/phone/"))


def test_day_has_its_parts_in_order(engineer: Engineer, phone: Phone) -> None:
    later = make.job(at_state=JobState.ASSIGNED, to=engineer, day=TODAY, window=("13:00", "18:00"))
    first = make.job(at_state=JobState.ASSIGNED, to=engineer, day=TODAY)
    tomorrow = make.job(at_state=JobState.ASSIGNED, to=engineer, day=TODAY + timedelta(days=1))
    page = text_of(phone.client.get("/phone/"))
    cards = re.findall(r'<a href="/phone/jobs/([^/]+)/">', page)

    assert cards == [str(first), str(later), str(tomorrow)]
    assert re.findall(r'"state-word">([^<]+)<', page) == ["Next", "Later", "Later"]


def test_empty_day_says_what_to_do(phone: Phone) -> None:
    assert "call the office if you expected one" in text_of(phone.client.get("/phone/"))


@pytest.mark.parametrize("number", [1, 3])
def test_day_asks_a_fixed_number_of_times(
    phone: Phone, django_assert_num_queries: DjangoAssertNumQueries, number: int
) -> None:
    windows = [("08:00", "10:30"), ("10:30", "13:00"), ("13:00", "15:30")]
    for window in windows[:number]:
        make.job(at_state=JobState.ASSIGNED, to=phone.engineer, day=TODAY, window=window)

    with django_assert_num_queries(5):
        phone.client.get("/phone/")
