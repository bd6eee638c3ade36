"""The language is a person's choice: kept with them, and on the browser for when nobody is signed in."""

import json

import pytest
from django.test import Client

from closures.models import Closure
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import User
from seller_link.models import OutboundMessage
from tests import make
from tests.phone.phone import POSITION, Phone

pytestmark = pytest.mark.django_db
GERMAN = {"Accept-Language": "de-DE,de;q=0.9,en;q=0.5"}


def choose(client: Client, language: str) -> None:
    client.post("/language/", {"language": language}, headers={"Accept": "application/json"})


def test_browser_s_language_is_spoken_until_somebody_chooses() -> None:
    client = Client()

    assert "Anmelden" in client.get("/login/", headers=GERMAN).text
    assert "Sign in" in client.get("/login/").text
    choose(client, "en-gb")
    assert "Sign in" in client.get("/login/", headers=GERMAN).text


def test_each_language_is_offered_by_its_own_name() -> None:
    client = Client()

    assert 'lang="en-gb">English</button>' in client.get("/login/", headers=GERMAN).text
    assert 'lang="de">Deutsch</button>' in client.get("/login/").text


def test_language_that_we_do_not_speak_changes_nothing() -> None:
    phone = Phone(make.engineer())
    choose(phone.client, "tlh")

    assert User.objects.get(pk=phone.engineer.user.pk).language == ""
    assert phone.json("/phone/day.json")["language"] == "en-gb"


def test_choice_applies_in_another_browser() -> None:
    engineer = make.engineer()
    choose(Phone(engineer).client, "de")
    other = Client()
    other.post("/login/", {"username": engineer.user.username, "password": make.PASSWORD})

    payload = other.get("/phone/day.json").json()
    assert (payload["language"], {language["code"] for language in payload["languages"]}) == (
        "de",
        {"en-gb", "de"},
    )
    # the worker asks also when the session has ended
    other.cookies.pop("sessionid")
    assert 'lang="de"' in other.get("/phone/shell/").text
    assert "Mein Tag" in other.get("/phone/words.js").text


def test_worker_stores_page_and_texts_of_every_language() -> None:
    anonymous = Client()
    worker = anonymous.get("/phone/sw.js").text

    for code, day in (("en-gb", "My day"), ("de", "Mein Tag")):
        shell, messages = f"/phone/shell/?language={code}", f"/phone/words.js?language={code}"
        assert json.dumps(shell) in worker
        assert json.dumps(messages) in worker
        page = anonymous.get(shell).text
        assert f'lang="{code}"' in page
        assert day in page
        assert messages in page
        assert ("Mein Tag" in anonymous.get(messages).text) == (code == "de")


def test_worker_is_the_same_in_every_language() -> None:
    german = Client(headers=GERMAN)

    assert german.get("/phone/sw.js").text == Client().get("/phone/sw.js").text
    # an address with a language that we do not speak: the browser's own
    assert 'lang="de"' in german.get("/phone/shell/?language=tlh").text


def test_seller_receives_the_same_whatever_language_an_engineer_uses() -> None:
    bodies = {}
    for language, name in (("en-gb", "Erin First"), ("de", "Sam Second")):
        phone = Phone(make.engineer(name=name))
        choose(phone.client, language)
        bodies[language] = _sent_answers(_closed_by(phone))

    assert bodies["de"] == bodies["en-gb"] != []


def _closed_by(phone: Phone) -> Job:
    job = make.job(at_state=JobState.ASSIGNED, to=phone.engineer)
    for kind in ("en_route", "on_site"):
        phone.say(kind, job, {"position": POSITION})
    phone.say("answered", job, {"question": "SAF01", "value": "yes"})
    job.refresh_from_db()
    make.answer_all(job, code="RNA/NA")
    result = phone.say("close", job, {"code": "RNA/NA", "secondary_code": "", "remarks": ""})
    assert Closure.objects.filter(job=job).exists(), result
    return job


def _sent_answers(job: Job) -> list[tuple[str, str]]:
    """What the seller reads of each answer, pictures apart: those have names of their own."""
    closing = OutboundMessage.objects.filter(event__job=job).latest("seq")
    answers = closing.body["questions_answers"]
    return sorted((answer["question"], answer["answer"]) for answer in answers if not answer.get("files"))
