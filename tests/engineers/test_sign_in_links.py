"""One-time links: once, for a while, and nobody but the person learns the password. And signing out everywhere."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from engineers.models import AuditEntry, Engineer, PushSubscription, Role, SignInLink, User
from engineers.sign_in import sign_in_links
from engineers.sign_in.devices import describe_user_agent, list_devices
from tests import make
from tests.engineers.test_admin import BACKEND, signed_in

pytestmark = pytest.mark.django_db
NEW = "another horse battery"
CHROME = (
    "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36"
)


@pytest.fixture
def engineer() -> Engineer:
    return make.engineer(username="erin")


@pytest.fixture
def supervisor() -> User:
    return make.dispatcher(username="ruth", role=Role.SUPERVISOR)


def issued_path(by: User, user: User) -> str:
    page = signed_in(by).post(f"/board/people/accounts/{user.pk}/sign-in-link/").content.decode()
    found = re.search(rf'value="{re.escape(settings.PUBLIC_URL)}(/start/[^"]+/)"', page)
    assert found
    return found.group(1)


def choose(client: Client, path: str, password: str = NEW) -> int:
    form = {"new_password1": password, "new_password2": password}
    return client.post(path, form).status_code


def test_link_signs_in_once_and_the_password_is_the_person_s_own(
    engineer: Engineer, supervisor: User
) -> None:
    path, phone, before = issued_path(supervisor, engineer.user), Client(), signed_in(engineer.user)
    # a chat program looks at it first
    assert [Client().get(path).status_code for _time in range(2)] == [200, 200]
    assert before.get("/phone/").status_code == 200

    assert choose(phone, path) == 302

    assert phone.get("/").headers["Location"] == "/phone/"
    assert before.get("/phone/").status_code == 302
    engineer.user.refresh_from_db()
    assert (engineer.user.check_password(NEW), engineer.user.must_change_password) == (True, False)
    assert (Client().get(path).status_code, choose(Client(), path, "third horse battery")) == (404, 404)
    assert "sign in with it" in Client().get(path).content.decode()
    actors = AuditEntry.objects.filter(action__startswith="sign_in_link").values_list(
        "action", "actor__username"
    )
    assert set(actors) == {("sign_in_link_issued", "ruth"), ("sign_in_link_used", "erin")}


def test_link_ends_with_its_time_a_newer_link_and_the_account(engineer: Engineer, supervisor: User) -> None:
    old = issued_path(supervisor, engineer.user)
    newer = issued_path(supervisor, engineer.user)
    assert (Client().get(old).status_code, Client().get(newer).status_code) == (404, 200)

    with time_machine.travel(timezone.now() + timedelta(hours=settings.SIGN_IN_LINK_HOURS, minutes=1)):
        assert Client().get(newer).status_code == 404
    User.objects.filter(pk=engineer.user_id).update(is_active=False)
    assert Client().get(newer).status_code == 404


def test_secret_is_not_stored(engineer: Engineer, supervisor: User) -> None:
    secret = issued_path(supervisor, engineer.user).split("/")[2]

    assert secret not in str(SignInLink.objects.values().get())
    assert sign_in_links.find(secret)


@pytest.mark.parametrize("password", ["short", "password12", ""])
def test_weak_password_is_refused_and_the_link_stays(
    engineer: Engineer, supervisor: User, password: str
) -> None:
    path = issued_path(supervisor, engineer.user)

    assert choose(Client(), path, password) == 400
    assert choose(Client(), path) == 302


def test_link_takes_the_place_of_whoever_was_signed_in_there(engineer: Engineer, supervisor: User) -> None:
    path, browser = issued_path(supervisor, engineer.user), signed_in(supervisor)

    choose(browser, path)

    assert browser.get("/").headers["Location"] == "/phone/"
    assert browser.get("/board/").status_code == 403


def test_chosen_language_comes_with_the_link(engineer: Engineer, supervisor: User) -> None:
    User.objects.filter(pk=engineer.user_id).update(language="de")
    path, phone = issued_path(supervisor, engineer.user), Client()

    choose(phone, path)

    assert phone.cookies[settings.LANGUAGE_COOKIE_NAME].value == "de"


def test_second_factor_is_still_asked_for(supervisor: User, settings: object) -> None:
    settings.REQUIRE_SECOND_FACTOR = True  # type: ignore[attr-defined]
    secret = sign_in_links.issue(user=supervisor, by=supervisor).secret
    browser = Client()

    choose(browser, f"/start/{secret}/")

    assert browser.get("/board/").headers["Location"].startswith("/second-factor/")


def test_only_supervisors_make_links_and_none_for_a_superuser(engineer: Engineer, supervisor: User) -> None:
    root = User.objects.create_superuser("root", password=make.PASSWORD)
    dispatcher = make.dispatcher()
    client = Client()
    client.force_login(dispatcher, BACKEND)

    assert client.post(f"/board/people/accounts/{engineer.user_id}/sign-in-link/").status_code == 403
    assert signed_in(supervisor).post(f"/board/people/accounts/{root.pk}/sign-in-link/").status_code == 302
    assert not SignInLink.objects.exists()


def test_admin_offers_the_link_instead_of_a_password(engineer: Engineer, supervisor: User) -> None:
    page = signed_in(supervisor).get(f"/admin/engineers/user/{engineer.user_id}/password/", follow=True)

    assert f"/board/people/accounts/{engineer.user_id}/sign-in-link/" in page.content.decode()


def test_signing_out_everywhere_ends_sessions_and_notices_of_this_person_only(
    engineer: Engineer, supervisor: User
) -> None:
    phone = Client(headers={"User-Agent": CHROME})
    phone.post("/login/", {"username": "erin", "password": make.PASSWORD})
    other, ruth = signed_in(make.engineer().user), signed_in(supervisor)
    PushSubscription.objects.create(
        engineer=engineer, endpoint="https://push.example/1", subscribed_at=timezone.now()
    )
    page = ruth.get(f"/board/people/{engineer.pk}/").content.decode()
    assert "Chrome, Android" in page

    for _time in range(2):
        ruth.post(f"/board/people/{engineer.pk}/sign-out/")

    assert phone.get("/phone/").status_code == 302
    assert (other.get("/phone/").status_code, ruth.get("/board/").status_code) == (200, 200)
    assert not PushSubscription.objects.exists()
    assert engineer.user_id not in list_devices()
    assert Session.objects.count() == 2


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (CHROME, "Chrome, Android"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit Version/18.0 Safari/604",
            "Safari, iPhone",
        ),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/140 Safari/537 Edg/140", "Edge, Windows"),
        ("curl/8", ""),
    ],
)
def test_browser_is_named(agent: str, name: str) -> None:
    assert describe_user_agent(agent) == name
