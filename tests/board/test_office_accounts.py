"""Accounts of the office: a one-time link instead of a password, and nobody is shut out by accident."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django_otp.plugins.otp_totp.models import TOTPDevice

from engineers import office_accounts
from engineers.models import Area, AuditEntry, Role, SignInLink, User
from engineers.office_accounts import AccountRefused, AccountRule
from tests import make
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db
ACCOUNTS = "/board/people/accounts/"
NELL = {"name": "Nell New", "username": "nell", "role": "dispatcher"}


@pytest.fixture
def supervisor() -> User:
    return make.dispatcher(username="ruth", role=Role.SUPERVISOR)


@pytest.fixture
def ruth(supervisor: User) -> Client:
    return client_of(supervisor)


@pytest.fixture
def dana() -> User:
    return make.dispatcher(username="dana")


@pytest.fixture
def root() -> User:
    return User.objects.create_superuser("root", password=make.PASSWORD)


def change_form(user: User, **changed: str) -> dict[str, str]:
    """As the browser sends the form of the account's page."""
    stored = {"username": user.username, "name": user.get_full_name(), "role": user.role}
    return {**stored, **{f"seen_{name}": value for name, value in stored.items()}, **changed}


def change(client: Client, user: User, **changed: str) -> int:
    status = client.post(f"{ACCOUNTS}{user.pk}/change/", change_form(user, **changed)).status_code
    user.refresh_from_db()
    return status


def actions(user: User) -> list[str]:
    entries = AuditEntry.objects.filter(subject=user.username).exclude(action="hired")
    return list(entries.order_by("pk").values_list("action", flat=True))


def test_new_colleague_gets_a_link_and_signs_in_with_a_password_of_their_own(
    ruth: Client, supervisor: User
) -> None:
    page = ruth.post(f"{ACCOUNTS}new/", NELL).context["page"]

    user = User.objects.get(username="nell")
    assert (user.display_name, user.role) == ("Nell New", "dispatcher")
    assert (user.has_usable_password(), user.is_staff, user.is_superuser) == (False, False, False)
    assert AuditEntry.objects.get(action="hired", subject="nell").actor == supervisor
    browser = Client()
    chosen = {"new_password1": "another horse battery", "new_password2": "another horse battery"}
    browser.post(page.address.removeprefix("http://127.0.0.1:8000"), chosen)
    assert browser.get("/board/").status_code == 200


def test_same_form_twice_makes_one_account_with_one_link(ruth: Client) -> None:
    first, second = (ruth.post(f"{ACCOUNTS}new/", NELL).context["page"].address for _time in range(2))

    assert (User.objects.filter(username="nell").count(), SignInLink.objects.count()) == (1, 1)
    assert AuditEntry.objects.filter(action="hired", subject="nell").count() == 1
    assert Client().get(first.removeprefix("http://127.0.0.1:8000")).status_code == 404
    assert Client().get(second.removeprefix("http://127.0.0.1:8000")).status_code == 200


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"name": ""}, "This field is required."),
        ({"name": "x" * 101}, "at most 100 characters"),
        ({"username": "has blank"}, "Enter a valid username."),
        ({"username": "x" * 151}, "at most 150 characters"),
        ({"username": "DANA"}, "Somebody else has this user name."),
        ({"username": "dana", "name": "Dana Dispatch"}, "Somebody else has this user name."),
        ({"username": "erin"}, "Somebody else has this user name."),
        ({"role": "engineer"}, "Select a valid choice."),
        ({"role": "superuser"}, "Select a valid choice."),
    ],
)
def test_wrong_account_is_refused(ruth: Client, dana: User, changed: dict[str, str], sentence: str) -> None:
    make.engineer(username="erin")
    answer = ruth.post(f"{ACCOUNTS}new/", {**NELL, **changed})

    assert (answer.status_code, sentence in answer.content.decode()) == (400, True)
    assert (User.objects.count(), SignInLink.objects.count()) == (3, 0)


def test_form_of_a_superuser_without_a_password_gives_no_link(ruth: Client) -> None:
    root = User.objects.create_superuser("root", first_name="Rosa", role=Role.SUPERVISOR)
    form = {"name": "Rosa", "username": "root", "role": "supervisor"}

    answer = ruth.post(f"{ACCOUNTS}new/", form)

    assert (answer.status_code, root.sign_in_links.count()) == (400, 0)


@pytest.mark.parametrize("rows", [1, 3])
def test_list_costs_the_same_queries_and_leaves_engineers_out(
    ruth: Client, rows: int, django_assert_num_queries: Callable[[int], object]
) -> None:
    make.engineer()
    for _row in range(rows):
        make.dispatcher()

    with django_assert_num_queries(10):
        page = ruth.get(ACCOUNTS).context["page"]
    assert len(page.lines) == rows + 1


def test_role_and_name_change_with_the_rights_under_admin(ruth: Client, supervisor: User, dana: User) -> None:
    assert change(ruth, dana, role="supervisor", name="Dana  Whitlock") == 302
    assert (dana.role, dana.is_staff, dana.get_full_name()) == ("supervisor", True, "Dana Whitlock")
    assert client_of(dana).get("/admin/").status_code == 200

    assert change(ruth, dana, role="dispatcher") == 302
    assert (dana.role, dana.is_staff) == ("dispatcher", False)
    assert client_of(dana).get("/admin/").status_code == 302
    entry = AuditEntry.objects.filter(action="person_changed").latest("pk")
    assert (entry.actor, entry.before, entry.after) == (
        supervisor,
        {"role": "supervisor"},
        {"role": "dispatcher"},
    )


def test_same_change_twice_is_recorded_once(ruth: Client, dana: User) -> None:
    sent = change_form(dana, name="Dana Whitlock")
    for _time in range(2):
        assert ruth.post(f"{ACCOUNTS}{dana.pk}/change/", sent).status_code == 302

    assert actions(dana) == ["person_changed"]


def test_change_of_another_supervisor_is_not_overwritten(ruth: Client, dana: User) -> None:
    old = change_form(dana, username="dana2")
    change(ruth, dana, name="Dana Whitlock")

    assert ruth.post(f"{ACCOUNTS}{dana.pk}/change/", old).status_code == 409
    dana.refresh_from_db()
    assert (dana.username, dana.get_full_name()) == ("dana", "Dana Whitlock")


def test_nobody_takes_the_user_name_of_another(ruth: Client, dana: User) -> None:
    assert change(ruth, dana, username="RUTH") == 400
    assert dana.username == "dana"


def test_nobody_changes_the_own_role_or_locks_the_own_account(ruth: Client, supervisor: User) -> None:
    make.dispatcher(role=Role.SUPERVISOR)
    page = ruth.get(f"{ACCOUNTS}{supervisor.pk}/").content.decode()
    assert "This is your own account." in page
    assert "Suspend account" not in page

    # a field that is shown as fixed is not read
    assert change(ruth, supervisor, role="dispatcher", name="Ruth Calder") == 302
    assert (supervisor.role, supervisor.get_full_name()) == ("supervisor", "Ruth Calder")
    for path in ("suspend/", "second-factor/"):
        answer = ruth.post(f"{ACCOUNTS}{supervisor.pk}/{path}", follow=True)
        assert "You can&#x27;t do this to your own account." in answer.content.decode()
    supervisor.refresh_from_db()
    assert supervisor.is_active


def test_last_supervisor_who_can_sign_in_stays(supervisor: User) -> None:
    """Two who remove each other at the same moment: the second finds that the first is gone."""
    other = make.dispatcher(username="sam", role=Role.SUPERVISOR)
    office_accounts.suspend_account(user=other, by=supervisor)
    new = make.dispatcher(username="new", role=Role.SUPERVISOR)
    new.set_unusable_password()
    new.save()

    with pytest.raises(AccountRefused) as refused:
        office_accounts.suspend_account(user=supervisor, by=other)

    assert refused.value.rule == AccountRule.LAST_SUPERVISOR
    supervisor.refresh_from_db()
    assert supervisor.is_active


@pytest.mark.parametrize("path", ["suspend/", "sign-out/", "second-factor/", "change/", "sign-in-link/"])
def test_only_a_superuser_changes_a_superuser(ruth: Client, root: User, path: str) -> None:
    page = ruth.get(f"{ACCOUNTS}{root.pk}/").content.decode()
    assert "Only a superuser can do this for a superuser." in page
    assert f"{ACCOUNTS}{root.pk}/{path}" not in page

    answer = ruth.post(f"{ACCOUNTS}{root.pk}/{path}", change_form(root, name="Other"), follow=True)

    assert "Only a superuser can do this for a superuser." in answer.content.decode()
    root.refresh_from_db()
    assert (root.is_active, root.get_full_name(), actions(root)) == (True, "", [])


def test_superuser_changes_a_supervisor_and_a_superuser(supervisor: User, root: User) -> None:
    client, second = client_of(root), User.objects.create_superuser("root2", password=make.PASSWORD)

    assert change(client, supervisor, role="dispatcher") == 302
    assert change(client, second, name="Second Root") == 302
    assert (supervisor.role, second.get_full_name(), second.is_staff) == ("dispatcher", "Second Root", True)


def test_suspended_account_is_signed_out_until_it_is_reinstated(ruth: Client, dana: User) -> None:
    browser = client_of(dana)
    for _time in range(2):
        ruth.post(f"{ACCOUNTS}{dana.pk}/suspend/")
    assert browser.get("/board/").status_code == 302
    assert [line.is_active for line in ruth.get(ACCOUNTS).context["page"].lines] == [True, False]

    for _time in range(2):
        ruth.post(f"{ACCOUNTS}{dana.pk}/reinstate/")
    dana.refresh_from_db()
    assert (dana.is_active, actions(dana)) == (True, ["suspended", "reinstated"])


def test_signing_out_everywhere_and_resetting_the_second_factor(ruth: Client, dana: User) -> None:
    TOTPDevice.objects.create(user=dana, confirmed=True)
    browser = client_of(dana)
    page = ruth.get(f"{ACCOUNTS}{dana.pk}/").content.decode()
    assert "Reset two-factor authentication" in page
    assert "Sign out everywhere" in page

    ruth.post(f"{ACCOUNTS}{dana.pk}/sign-out/")
    assert browser.get("/board/").status_code == 302
    ruth.post(f"{ACCOUNTS}{dana.pk}/second-factor/")

    assert not TOTPDevice.objects.filter(user=dana).exists()
    assert actions(dana) == ["signed_out_everywhere", "second_factor_reset"]


def test_dispatcher_reads_and_changes_nothing(dana: User, supervisor: User) -> None:
    client = client_of(dana)

    page = client.get(f"{ACCOUNTS}{supervisor.pk}/").content.decode()

    assert "Add account" not in client.get(ACCOUNTS).content.decode()
    assert ("Signing in" in page, "Change account" in page) == (False, False)
    for path in ("change/", "suspend/", "reinstate/", "sign-out/", "second-factor/", "sign-in-link/"):
        assert client.post(f"{ACCOUNTS}{supervisor.pk}/{path}").status_code == 403
    assert client.post(f"{ACCOUNTS}new/", NELL).status_code == 403


def test_engineer_is_no_office_account(ruth: Client) -> None:
    engineer = make.engineer()

    assert ruth.get(f"{ACCOUNTS}{engineer.user_id}/").status_code == 404
    assert ruth.post(f"{ACCOUNTS}{engineer.user_id}/change/", NELL).status_code == 404


@pytest.mark.parametrize("path", ["areas/new/", "skills/new/", "accounts/new/"])
@pytest.mark.parametrize("text", ["a\0b", "x" * 5000, "\u202e", "=1+1"])
def test_odd_text_is_refused(ruth: Client, path: str, text: str) -> None:
    sent = {"name": text, "username": text, "code": text, "role": text, "postcodes": text}

    assert ruth.post(f"/board/people/{path}", sent).status_code == 400
    assert ruth.get("/board/people/", {"area": "y" * 5000, "skill": "\u202e"}).status_code == 200


@pytest.mark.parametrize("path", ["", "change/", "suspend/"])
def test_account_that_is_not_there_is_not_found(ruth: Client, path: str) -> None:
    for pk in ("999", "9" * 30):
        address = f"{ACCOUNTS}{pk}/{path}"
        assert (ruth.post(address, NELL) if path else ruth.get(address)).status_code == 404


@pytest.mark.parametrize("is_new", [True, False])
def test_area_that_is_deleted_before_the_change_limits_nobody_to_nothing(
    ruth: Client, supervisor: User, dana: User, is_new: bool
) -> None:
    """Without any area, the account would see all of them: the form was valid a moment ago."""
    york = Area.objects.create(name="York", postcodes="YO")

    def delete_area(execute: Callable[..., Any], sql: str, *more: Any) -> Any:
        """When the change begins, the form has read its choices."""
        if sql.startswith(("SAVEPOINT", 'SELECT "engineers_area"."id" AS')):
            Area.objects.filter(pk=york.pk)._raw_delete("default")
        return execute(sql, *more)

    path, form = (f"{ACCOUNTS}new/", NELL) if is_new else (f"{ACCOUNTS}{dana.pk}/change/", change_form(dana))
    with connection.execute_wrapper(delete_area):
        answer = ruth.post(path, {**form, "areas": ["York"]})

    assert (answer.status_code in {400, 409}, User.objects.filter(username="nell").exists()) == (True, False)
    assert not AuditEntry.objects.filter(action="person_changed").exists()
