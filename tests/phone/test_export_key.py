"""Where every sign-in of an engineer ends, no notice reaches the phone any more, and the key with which it signed its
offline exports counts no more."""

from collections.abc import Callable

import pytest
from django.db.models import F
from django.test import Client
from django.utils import timezone

from engineers import staff
from engineers.models import Engineer, PushSubscription, Role, User
from engineers.sign_in import devices, second_factor, sign_in_links
from phone.offline_import import read_export, signing_key
from tests import make
from tests.phone.phone import Phone
from tests.phone.test_offline_import import raw_export

pytestmark = pytest.mark.django_db


@pytest.fixture
def engineer() -> Engineer:
    return make.engineer()


def key_of_day(engineer: Engineer) -> str:
    key: str = Phone(engineer).json("/phone/day.json")["export_key"]
    return key


def choose_new_password(*, user: User, by: User) -> None:
    issued = sign_in_links.issue(user=user, by=by)
    sign_in_links.use(secret=issued.secret, password="another horse battery")


def change_own_password(*, user: User, by: User) -> None:
    browser = Client()
    browser.force_login(user, "engineers.permissions.RoleBackend")
    passwords = {"new_password1": "another horse battery", "new_password2": "another horse battery"}
    browser.post("/password/", {"old_password": make.PASSWORD, **passwords})
    user.refresh_from_db()
    assert user.check_password("another horse battery")


def test_key_is_the_engineer_s_own_and_comes_with_the_day(engineer: Engineer) -> None:
    mine, other = key_of_day(engineer), key_of_day(make.engineer())

    assert mine == signing_key(engineer) != other
    assert len(mine) == 64


@pytest.mark.parametrize(
    "end_access",
    [
        *(devices.sign_out_everywhere, staff.suspend),
        *(second_factor.reset, choose_new_password, change_own_password),
    ],
    ids=["signed out everywhere", "suspended", "telephone lost", "password by a link", "own password"],
)
def test_file_signed_before_every_sign_in_ended_counts_as_unsigned(
    engineer: Engineer, end_access: Callable[..., object]
) -> None:
    before, of_another = raw_export(engineer, []), raw_export(make.engineer(), [])
    assert read_export(before).is_signed

    end_access(user=engineer.user, by=make.dispatcher(role=Role.SUPERVISOR))

    assert (read_export(before).is_signed, read_export(of_another).is_signed) == (False, True)
    engineer.refresh_from_db()
    assert read_export(raw_export(engineer, [])).is_signed


def test_phone_that_signs_in_again_gets_the_new_key(engineer: Engineer) -> None:
    before = Phone(engineer).client.get("/phone/day.json")

    devices.sign_out_everywhere(user=engineer.user, by=engineer.user)

    seen = {"If-None-Match": before.headers["ETag"]}
    after = Phone(engineer).client.get("/phone/day.json", headers=seen)
    engineer.refresh_from_db()
    assert after.json()["export_key"] == signing_key(engineer) != before.json()["export_key"]


@pytest.mark.parametrize("end_access", [second_factor.reset, choose_new_password, change_own_password])
def test_no_notice_reaches_a_phone_whose_access_has_ended(
    engineer: Engineer, end_access: Callable[..., object]
) -> None:
    for each in (engineer, make.engineer()):
        PushSubscription.objects.create(
            engineer=each, endpoint=f"https://push.example/{each.pk}", subscribed_at=timezone.now()
        )

    end_access(user=engineer.user, by=make.dispatcher(role=Role.SUPERVISOR))

    assert not engineer.push_subscriptions.exists()
    assert PushSubscription.objects.count() == 1


def test_phone_that_has_the_day_gets_the_new_key(engineer: Engineer) -> None:
    client = Phone(engineer).client
    first = client.get("/phone/day.json")
    Engineer.objects.filter(pk=engineer.pk).update(export_key_number=F("export_key_number") + 1)

    again = client.get("/phone/day.json", headers={"if-none-match": first["ETag"]})

    assert again.status_code == 200
