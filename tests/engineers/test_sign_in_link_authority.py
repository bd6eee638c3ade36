"""A one-time link opens an account only while whoever made it could still make it."""

from dataclasses import replace

import pytest
from django.test import Client

from engineers import staff
from engineers.engineer_records import read_record, update_engineer
from engineers.models import Area, AreaLimit, Engineer, Right, Role, RoleRights, SignInLink, User
from engineers.models.roles import SHIPPED_RIGHTS
from engineers.office_accounts import change_account, read_account
from engineers.sign_in import sign_in_links
from tests import make
from tests.engineers.test_admin import save, signed_in
from tests.engineers.test_sign_in_links import choose, issued_path

pytestmark = pytest.mark.django_db


@pytest.fixture
def ruth() -> User:
    return make.dispatcher(username="ruth", role=Role.SUPERVISOR)


@pytest.fixture
def sam() -> User:
    return make.dispatcher(username="sam", role=Role.SUPERVISOR)


@pytest.fixture
def dana() -> User:
    return make.dispatcher(username="dana")


@pytest.fixture
def york() -> Area:
    return Area.objects.create(name="York", postcodes="YO")


def opens(path: str) -> bool:
    """Whether the link shows its form; if so, it also takes the password."""
    shows, takes = Client().get(path).status_code == 200, choose(Client(), path) == 302
    assert shows == takes
    return takes


def mailed_path(user: User) -> str:
    issued = sign_in_links.issue_for_mail(user=user)
    assert issued
    return f"/start/{issued.secret}/"


def test_link_ends_with_the_account_that_made_it(ruth: User, sam: User) -> None:
    path = issued_path(ruth, sam)

    staff.suspend(user=ruth, by=sam)
    assert not opens(path)
    staff.reinstate(user=ruth, by=sam)
    assert not opens(path)
    assert not SignInLink.objects.exists()


def test_link_of_before_a_suspension_stays_ended(ruth: User, dana: User) -> None:
    paths = [issued_path(ruth, dana), mailed_path(dana)]

    staff.suspend(user=dana, by=ruth)
    staff.reinstate(user=dana, by=ruth)

    assert [opens(path) for path in paths] == [False, False]


def test_link_ends_when_its_account_may_do_more_than_whoever_made_it(ruth: User, dana: User) -> None:
    RoleRights.objects.create(
        role=Role.SENIOR_DISPATCHER,
        rights=sorted(SHIPPED_RIGHTS[Role.SENIOR_DISPATCHER] | {Right.MANAGE_ACCOUNTS}),
    )
    path = issued_path(make.dispatcher(username="sina", role=Role.SENIOR_DISPATCHER), dana)

    signed_in(ruth).post(
        f"/board/people/accounts/{dana.pk}/change/",
        {"username": "dana", "name": dana.get_full_name(), "role": "supervisor"}
        | {"seen_username": "dana", "seen_name": dana.get_full_name(), "seen_role": "dispatcher"},
    )

    dana.refresh_from_db()
    assert dana.role == Role.SUPERVISOR
    assert not opens(path)


def test_link_ends_when_its_account_becomes_a_superuser(ruth: User, sam: User) -> None:
    path = issued_path(ruth, sam)

    root = User.objects.create_superuser("root", password=make.PASSWORD)
    assert save(signed_in(root), sam, is_superuser=True) == 302

    assert not opens(path)


def test_link_ends_when_its_account_sees_more_areas(ruth: User, dana: User, york: Area) -> None:
    for user in (ruth, dana):
        AreaLimit.objects.create(user=user, area=york)
    path = issued_path(ruth, dana)

    AreaLimit.objects.filter(user=dana).delete()

    assert not opens(path)


def test_link_ends_when_whoever_made_it_may_make_none(ruth: User, dana: User) -> None:
    paths = [issued_path(ruth, user) for user in (dana, make.engineer().user)]

    User.objects.filter(pk=ruth.pk).update(role=Role.SENIOR_DISPATCHER)

    assert [opens(path) for path in paths] == [False, False]


def test_link_ends_when_its_engineer_leaves_the_areas_of_whoever_made_it(ruth: User, york: Area) -> None:
    AreaLimit.objects.create(user=ruth, area=york)
    going, staying = make.engineer(), make.engineer()
    Engineer.objects.update(area=york)
    paths = [issued_path(ruth, engineer.user) for engineer in (going, staying)]

    Engineer.objects.filter(pk=going.pk).update(area=Area.objects.create(name="Leeds", postcodes="LS"))

    assert [opens(path) for path in paths] == [False, True]


@pytest.mark.parametrize("changed", [{"email": "dana@example.com"}, {"role": "supervisor"}])
def test_mailed_link_ends_with_the_address_or_the_role(
    ruth: User, dana: User, changed: dict[str, str]
) -> None:
    path, stored = mailed_path(dana), read_account(dana)

    change_account(user=dana, record=replace(stored, **changed), seen=stored, by=ruth)

    assert not opens(path)


def test_mailed_link_ends_when_its_account_becomes_a_superuser(sam: User) -> None:
    path, root = mailed_path(sam), User.objects.create_superuser("root", password=make.PASSWORD)

    save(signed_in(root), sam, is_superuser=True)

    assert not opens(path)


def test_mailed_link_of_an_engineer_ends_with_the_address(ruth: User) -> None:
    engineer = make.engineer()
    path, stored = mailed_path(engineer.user), read_record(engineer)

    record = replace(stored, email="erin@example.com")
    update_engineer(engineer=engineer, record=record, version=stored.version, by=ruth)

    assert not opens(path)


def test_nobody_makes_a_link_to_the_own_account(ruth: User) -> None:
    """At a browser that was left open it would replace the password, which the own page asks for."""
    answer = signed_in(ruth).post(f"/board/people/accounts/{ruth.pk}/sign-in-link/", follow=True)

    assert "You can&#x27;t do this to your own account." in answer.content.decode()
    assert not SignInLink.objects.exists()
