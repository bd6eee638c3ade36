"""A new password by mail: a link that works once, and nobody learns which accounts exist."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.conf import settings as configured
from django.core.cache import cache
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from django_q.models import OrmQ
from django_q.signing import SignedPackage
from pytest_django import Settings

from engineers.models import AuditEntry, Role, SignInLink, User
from engineers.sign_in.password_reset import send_password_links
from tests import make
from tests.engineers.test_sign_in_links import choose, issued_path
from tests.servers import mailbox
from tests.servers.mailbox import Mailbox

pytestmark = pytest.mark.django_db
PAGE = "/password/forgotten/"


@pytest.fixture
def mails(settings: Settings) -> Iterator[Mailbox]:
    cache.clear()
    with mailbox.running() as running:
        settings.MAIL_SERVER = running.server
        yield running


@pytest.fixture
def dana() -> User:
    user = make.dispatcher(username="dana")
    user.email = "dana@partner.example"
    user.save()
    return user


def ask(name: str, browser: Client | None = None) -> str:
    """The page that comes back; the worker does what was queued."""
    answer = (browser or Client()).post(PAGE, {"name": name})
    assert answer.status_code == 200
    for queued in OrmQ.objects.all():
        work = SignedPackage.loads(queued.payload)
        assert work["func"] == "engineers.sign_in.password_reset.send_password_links"
        send_password_links(*work["args"])
        queued.delete()
    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]+"', "", answer.content.decode())


def path_in(mails: Mailbox) -> str:
    text = str(mails.got[-1].get_content())
    found = re.search(rf"{re.escape(configured.PUBLIC_URL)}(/start/\S+/)", text)
    assert found
    return found.group(1)


def test_mailed_link_sets_the_password_once(mails: Mailbox, dana: User) -> None:
    ask("DANA@partner.example")

    (message,) = mails.got
    assert (message["To"], message["Subject"]) == (dana.email, "Choose a new password")
    assert "“dana”" in message.get_content()
    path = path_in(mails)
    assert choose(Client(), path) == 302
    assert choose(Client(), path) == 404
    dana.refresh_from_db()
    assert dana.check_password("another horse battery")
    actions = AuditEntry.objects.filter(subject="dana").values_list("action", flat=True)
    assert {"password_reset_requested", "sign_in_link_used"} <= set(actions)


def test_name_is_read_as_the_form_of_the_sign_in_reads_it(mails: Mailbox, dana: User) -> None:
    ask("ｄａｎａ")

    assert len(mails.got) == 1


def test_answer_is_the_same_whether_the_account_exists_or_not(mails: Mailbox, dana: User) -> None:
    make.dispatcher(username="without-address")
    suspended = make.dispatcher(username="gone")
    User.objects.filter(pk=suspended.pk).update(email="gone@partner.example", is_active=False)

    names = ["dana", "nobody", "without-address", "gone", "nobody@partner.example"]
    pages = {ask(name).replace(name, "") for name in names}

    assert len(pages) == 1
    assert [message["To"] for message in mails.got] == [dana.email]


def test_link_is_over_after_its_minutes(mails: Mailbox, dana: User) -> None:
    ask("dana")
    path = path_in(mails)
    assert Client().get(path).status_code == 200

    with time_machine.travel(timezone.now() + timedelta(minutes=31), tick=False):
        assert Client().get(path).status_code == 404


def test_few_mails_an_hour_go_to_one_person_and_few_requests_come_from_one_address(
    mails: Mailbox, dana: User, settings: Settings
) -> None:
    settings.RATE_LIMIT_SCALE = 1
    with time_machine.travel(timezone.now().replace(second=1), tick=False):
        for _number in range(5):
            ask("dana")
        refused = Client().post(PAGE, {"name": "dana"})

    assert len(mails.got) == 3
    assert (refused.status_code, "Too many requests." in refused.content.decode()) == (429, True)


def test_mails_that_the_server_does_not_take_are_none_of_the_few_in_an_hour(
    mails: Mailbox, dana: User, settings: Settings
) -> None:
    """The worker tries three times, and the person asks again."""
    settings.MAIL_SERVER = replace(configured.MAIL_SERVER, port=1)
    for _attempt in range(3):
        with pytest.raises(OSError, match="mail server"):
            send_password_links("dana")
    assert not SignInLink.objects.exists()

    settings.MAIL_SERVER = mails.server
    ask("dana")

    assert Client().get(path_in(mails)).status_code == 200


def test_mail_whose_answer_was_lost_is_sent_once_and_its_link_works(mails: Mailbox, dana: User) -> None:
    mails.answers = [""]

    send_password_links("dana")

    assert len(mails.got) == 1
    assert Client().get(path_in(mails)).status_code == 200


def test_address_that_is_refused_keeps_nobody_else_from_a_mail(mails: Mailbox, dana: User) -> None:
    """Two accounts have what was typed, one as its name, one as its address."""
    User.objects.filter(pk=make.dispatcher().pk).update(email=dana.email)
    User.objects.filter(pk=dana.pk).update(username=dana.email, email="gone@partner.example")
    mails.answers = ["550 No such user"]

    ask("dana@partner.example")

    assert [message["To"] for message in mails.got] == [dana.email]


@pytest.mark.django_db(transaction=True)
def test_request_that_cannot_be_queued_says_so(mails: Mailbox, dana: User) -> None:
    def full(execute: Any, sql: str, *more: Any) -> Any:
        if sql.startswith("INSERT") and "django_q_ormq" in sql:
            raise OperationalError
        return execute(sql, *more)

    with connection.execute_wrapper(full):
        answer = Client().post(PAGE, {"name": "dana"})

    assert (answer.status_code, "Try again." in answer.content.decode()) == (503, True)


def test_request_of_anybody_ends_no_link_of_a_supervisor(mails: Mailbox, dana: User) -> None:
    path = issued_path(make.dispatcher(role=Role.SUPERVISOR), dana)

    ask("dana")
    assert Client().get(path).status_code == 200
    assert choose(Client(), path_in(mails)) == 302
    assert Client().get(path).status_code == 404
    assert SignInLink.objects.filter(user=dana, used_at=None).count() == 0


def test_page_is_there_only_with_a_mail_server(mails: Mailbox, settings: Settings) -> None:
    assert PAGE in Client().get("/login/").content.decode()

    settings.MAIL_SERVER = None
    assert Client().get(PAGE).status_code == 404
    assert "Ask your supervisor to reset it." in Client().get("/login/").content.decode()


def test_empty_name_is_refused(mails: Mailbox) -> None:
    answer = Client().post(PAGE, {"name": " "})

    assert (answer.status_code, "This field is required." in answer.content.decode()) == (400, True)


def test_own_sessions_are_listed_and_ended_everywhere(dana: User) -> None:
    here, there = Client(), Client()
    for browser in (here, there):
        browser.force_login(dana, "engineers.permissions.RoleBackend")
    other = Client()
    other.force_login(make.dispatcher(), "engineers.permissions.RoleBackend")

    page = here.get("/sessions/")
    assert len(page.context["page"].sessions) == 2
    assert here.post("/sessions/end/").headers["Location"] == "/login/"
    assert [browser.get("/board/").status_code for browser in (here, there, other)] == [302, 302, 200]
    entry = AuditEntry.objects.get(action="signed_out_everywhere")
    assert (entry.actor, entry.subject) == (dana, "dana")
