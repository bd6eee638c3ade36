"""Passwords: everybody changes their own, a first one is replaced, and nobody learns another's."""

from collections.abc import Callable

import pytest
import time_machine
from django.contrib.auth.hashers import MD5PasswordHasher
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from engineers import office_accounts, staff
from engineers.models import AuditEntry, Engineer, Role, User
from engineers.sign_in import devices, sign_in_links
from tests import make
from tests.engineers.test_admin import BACKEND, signed_in
from tests.together import at_once

pytestmark = pytest.mark.django_db
NEW = "another horse battery"


def sign_in(user: User, password: str) -> Client:
    client = Client()
    client.post("/login/", {"username": user.username, "password": password})
    return client


def change(client: Client, old: str, new: str) -> HttpResponse:
    return client.post("/password/", {"old_password": old, "new_password1": new, "new_password2": new})


@pytest.fixture
def engineer() -> Engineer:
    return make.engineer()


@pytest.fixture
def supervisor() -> User:
    return make.dispatcher(username="ruth", role=Role.SUPERVISOR)


@pytest.mark.parametrize("role", [Role.DISPATCHER, Role.SUPERVISOR, Role.ENGINEER])
def test_everybody_changes_the_own_password(role: Role) -> None:
    user = make.engineer().user if role == Role.ENGINEER else make.dispatcher(role=role)
    client, elsewhere = sign_in(user, make.PASSWORD), sign_in(user, make.PASSWORD)

    assert client.get("/password/").status_code == 200
    assert change(client, make.PASSWORD, NEW).headers["Location"] == "/"

    user.refresh_from_db()
    assert user.check_password(NEW)
    assert client.get("/").headers["Location"] in {"/board/", "/phone/"}
    assert elsewhere.get("/").headers["Location"].startswith("/login/")
    assert AuditEntry.objects.get(action="password_changed").actor == user


def test_link_that_was_not_used_ends_with_the_change() -> None:
    user = make.dispatcher()
    secret = sign_in_links.issue(user=user, by=user).secret

    change(sign_in(user, make.PASSWORD), make.PASSWORD, NEW)

    assert sign_in_links.find(secret) is None


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("wrong", NEW, "old password was entered incorrectly"),
        (make.PASSWORD, "short", "too short"),
        (make.PASSWORD, "password12", "too common"),
        (make.PASSWORD, make.PASSWORD, "This is your current password."),
    ],
)
def test_change_that_is_refused_says_why(engineer: Engineer, old: str, new: str, sentence: str) -> None:
    answer = change(sign_in(engineer.user, make.PASSWORD), old, new)

    engineer.user.refresh_from_db()
    assert (answer.status_code, sentence in answer.content.decode()) == (200, True)
    assert engineer.user.check_password(make.PASSWORD)


def test_temporary_password_opens_nothing_until_it_is_replaced(engineer: Engineer) -> None:
    User.objects.filter(pk=engineer.user_id).update(must_change_password=True)

    phone = sign_in(engineer.user, make.PASSWORD)
    assert phone.get("/phone/").headers["Location"] == "/password/?next=/phone/"
    assert phone.get("/phone/day.json", headers={"Accept": "application/json"}).status_code == 401
    assert "Your password is temporary" in phone.get("/password/").content.decode()
    assert change(phone, make.PASSWORD, make.PASSWORD).status_code == 200

    change(phone, make.PASSWORD, NEW)

    assert phone.get("/phone/").status_code == 200


def test_supervisor_with_a_temporary_password_cannot_open_the_administration(supervisor: User) -> None:
    User.objects.filter(pk=supervisor.pk).update(must_change_password=True)
    client = Client()
    client.force_login(supervisor, BACKEND)

    assert client.get("/admin/").headers["Location"].startswith("/admin/login/")
    assert client.get("/admin/login/").headers["Location"] == "/"
    assert client.get("/").headers["Location"] == "/password/?next=/"


def test_old_password_cannot_be_tried_out(engineer: Engineer) -> None:
    client = sign_in(engineer.user, make.PASSWORD)

    # tries are counted in each full minute
    with time_machine.travel(make.now().replace(second=1), tick=False):
        answers = [change(client, f"wrong {number}", NEW).status_code for number in range(11)]
        right = change(client, make.PASSWORD, NEW).status_code

    assert [*answers, right] == [200] * 10 + [429] * 2


def test_own_password_is_changed_on_the_own_page(supervisor: User) -> None:
    answer = signed_in(supervisor).post(f"/admin/engineers/user/{supervisor.pk}/password/")

    assert answer.headers["Location"] == "/password/"


# --- a phone that has the application: its pages come from the phone, so signing in itself leads to the step ---


def hand_out_temporary(engineer: Engineer) -> Client:
    User.objects.filter(pk=engineer.user_id).update(must_change_password=True)
    return Client()


def test_signing_in_with_a_temporary_password_leads_to_ones_own(engineer: Engineer) -> None:
    client = hand_out_temporary(engineer)
    form = {"username": engineer.user.username, "password": make.PASSWORD, "next": "/phone/jobs/J1/?a=b"}
    step = "/password/?next=/phone/jobs/J1/%3Fa%3Db"

    assert client.post("/login/", form).headers["Location"] == step
    # the page of the phone sends them here again
    assert client.get("/login/", {"next": form["next"]}).headers["Location"] == step
    new = {"old_password": make.PASSWORD, "new_password1": NEW, "new_password2": NEW}
    assert client.post(step, new).headers["Location"] == form["next"]
    assert client.get("/login/", {"next": form["next"]}).headers["Location"] == form["next"]


def test_new_password_leads_to_no_foreign_page(engineer: Engineer) -> None:
    client = sign_in(engineer.user, make.PASSWORD)
    form = {"old_password": make.PASSWORD, "new_password1": NEW, "new_password2": NEW}

    assert client.post("/password/?next=https://example.org/", form).headers["Location"] == "/"


def test_phone_receives_the_next_step_of_signing_in(engineer: Engineer) -> None:
    client = hand_out_temporary(engineer)

    def notify() -> object:
        answer = client.get("/phone/day.json", headers={"Accept": "application/json"})
        return answer.status_code, answer.json()["error"], answer.json()["address"]

    assert notify() == (401, "signed_out", "/login/")
    client.post("/login/", {"username": engineer.user.username, "password": make.PASSWORD})
    assert notify() == (401, "unfinished", "/password/")
    change(client, make.PASSWORD, NEW)
    assert client.get("/phone/day.json", headers={"Accept": "application/json"}).status_code == 200


# --- somebody is signed in on the phone who is no engineer ---


def test_who_has_no_phone_pages_may_sign_in_as_somebody_who_has(engineer: Engineer) -> None:
    client = sign_in(make.dispatcher(), make.PASSWORD)

    page = client.get("/login/?next=/phone/me/")

    assert page.status_code == 200
    assert "is not an engineer" in page.content.decode()
    assert client.get("/login/?next=/board/").headers["Location"] == "/board/"
    form = {"username": engineer.user.username, "password": make.PASSWORD, "next": "/phone/me/"}
    assert client.post("/login/", form).headers["Location"] == "/phone/me/"
    assert client.get("/phone/day.json").status_code == 200


def test_dispatcher_who_signs_in_on_the_phone_lands_on_the_board() -> None:
    form = {"username": make.dispatcher().username, "password": make.PASSWORD, "next": "/phone/"}

    assert Client().post("/login/", form).headers["Location"] == "/"


def test_engineers_user_without_an_engineer_gets_the_form(engineer: Engineer) -> None:
    user = engineer.user
    engineer.delete()

    assert sign_in(user, make.PASSWORD).get("/login/?next=/phone/").status_code == 200


# --- somebody changes the account while its new password is hashed, a quarter of a second in production ---


class BusyHasher(MD5PasswordHasher):
    """Does once what somebody else does before it has hashed the new password."""

    before_encoding: list[Callable[[], object]] = []

    def encode(self, password: str, salt: str) -> str:
        if password == NEW and self.before_encoding:
            at_once(self.before_encoding.pop())
        return super().encode(password, salt)


def change_while(settings: Settings, user: User, somebody_else: Callable[[], object]) -> Client:
    """The browser in which the password was changed."""
    client = sign_in(user, make.PASSWORD)
    settings.PASSWORD_HASHERS = [f"{__name__}.BusyHasher"]
    BusyHasher.before_encoding.append(somebody_else)
    change(client, make.PASSWORD, NEW)
    assert not BusyHasher.before_encoding
    user.refresh_from_db()
    return client


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("end_access", [staff.suspend, devices.sign_out_everywhere])
def test_access_that_ends_during_the_change_has_ended(
    settings: Settings, supervisor: User, end_access: Callable[..., object]
) -> None:
    user = make.dispatcher()
    client = change_while(
        settings, user, lambda: end_access(user=User.objects.get(pk=user.pk), by=supervisor)
    )

    assert client.get("/board/").headers["Location"].startswith("/login/")
    assert (user.is_active, user.check_password(NEW)) == (end_access != staff.suspend, False)


@pytest.mark.django_db(transaction=True)
def test_password_that_is_replaced_during_the_change_stays_replaced(
    settings: Settings, supervisor: User
) -> None:
    user, other = make.dispatcher(), "yet another password"

    def use_link() -> None:
        issued = sign_in_links.issue(user=user, by=supervisor)
        sign_in_links.use(secret=issued.secret, password=other)

    client = change_while(settings, user, use_link)

    assert client.get("/board/").headers["Location"].startswith("/login/")
    assert user.check_password(other)


@pytest.mark.django_db(transaction=True)
def test_role_that_is_changed_during_the_change_stays_changed(settings: Settings, supervisor: User) -> None:
    user = make.dispatcher(role=Role.SUPERVISOR)
    seen = office_accounts.read_account(user)
    record = office_accounts.AccountRecord(seen.username, seen.name, Role.DISPATCHER)

    def demote() -> None:
        office_accounts.change_account(user=user, record=record, seen=seen, by=supervisor)

    client = change_while(settings, user, demote)

    assert (user.role, user.is_staff, user.check_password(NEW)) == (Role.DISPATCHER, False, True)
    assert client.get("/board/").status_code == 200
