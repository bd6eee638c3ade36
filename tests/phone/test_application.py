"""The application's frame at every address that a browser opens, and what it says where the application cannot run."""

import base64
import hashlib
import json
import re

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone, translation
from pytest_django import DjangoAssertNumQueries, Settings

from dispatch import jobs
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Engineer
from phone import pwa
from tests import make
from tests.phone.phone import Phone

STEPS = [
    "", "next/", "next/?closing=CON&secondary=CON03", "travel/", "arrive/", "question/SAF01/", "question/LGT01/",
    "question/PHO01/", "question/NET01/?closing=CON", "question/SAF01/?waiting=1", "scan/", "provisioning/",
    "review/", "cant-complete/", "cant-complete/?code=CON", "cant-complete/?q=nobody", "close/", "close/?code=CON",
    "hand-over/",
]  # fmt: skip
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="[^"]+"')


def frame(answer: HttpResponse) -> str:
    """What is served, without the one thing that differs with each request."""
    assert answer.status_code == 200
    return TOKEN.sub("", answer.content.decode())


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("at_state", [JobState.ASSIGNED, JobState.ON_SITE])
def test_every_page_of_a_job_is_the_application(
    engineer: Engineer, phone: Phone, step: str, at_state: JobState
) -> None:
    job = make.job(at_state=at_state, to=engineer)

    assert frame(phone.client.get(f"/phone/jobs/{job}/{step}")) == frame(phone.client.get("/phone/"))


@pytest.mark.parametrize("step", ["travel/", "scan/", "provisioning/", "review/", "close/"])
@pytest.mark.parametrize("at_state", [JobState.CANCELLED, JobState.CLOSED])
def test_so_is_every_page_of_a_job_that_is_over(
    engineer: Engineer, phone: Phone, step: str, at_state: JobState
) -> None:
    before = JobState.ON_SITE if at_state == JobState.CLOSED else JobState.ASSIGNED
    job = make.job(at_state=before, to=engineer)
    end(job, at_state)

    assert frame(phone.client.get(f"/phone/jobs/{job}/{step}")) == frame(phone.client.get("/phone/"))


def end(job: Job, at_state: JobState) -> None:
    if at_state == JobState.CANCELLED:
        jobs.cancel_job(job=job, reason="Customer changed their mind")
    else:
        make.answer_all(job, code="HAZ")
        Phone(job.visits.get().engineer).say("close", job, {"code": "HAZ"})


def test_page_reveals_nothing_of_anybody_s_job(engineer: Engineer, phone: Phone) -> None:
    own, other = (
        make.job(at_state=JobState.ASSIGNED, to=assignee) for assignee in (engineer, make.engineer())
    )
    found = {frame(phone.client.get(f"/phone/jobs/{number}/")) for number in (own, other, "J-NONE")}

    (page,) = found
    assert [private for private in (own.postcode, engineer.name) if private in page] == []


@pytest.mark.parametrize("path", ["", "jobs/J-1/", "jobs/J-1/say/en_route/", "jobs/J-1/photo/PHO01/"])
def test_page_takes_no_forms(phone: Phone, path: str) -> None:
    assert phone.client.post(f"/phone/{path}").status_code == 405


@pytest.mark.parametrize("number", [1, 3])
def test_page_asks_a_fixed_number_of_times(
    phone: Phone, django_assert_num_queries: DjangoAssertNumQueries, number: int
) -> None:
    windows = [("08:00", "10:30"), ("10:30", "13:00"), ("13:00", "15:30")]
    for window in windows[:number]:
        make.job(at_state=JobState.ASSIGNED, to=phone.engineer, day=timezone.localdate(), window=window)
    # the first request of a session also writes when it was last used
    phone.client.get("/phone/")

    # session and user
    with django_assert_num_queries(2):
        phone.client.get("/phone/")


def test_first_page_waits_for_no_second_round_of_requests(phone: Phone) -> None:
    page = phone.client.get("/phone/").content.decode()
    awaited = re.findall(r'<script[^>]* src="[^"]+"|<link rel="(?:stylesheet|preload)"', page)

    # a browser has six connections to a server that does not speak HTTP/2
    assert 0 < len(awaited) <= 6
    assert '<link rel="preload" href="/phone/day.json" as="fetch" crossorigin>' in page


def test_frame_that_the_worker_keeps_fetches_no_day(phone: Phone) -> None:
    assert "day.json" not in phone.client.get("/phone/shell/").content.decode()


def test_page_is_asked_for_again_after_signing_out(phone: Phone) -> None:
    assert "no-store" in phone.client.get("/phone/").headers["Cache-Control"]
    phone.client.post("/logout/")

    assert phone.client.get("/phone/").headers["Location"].startswith("/login/")


# --- a browser that cannot run the application ---


def unsupported(answer: HttpResponse) -> str:
    found = re.search(r"<noscript>(.*)</noscript>", answer.content.decode(), re.DOTALL)
    assert found
    return found[1]


@pytest.mark.parametrize("path", ["/phone/", "/phone/shell/", "/phone/jobs/J-1/travel/"])
def test_browser_without_scripts_gets_the_unsupported_page(
    phone: Phone, settings: Settings, path: str
) -> None:
    settings.OFFICE_PHONE = "0113 496 0999"
    page = unsupported(phone.client.get(path))

    assert page.count('href="tel:01134960999">0113 496 0999</a>') == len(settings.LANGUAGES)
    for code, _name in settings.LANGUAGES:
        with translation.override(code):
            text = translation.gettext("Use a different browser")
        assert f'<section lang="{code}">\n    <h1>{text}</h1>' in page


def test_reader_s_language_comes_first(phone: Phone) -> None:
    german = unsupported(phone.client.get("/phone/", headers={"Accept-Language": "de"}))

    assert re.findall(r'<section lang="([^"]+)">', german)[0] == "de"


def test_who_signed_in_there_may_sign_out_again(engineer: Engineer) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(engineer.user, "engineers.permissions.RoleBackend")
    page = unsupported(client.get("/phone/"))
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token
    client.post("/logout/", {"csrfmiddlewaretoken": token[1]})

    assert client.get("/phone/").headers["Location"].startswith("/login/")


def test_frame_that_the_worker_keeps_has_nobody_s_token(phone: Phone) -> None:
    assert "csrfmiddlewaretoken" not in phone.client.get("/phone/shell/").content.decode()


def test_worker_knows_the_checksum_of_each_file(phone: Phone) -> None:
    """The pages come from the application itself, and differ with the language."""
    found = re.search(r"^const FILES = (.*);$", phone.client.get("/phone/sw.js").text, re.M)
    assert found
    files: dict[str, str] = json.loads(found.group(1))

    for address in pwa.addresses():
        digest = hashlib.sha256((pwa.STATIC / address.removeprefix("/static/")).read_bytes()).digest()
        assert files.pop(address) == f"sha256-{base64.b64encode(digest).decode()}"
    assert set(files.values()) == {""}
