"""An engineer whose data was erased: the account is over for good, whoever comes back gets another one."""

import pytest
from django.test import Client

from background import erasure
from engineers.models import Engineer, Role, SignInLink, User
from tests import make
from tests.board.test_people import client_of
from tests.board.test_people_import import ERIN, HEADER, kinds, problems, upload

pytestmark = pytest.mark.django_db
SENTENCE = (
    "This engineer's data was erased. Anybody who returns gets a new account with another staff number."
)


@pytest.fixture
def ruth() -> Client:
    return client_of(make.dispatcher(username="ruth", role=Role.SUPERVISOR))


@pytest.fixture
def erased() -> Engineer:
    engineer = make.engineer()
    erasure.erase_engineer(engineer.staff_number)
    return Engineer.objects.get()


def test_erased_account_is_never_used_again(ruth: Client, erased: Engineer) -> None:
    page = ruth.get(f"/board/people/{erased.pk}/").content.decode()

    assert SENTENCE in page.replace("&#x27;", "'")
    assert [text for text in ("Reinstate", "No password yet", "Change details") if text in page] == []
    for path in (f"{erased.pk}/reinstate/", f"{erased.pk}/edit/", f"accounts/{erased.user_id}/sign-in-link/"):
        ruth.post(f"/board/people/{path}")
    user = User.objects.get(pk=erased.user_id)
    assert (user.is_active, SignInLink.objects.exists()) == (False, False)


def test_file_with_the_staff_number_of_an_erased_engineer_is_refused(ruth: Client, erased: Engineer) -> None:
    row = ERIN.replace("E900", erased.staff_number).replace("Leeds;mdu 31.03.2027, civils", ";")

    refused = upload(ruth, HEADER, row)

    assert (kinds(refused), problems(refused)) == (["wrong"], [SENTENCE])
