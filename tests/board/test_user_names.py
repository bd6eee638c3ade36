"""User names as Django's sign-in reads them: with compatibility letters replaced (NFKC)."""

import pytest
from django.contrib.auth import SESSION_KEY
from django.test import Client

from engineers.models import Engineer, Role, User
from tests import make
from tests.board.test_office_accounts import ACCOUNTS, NELL, change_form
from tests.board.test_people import client_of, form
from tests.board.test_people_import import HEADER, OWEN, confirm, kinds, problems, upload

pytestmark = pytest.mark.django_db
# its first letter is one character, as some programs write it
TYPED, STORED = "ﬁona", "fiona"


@pytest.fixture
def ruth() -> Client:
    return client_of(make.dispatcher(username="ruth", role=Role.SUPERVISOR))


def signs_in_as(user: User, typed: str) -> bool:
    user.set_password(make.PASSWORD)
    user.save()
    browser = Client()
    browser.post("/login/", {"username": typed, "password": make.PASSWORD})
    return browser.session.get(SESSION_KEY) == str(user.pk)


def test_new_account_can_sign_in(ruth: Client) -> None:
    ruth.post(f"{ACCOUNTS}new/", {**NELL, "username": TYPED})

    user = User.objects.get(username=STORED)
    assert signs_in_as(user, TYPED)
    assert signs_in_as(user, STORED)


def test_renamed_account_can_sign_in(ruth: Client) -> None:
    dana = make.dispatcher(username="dana")

    ruth.post(f"{ACCOUNTS}{dana.pk}/change/", change_form(dana, username=TYPED))

    dana.refresh_from_db()
    assert dana.username == STORED
    assert ruth.post(f"{ACCOUNTS}new/", {**NELL, "username": TYPED}).status_code == 400


def test_name_that_is_too_long_once_it_is_normalised_is_refused(ruth: Client) -> None:
    answer = ruth.post(f"{ACCOUNTS}new/", {**NELL, "username": "ﬁ" * 76})

    assert answer.status_code == 400
    assert not User.objects.filter(first_name="Nell").exists()
    assert 'autocomplete="off"' in str(answer.context["page"].form["username"])


def test_new_engineer_can_sign_in(ruth: Client) -> None:
    ruth.post("/board/people/new/", form(username=TYPED, area=""))

    assert signs_in_as(Engineer.objects.get().user, TYPED)


def test_engineer_of_a_file_can_sign_in_and_is_known_the_second_time(ruth: Client) -> None:
    owen = OWEN.replace("owen", TYPED)
    confirm(ruth, upload(ruth, HEADER, owen))

    assert signs_in_as(Engineer.objects.get().user, TYPED)
    assert kinds(upload(ruth, "user_name;phone", f"{TYPED};07700 900124")) == ["unchanged"]
    both = upload(ruth, "user_name;phone", f"{TYPED};07700 900125", f"{STORED};07700 900126")
    assert problems(both) == ["An earlier row has the same staff number or user name."]
    other = OWEN.replace("owen", "ｒｕｔｈ").replace("E901", "E902")
    assert problems(upload(ruth, HEADER, other)) == [
        "Somebody else has this user name. Choose a different one."
    ]


def test_taken_values_are_named_with_whatever_else_is_wrong(ruth: Client) -> None:
    known = make.engineer()
    answer = ruth.post(
        "/board/people/new/",
        form(username="RUTH", staff_number=known.staff_number.lower(), phone="none", area=""),
    )

    assert answer.status_code == 400
    assert {*answer.context["page"].form.errors} == {"username", "staff_number", "phone"}
    assert Engineer.objects.count() == 1
