"""A late answer never puts an old CSRF cookie over that of a page opened since, whose form would be refused."""

import pytest
from django.conf import settings
from django.test import Client

from tests import make
from tests.engineers.test_admin import signed_in

pytestmark = pytest.mark.django_db
PAGES = ["/phone/day.json", "/login/?next=/phone/"]


def client_with_cookie() -> tuple[Client, str]:
    client = signed_in(make.engineer().user)
    # 32 characters, as Django makes them
    client.cookies[settings.CSRF_COOKIE_NAME] = "a" * 32
    return client, settings.CSRF_COOKIE_NAME


@pytest.mark.parametrize("path", PAGES)
def test_cookie_that_the_browser_sent_is_not_sent_back(path: str) -> None:
    client, name = client_with_cookie()
    answer = client.get(path, follow=True)
    assert answer.status_code == 200
    assert name not in answer.cookies


def test_browser_without_a_cookie_is_given_one() -> None:
    assert settings.CSRF_COOKIE_NAME in Client().get("/login/").cookies


def test_cookie_that_cannot_be_one_is_replaced() -> None:
    client = Client()
    client.cookies[settings.CSRF_COOKIE_NAME] = "short"
    assert len(client.get("/login/").cookies[settings.CSRF_COOKIE_NAME].value) == 32


def test_sign_in_changes_the_cookie() -> None:
    client, name = client_with_cookie()
    client.logout()
    client.cookies[name] = "a" * 32
    engineer = make.engineer(username="second")
    client.post("/login/", {"username": engineer.user.username, "password": make.PASSWORD})
    assert client.cookies[name].value != "a" * 32
