"""The office's page of messages to customers: what was sent to whom, why not, and what can be sent again."""

import uuid

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from customer_messages.models import CustomerMessage
from customer_messages.office_page import PAGE_SIZE
from dispatch import jobs
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Area, AreaLimit, AuditEntry, Role
from tests import make
from tests.board.test_people import client_of
from tests.customer_messages.test_messages import set_off, texts, work
from tests.customer_messages.ways import set_up_ways
from tests.servers.webhook_receiver import Receiver

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/board/customer-messages/"


@pytest.fixture
def dana() -> Client:
    return client_of(make.dispatcher(username="dana"))


def failed(gateway: Receiver, clock: str = "08:31") -> CustomerMessage:
    """Without a number that can be used."""
    job = set_off()
    Job.objects.filter(pk=job.pk).update(contact_phone="ask at the desk")
    work(clock)
    Job.objects.filter(pk=job.pk).update(contact_phone="07700 900456")
    return CustomerMessage.objects.get(job=job)


def page_at(client: Client, clock: str, query: str = "") -> str:
    with time_machine.travel(make.at(clock)):
        answer = client.get(f"{PATH}{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def press_resend(client: Client, message: CustomerMessage, clock: str) -> int:
    with time_machine.travel(make.at(clock)):
        return client.post(f"{PATH}{message.pk}/resend/").status_code


def test_page_says_what_was_sent_to_whom_and_the_look_is_audited(gateway: Receiver, dana: Client) -> None:
    job = set_off()
    work("08:31")
    html = page_at(dana, "08:40")

    assert "07700900456" in html and "Engineer on the way" in html and 'badge-good">Sent<' in html
    assert f'href="/board/jobs/{job}/"' in html
    # what arrived is not sent again
    assert "/resend/" not in html
    with time_machine.travel(make.at("08:41")):
        assert f"{PATH}?job={job}" in dana.get(f"/board/jobs/{job}/").content.decode()
    look = AuditEntry.objects.get(action="customer_messages_viewed")
    assert (look.actor.username, look.subject) == ("dana", "all jobs")


def test_empty_page_says_why(settings: Settings, dana: Client) -> None:
    html = page_at(dana, "08:40")
    assert "Messages to customers are switched off." in html
    assert "No messages to customers yet." in html
    set_up_ways(settings, "sms", sms_url="http://127.0.0.1:9/")

    assert "switched off" not in page_at(dana, "08:40")
    assert "Remove a filter" in page_at(dana, "08:40", "?job=J-0000-0000")


def test_failed_message_says_why_and_is_sent_again_once(gateway: Receiver, dana: Client) -> None:
    message = failed(gateway)
    html = page_at(dana, "08:40")
    assert "The job pack has no usable mobile number" in html
    assert f"{PATH}{message.pk}/resend/" in html

    assert press_resend(dana, message, "08:40") == 302
    assert press_resend(dana, message, "08:40") == 302
    work("08:41")

    assert len(texts(gateway)) == 1
    assert list(CustomerMessage.objects.order_by("pk").values_list("state", flat=True)) == ["failed", "sent"]
    assert "Sent again as a new message." in page_at(dana, "08:42")
    (entry,) = AuditEntry.objects.filter(action="customer_message_resent")
    assert (entry.subject, entry.after) == (str(message.job), {"kind": "on_the_way"})


def test_message_that_is_not_true_any_more_is_not_sent_again(gateway: Receiver, dana: Client) -> None:
    message = failed(gateway)
    with time_machine.travel(make.at("08:45")):
        jobs.cancel_job(job=message.job, reason="Customer changed their mind")

    assert "/resend/" not in page_at(dana, "08:50")
    press_resend(dana, message, "08:50")
    assert "Not sent again" in page_at(dana, "08:50")
    work("08:51")
    assert (len(texts(gateway)), CustomerMessage.objects.count()) == (0, 1)


def test_message_of_the_day_is_not_sent_again_after_the_window_began(gateway: Receiver, dana: Client) -> None:
    with time_machine.travel(make.at("06:30")):
        job = make.job(at_state=JobState.ASSIGNED)
    Job.objects.filter(pk=job.pk).update(contact_phone="")
    work("07:00")
    Job.objects.filter(pk=job.pk).update(contact_phone="07700 900456")

    assert "/resend/" in page_at(dana, "07:30")
    assert "/resend/" not in page_at(dana, "08:01")


def test_who_may_see_and_who_may_resend(gateway: Receiver) -> None:
    message = failed(gateway)
    planner, auditor = (client_of(make.dispatcher(role=role)) for role in (Role.PLANNER, Role.AUDITOR))

    for client in (planner, auditor):
        assert client.get(PATH).status_code == 403
        assert press_resend(client, message, "08:40") == 403
    assert PATH not in planner.get(f"/board/jobs/{message.job}/").content.decode()
    assert CustomerMessage.objects.count() == 1


def test_dispatcher_of_another_area_neither_sees_nor_resends(gateway: Receiver) -> None:
    message = failed(gateway)
    Area.objects.create(name="Leeds", postcodes="LS")
    york = Area.objects.create(name="York", postcodes="YO")
    yara = make.dispatcher(username="yara")
    AreaLimit.objects.create(user=yara, area=york)
    client = client_of(yara)

    html = page_at(client, "08:40")
    assert str(message.job) not in html and "07700 " not in html
    assert press_resend(client, message, "08:40") == 404
    AreaLimit.objects.update(area=Area.objects.get(name="Leeds"))
    assert str(message.job) in page_at(client, "08:40")


def test_filter_pages_and_a_fixed_number_of_queries(gateway: Receiver, dana: Client) -> None:
    message = failed(gateway)
    row = {
        **{name: getattr(message, name) for name in ("job", "kind", "window_start", "created_at", "state")},
        **{name: getattr(message, name) for name in ("next_attempt_at", "expires_at")},
    }

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            page_at(dana, "08:40")
        return len(captured)

    page_at(dana, "08:40")
    few = queries()
    CustomerMessage.objects.bulk_create(
        CustomerMessage(key=f"more {number}", message_id=uuid.uuid4(), **row) for number in range(PAGE_SIZE)
    )

    assert queries() == few
    html = page_at(dana, "08:40")
    assert html.count("<time>") == PAGE_SIZE
    older = html.partition('rel="next" href="')[2].partition('"')[0]
    assert page_at(dana, "08:40", older).count("<time>") == 1
    assert page_at(dana, "08:40", f"?state=sent&job={message.job}").count("<time>") == 0
    assert (
        page_at(dana, "08:40", f"?state=failed&job={str(message.job).lower()}").count("<time>") == PAGE_SIZE
    )
