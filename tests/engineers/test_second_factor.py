"""The office's second factor: asked of those who have one, of everybody in the office when it is required."""

import re
from base64 import b32decode
from datetime import timedelta

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone
from django_otp.oath import totp
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice
from pytest_django import Settings

from engineers.models import AuditEntry, Role, User
from engineers.sign_in import second_factor
from tests import make
from tests.engineers.test_admin import signed_in

pytestmark = pytest.mark.django_db
PAGE = "/second-factor/"
STEP = timedelta(seconds=30)


@pytest.fixture
def dana() -> User:
    return make.dispatcher(username="dana")


@pytest.fixture
def required(settings: Settings) -> None:
    settings.REQUIRE_SECOND_FACTOR = True


def sign_in(user: User) -> Client:
    client = Client()
    client.post("/login/", {"username": user.username, "password": make.PASSWORD})
    return client


def enter(client: Client, code: object, wanted: str = "/board/") -> HttpResponse:
    return client.post(PAGE, {"code": str(code), "next": wanted})


def code_of(user: User) -> str:
    return f"{totp(TOTPDevice.objects.get(user=user).bin_key):06}"


def set_up(user: User) -> tuple[Client, list[str]]:
    """A session with its second factor, and the recovery codes."""
    client = sign_in(user)
    client.get(PAGE)
    page = enter(client, code_of(user)).content.decode()
    return client, re.findall(r'<li class="code">(\w+)</li>', page)


def wrong_code(user: User) -> str:
    return f"{(int(code_of(user)) + 1) % 1_000_000:06}"


def test_without_the_setting_nobody_is_asked(dana: User) -> None:
    assert sign_in(dana).get("/board/").status_code == 200


def test_office_sets_it_up_before_anything_else(dana: User, required: None) -> None:
    client = sign_in(dana)
    assert client.get("/board/").headers["Location"] == "/second-factor/?next=/board/"

    page = client.get("/second-factor/?next=/board/").content.decode()
    key = re.search(r'id="key">([A-Z2-7 ]+)<', page)
    assert key
    assert "data:image/svg+xml" in page
    assert 'value="/board/"' in page
    code = totp(b32decode(key.group(1).replace(" ", "")))
    answer = enter(client, f"{code:06}")

    assert len(re.findall(r'<li class="code">\w{8}</li>', answer.content.decode())) == 10
    assert client.get("/board/").status_code == 200
    assert AuditEntry.objects.filter(action="second_factor_set_up", actor=dana).exists()


def test_wrong_code_sets_nothing_up(dana: User, required: None) -> None:
    client = sign_in(dana)
    client.get(PAGE)

    assert enter(client, wrong_code(dana)).status_code == 400
    assert client.get("/board/").status_code == 302
    assert not TOTPDevice.objects.filter(confirmed=True).exists()


def test_admin_is_closed_without_it(required: None) -> None:
    supervisor = make.dispatcher(username="ruth", role=Role.SUPERVISOR)

    assert sign_in(supervisor).get("/admin/", follow=True).redirect_chain[-1][0].startswith(PAGE)
    assert set_up(supervisor)[0].get("/admin/").status_code == 200


def test_signing_in_leads_straight_to_the_code(dana: User) -> None:
    set_up(dana)
    form = {"username": dana.username, "password": make.PASSWORD, "next": "/board/messages/"}

    assert Client().post("/login/", form).headers["Location"] == f"{PAGE}?next=/board/messages/"


def test_program_is_refused_when_nobody_is_signed_in(dana: User, required: None) -> None:
    assert sign_in(dana).get("/board/", headers={"Accept": "application/json"}).status_code == 401


def test_engineers_are_not_asked(required: None) -> None:
    assert sign_in(make.engineer().user).get("/phone/").status_code == 200


def test_two_tabs_set_up_one_authenticator(dana: User, required: None) -> None:
    client = sign_in(dana)
    first = TOTPDevice.objects.create(user=dana, confirmed=False)
    TOTPDevice.objects.create(user=dana, confirmed=False)

    assert client.get(PAGE).status_code == 200
    assert enter(client, f"{totp(first.bin_key):06}").status_code == 200
    assert client.get("/board/").status_code == 200


def test_dispatcher_who_becomes_an_engineer_is_not_shut_out(dana: User) -> None:
    _client, codes = set_up(dana)
    engineer = make.engineer(username="erin")
    TOTPDevice.objects.update(user=engineer.user)
    StaticDevice.objects.update(user=engineer.user)

    phone = sign_in(engineer.user)
    assert phone.get("/phone/").headers["Location"].startswith(PAGE)
    # the application of the phone, whose pages do not ask the server
    assert phone.get("/login/?next=/phone/").headers["Location"] == f"{PAGE}?next=/phone/"
    response = phone.get("/phone/day.json", headers={"Accept": "application/json"})
    assert (response.status_code, response.json()["address"]) == (401, PAGE)
    assert enter(phone, codes[0], "/phone/").headers["Location"] == "/phone/"
    assert phone.get("/phone/").status_code == 200


def test_who_has_one_is_asked_at_every_sign_in_though_it_is_not_required(dana: User) -> None:
    set_up(dana)
    with time_machine.travel(timezone.now() + STEP):
        client = sign_in(dana)
        assert client.get("/board/").status_code == 302
        # with a password alone it is not replaced, and the password is not changed
        assert client.get("/password/").headers["Location"].startswith(PAGE)
        assert client.post("/second-factor/replace/").status_code == 302
        assert client.post("/second-factor/codes/").status_code == 302
        assert 'id="key"' not in client.get(PAGE).content.decode()

        assert enter(client, code_of(dana)).headers["Location"] == "/board/"
        assert client.get("/board/").status_code == 200


def test_code_counts_once(dana: User) -> None:
    set_up(dana)
    with time_machine.travel(timezone.now() + STEP):
        code = code_of(dana)
        assert enter(sign_in(dana), code).status_code == 302

        assert enter(sign_in(dana), code).status_code == 400


def test_wrong_codes_cost_more_and_more_time(dana: User) -> None:
    set_up(dana)
    start = timezone.now() + STEP
    with time_machine.travel(start, tick=False) as clock:
        client = sign_in(dana)
        for _number in range(4):
            enter(client, wrong_code(dana))
            clock.shift(timedelta(seconds=_number * 2 + 1))
        answer = enter(client, wrong_code(dana))
        assert "You can enter the next code at" in answer.content.decode()
        # the right one, too soon
        assert enter(client, code_of(dana)).status_code == 400

        clock.shift(timedelta(minutes=5))
        assert enter(client, code_of(dana)).status_code == 302


def test_recovery_code_signs_in_once(dana: User) -> None:
    _client, codes = set_up(dana)

    assert enter(sign_in(dana), codes[0].upper()).headers["Location"] == "/board/"
    assert enter(sign_in(dana), codes[0]).status_code == 400
    assert AuditEntry.objects.filter(action="recovery_code_used", actor=dana).count() == 1


def test_new_recovery_codes_end_the_old_ones(dana: User) -> None:
    client, old = set_up(dana)
    page = client.post("/second-factor/codes/").content.decode()
    new = re.findall(r'<li class="code">(\w+)</li>', page)

    assert not set(old) & set(new)
    assert enter(sign_in(dana), old[0]).status_code == 400
    assert "10 recovery codes are left" in client.get(PAGE).content.decode()


def test_telephone_is_replaced(dana: User) -> None:
    client, _codes = set_up(dana)

    client.post("/second-factor/replace/")

    assert client.get("/board/").headers["Location"].startswith("/login/")
    assert sign_in(dana).get("/board/").status_code == 200


def test_supervisor_resets_it(dana: User, required: None) -> None:
    ruth = make.dispatcher(username="ruth", role=Role.SUPERVISOR)
    client, _codes = set_up(dana)
    office, _more = set_up(ruth)

    office.post(f"/board/people/accounts/{dana.pk}/second-factor/")

    assert client.get("/board/").headers["Location"].startswith("/login/")
    assert 'id="key"' in sign_in(dana).get(PAGE).content.decode()
    line = AuditEntry.objects.get(action="second_factor_reset")
    assert (line.actor, line.subject) == (ruth, "dana")


def test_supervisor_resets_an_engineers(required: None) -> None:
    erin, ruth = make.engineer(), make.dispatcher(username="ruth", role=Role.SUPERVISOR)
    page = f"/board/people/{erin.pk}/"
    phone, _codes = set_up(erin.user)
    office, _more = set_up(ruth)
    assert f"{page}second-factor/" in office.get(page).content.decode()

    office.post(f"{page}second-factor/")

    assert phone.get("/phone/").headers["Location"].startswith("/login/")
    assert sign_in(erin.user).get("/phone/").status_code == 200
    assert AuditEntry.objects.get(action="second_factor_reset").subject == erin.user.username
    assert f"{page}second-factor/" not in office.get(page).content.decode()


def test_supervisor_cannot_reset_a_superuser(dana: User) -> None:
    root = User.objects.create_superuser("root", password=make.PASSWORD)
    set_up(root)
    ruth = signed_in(make.dispatcher(username="ruth", role=Role.SUPERVISOR))

    ruth.post(f"/board/people/accounts/{root.pk}/second-factor/")

    assert TOTPDevice.objects.filter(user=root, confirmed=True).exists()


def test_code_that_is_checked_while_it_is_reset_signs_nobody_in(dana: User, rf: RequestFactory) -> None:
    set_up(dana)
    request = rf.get("/")
    request.user, request.session = dana, sign_in(dana).session
    device = TOTPDevice.objects.get(user=dana)
    second_factor.reset(user=dana, by=dana)

    assert not second_factor.complete(request, device)

    assert Session.objects.count() == 0


def test_command_resets_it(dana: User) -> None:
    set_up(dana)

    call_command("reset_second_factor", "dana")

    assert not TOTPDevice.objects.exists()


def test_next_page_is_one_of_ours(dana: User) -> None:
    _client, codes = set_up(dana)

    assert enter(sign_in(dana), codes[0], "https://elsewhere.example/").headers["Location"] == "/"
