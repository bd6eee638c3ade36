"""Signing in and out, and the pause after too many wrong passwords."""

import pytest
from django.test import Client
from pytest_django import Settings

from tests import make

pytestmark = pytest.mark.django_db


def sign_in(client: Client, *, password: str) -> object:
    return client.post("/login/", {"username": "dana", "password": password})


def test_dispatcher_lands_on_the_board() -> None:
    make.dispatcher(username="dana")
    client = Client()

    answer = sign_in(client, password=make.PASSWORD)

    assert answer.headers["Location"] == "/"
    assert client.get("/").headers["Location"] == "/board/"


def test_unknown_visitor_signs_in_and_comes_back() -> None:
    answer = Client().get("/board/?day=2026-11-23")

    assert answer.headers["Location"] == "/login/?next=/board/%3Fday%3D2026-11-23"


def test_change_sent_after_signing_out_leads_back_with_a_word() -> None:
    job = make.job()
    make.dispatcher(username="dana")
    client, page = Client(), f"http://testserver/board/jobs/{job}/?tab=1"
    answer = client.post(f"/board/jobs/{job}/notes/", {"text": "Gate code"}, headers={"Referer": page})

    assert answer.headers["Location"] == f"/login/?next=/board/jobs/{job}/%3Ftab%3D1"
    sign_in(client, password=make.PASSWORD)
    assert "so your change was not saved" in client.get(f"/board/jobs/{job}/").content.decode()
    anonymous = Client().post(f"/board/jobs/{job}/notes/", headers={"Referer": "https://evil.example//x"})
    assert anonymous.headers["Location"] == "/login/?next=/"


def test_wrong_password_is_shown_at_the_form() -> None:
    make.dispatcher(username="dana")

    page = sign_in(Client(), password="wrong").content.decode()

    assert page.count("Sign-in failed") == 1


def test_too_many_wrong_passwords_pause_the_sign_in(settings: Settings) -> None:
    settings.AXES_FAILURE_LIMIT = 2
    make.dispatcher(username="dana")
    client = Client()

    answers = [sign_in(client, password="wrong") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 429]
    assert answers[-1].content.decode().count("Sign-in paused") == 2
    assert sign_in(client, password=make.PASSWORD).status_code == 429


def test_signing_out_ends_it() -> None:
    client = Client()
    client.force_login(make.dispatcher())

    client.post("/logout/")

    assert client.get("/board/").status_code == 302
