"""manage.py first_supervisor: one account with all permissions, and a link that works once."""

import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from engineers.models import Role, User
from tests import make

pytestmark = pytest.mark.django_db


def run(*options: str, username: str = "ruth") -> str:
    output = StringIO()
    call_command("first_supervisor", username, "--name", "Ruth Calder", *options, stdout=output)
    return output.getvalue()


def link(printed: str) -> str:
    found = re.search(r"(/start/[\w-]+/)", printed)
    assert found, printed
    return found.group(1)


def choose_password(address: str) -> int:
    form = {"new_password1": "correct-horse-battery", "new_password2": "correct-horse-battery"}
    return Client().post(address, form).status_code


def test_supervisor_has_all_permissions_and_chooses_a_password_by_the_link() -> None:
    address = link(run())

    user = User.objects.get()
    assert (user.username, user.get_full_name(), user.role) == ("ruth", "Ruth Calder", Role.SUPERVISOR)
    assert (user.is_superuser, user.is_staff, user.has_usable_password()) == (True, True, False)
    assert choose_password(address) == 302
    assert run() == "There is a supervisor with all permissions: ruth.\n"


def test_name_is_stored_as_the_form_of_the_sign_in_reads_it() -> None:
    run(username="ﬁona")

    assert User.objects.get().username == "fiona"
    assert "fiona chooses a password" in run("--new-link", username="ﬁona")


def test_second_run_keeps_the_link() -> None:
    address = link(run())

    assert "has a link that works until" in run()
    assert choose_password(address) == 302


def test_lost_link_is_replaced() -> None:
    lost = link(run())
    address = link(run("--new-link"))

    assert [choose_password(lost), choose_password(address)] == [404, 302]
    assert User.objects.count() == 1


def test_link_that_has_expired_is_replaced() -> None:
    run()
    User.objects.get().sign_in_links.update(expires_at=timezone.now())

    assert choose_password(link(run())) == 302


def test_user_name_of_somebody_else_is_refused() -> None:
    with pytest.raises(CommandError, match="Choose another one"):
        run(username=make.engineer().user.username)


@pytest.mark.parametrize("option", [(), ("--new-link",)])
def test_link_of_another_user_name_that_works_is_the_only_one(option: tuple[str, ...]) -> None:
    address = link(run())

    printed = run(*option, username="dana")

    assert printed.startswith("ruth has a link that works until")
    assert list(User.objects.values_list("username", flat=True)) == ["ruth"]
    assert choose_password(address) == 302


@pytest.mark.parametrize(
    ("username", "name", "field"),
    [
        ("", "Ruth Calder", "username"),
        ("Dana W!", "Ruth Calder", "username"),
        ("r" * 151, "Ruth Calder", "username"),
        ("ruth", "R" * 400, "--name"),
        ("ruth", " ", "--name"),
    ],
)
def test_value_that_no_account_can_have_is_named(username: str, name: str, field: str) -> None:
    with pytest.raises(CommandError, match=f"\\A{field}: "):
        call_command("first_supervisor", username, "--name", name)

    assert not User.objects.exists()
