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
from tests.phone.phone import PLACE, Phone

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


def test_language_that_we_do_not_speak_changes_nothing() -> None:
    phone = Phone(make.engineer())
    choose(phone.client, "tlh")

    assert User.objects.get(pk=phone.engineer.user.pk).language == ""
    assert phone.json("/phone/day.json")["language"] == "en-gb"


def test_choice_goes_along_to_another_browser() -> None:
    engineer = make.engineer()
    choose(Phone(engineer).client, "de")
    other = Client()
    other.post("/login/", {"username": engineer.user.username, "password": make.PASSWORD})

    told = other.get("/phone/day.json").json()
    assert (told["language"], {one["code"] for one in told["languages"]}) == ("de", {"en-gb", "de"})
    # the worker asks also when the session has ended
    other.cookies.pop("sessionid")
    assert 'lang="de"' in other.get("/phone/shell/").text
    assert "Mein Tag" in other.get("/phone/words.js").text


def test_worker_keeps_page_and_words_of_every_language() -> None:
    stranger = Client()
    worker = stranger.get("/phone/sw.js").text

    for code, day in (("en-gb", "My day"), ("de", "Mein Tag")):
        shell, words = f"/phone/shell/?language={code}", f"/phone/words.js?language={code}"
        assert json.dumps(shell) in worker
        assert json.dumps(words) in worker
        page = stranger.get(shell).text
        assert f'lang="{code}"' in page
        assert day in page
        assert words in page
        assert ("Mein Tag" in stranger.get(words).text) == (code == "de")


def test_worker_is_the_same_in_every_language() -> None:
    german = Client(headers=GERMAN)

    assert german.get("/phone/sw.js").text == Client().get("/phone/sw.js").text
    # an address with a language that we do not speak: the browser's own
    assert 'lang="de"' in german.get("/phone/shell/?language=tlh").text


def test_seller_hears_the_same_whatever_language_an_engineer_speaks() -> None:
    heard = {}
    for language, name in (("en-gb", "Erin First"), ("de", "Sam Second")):
        phone = Phone(make.engineer(name=name))
        choose(phone.client, language)
        heard[language] = _said_of(_closed_by(phone))

    assert heard["de"] == heard["en-gb"] != []


def _closed_by(phone: Phone) -> Job:
    job = make.job(at_state=JobState.ASSIGNED, to=phone.engineer)
    for kind in ("en_route", "on_site"):
        phone.say(kind, job, {"position": PLACE})
    phone.say("answered", job, {"question": "SAF01", "value": "yes"})
    job.refresh_from_db()
    make.answer_all(job, code="RNA/NA")
    said = phone.say("close", job, {"code": "RNA/NA", "secondary_code": "", "remarks": ""})
    assert Closure.objects.filter(job=job).exists(), said
    return job


def _said_of(job: Job) -> list[tuple[str, str]]:
    """What the seller reads of each answer, pictures apart: those have names of their own."""
    closing = OutboundMessage.objects.filter(event__job=job).latest("seq")
    answers = closing.body["questions_answers"]
    return sorted((one["question"], one["answer"]) for one in answers if not one.get("files"))
