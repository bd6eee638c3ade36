"""The page of alarm contacts: a supervisor sets it up, sends a test and sees what was not delivered."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from alerting import contact_records, delivery_tasks, escalation
from alerting.alarm_rules import load_urgencies
from alerting.contact_records import ContactGone
from alerting.models import AlarmContact, AlarmDelivery, Channel
from background import personal_data
from engineers.models import AuditEntry, Role
from monitoring.models import AlarmKind, Urgency
from tests import make
from tests.alerting.contacts import contact, disk_full, set_up
from tests.board.office import signed_in
from tests.servers import mailbox, webhook_receiver

pytestmark = pytest.mark.django_db
PATH = "/board/alarms/contacts/"


@pytest.fixture
def supervisor(settings: Settings) -> Client:
    set_up(settings, mail_port=25)
    client = Client()
    client.force_login(make.dispatcher(role=Role.SUPERVISOR))
    return client


def entered(**changes: Any) -> dict[str, Any]:
    return {
        "name": "Anna",
        "channel": "mail",
        "address": "anna@example.org",
        "level": 1,
        "topic": "all",
        "language": "en-gb",
        "on_call_days": [0, 1, 2, 3, 4, 5, 6],
        "on_call_starts": "",
        "on_call_ends": "",
        **changes,
    }


def version_of(client: Client, form: str) -> dict[str, str]:
    """What the page sends back with this form, so that it takes back no change of a colleague."""
    html = client.get(PATH).content.decode()
    found = re.search(f'name="version" value="([0-9a-f]+)" id="{form}-version"', html)
    assert found
    return {"version": found[1]}


def test_supervisor_adds_changes_and_deletes_a_contact(supervisor: Client) -> None:
    supervisor.post(f"{PATH}new/", entered())
    added = AlarmContact.objects.get()
    changes = entered(level=2, on_call_starts="20:00", on_call_ends="08:00", on_call_days=[5, 6])
    supervisor.post(f"{PATH}{added.pk}/", changes | version_of(supervisor, f"contact-{added.pk}"))

    html = supervisor.get(PATH).content.decode()
    assert "Level 2 · E-mail: anna@example.org" in html
    assert "On call: Saturday, Sunday 20:00–08:00" in html
    supervisor.post(f"{PATH}{added.pk}/delete/")
    assert not AlarmContact.objects.exists()
    actions = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
    assert list(actions)[-3:] == ["alarm_contact_added", "alarm_contact_changed", "alarm_contact_deleted"]
    assert "anna@example.org" not in str(list(AuditEntry.objects.values()))


def test_phone_number_is_kept_as_it_is_dialled(supervisor: Client, settings: Settings) -> None:
    set_up(settings, mail_port=25, sms_url="https://sms.example.org/send")
    supervisor.post(f"{PATH}new/", entered(channel="sms", address="+44 (0)7700 900123"))

    assert AlarmContact.objects.get().address == "+447700900123"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"address": "anna"}, "Enter an e-mail address"),
        ({"channel": "sms", "address": "anna"}, "Enter a phone number"),
        ({"channel": "webhook", "address": "ftp://127.0.0.1/"}, "Enter an address that begins with https://"),
        ({"channel": "webhook", "address": "https://me:key@127.0.0.1/"}, "without a user name"),
        ({"channel": "webhook", "address": "http://169.254.169.254/latest"}, "set ALARM_WEBHOOK_HOSTS"),
        ({"channel": "sms", "address": "+44 113 496 0111"}, "set SMS_GATEWAY_URL"),
        ({"on_call_starts": "08:00"}, "Enter both times, or neither"),
        ({"on_call_days": []}, "This field is required"),
        ({"level": 9}, "Select a valid choice"),
        ({"name": ""}, "This field is required"),
    ],
)
def test_wrong_entry_is_named(supervisor: Client, changes: dict[str, Any], text: str) -> None:
    answer = supervisor.post(f"{PATH}new/", entered(**changes))

    assert answer.status_code == 400
    assert text in answer.content.decode()
    assert not AlarmContact.objects.exists()


def test_wrong_change_comes_back_in_its_own_form(supervisor: Client) -> None:
    known = contact()

    answer = supervisor.post(f"{PATH}{known.pk}/", entered(address="no address"))

    assert answer.status_code == 400
    html = answer.content.decode()
    assert html.count("no address") == 1
    assert f'id="contact-{known.pk}-address"' in html


def test_test_is_sent_by_the_worker_and_its_failure_is_shown(supervisor: Client, settings: Settings) -> None:
    with webhook_receiver.running() as receiver:
        pager = contact("pager", channel=Channel.WEBHOOK, address=receiver.url)
        receiver.answers = [200, 403]
        for _ in range(2):
            supervisor.post(f"{PATH}{pager.pk}/test/")
            delivery_tasks.send_deliveries()

    assert [b'"is_test": true' in body for _headers, body in receiver.got] == [True, True]
    html = supervisor.get(PATH).content.decode()
    assert "Test of an alarm contact" in html
    assert "HTTP status 403" in html
    assert html.count('badge-alarm">Failed') == 1
    assert html.count('badge-good">Delivered') == 1


def test_mail_that_a_server_took_is_sent_and_not_delivered(supervisor: Client, settings: Settings) -> None:
    with mailbox.running() as mails:
        set_up(settings, mail_port=mails.port)
        supervisor.post(f"{PATH}{contact().pk}/test/")
        delivery_tasks.send_deliveries()

    html = supervisor.get(PATH).content.decode()
    assert html.count('badge-good">Sent') == 1
    assert "Delivered" not in html


def test_hours_are_saved(supervisor: Client) -> None:
    hours = {
        "office_days": [0, 5],
        "office_starts": "07:00",
        "office_ends": "20:30",
        "escalation_minutes": 30,
    }
    supervisor.post(f"{PATH}hours/", hours | version_of(supervisor, "plan"))

    assert "Office hours: Monday, Saturday, 07:00–20:30." in supervisor.get(PATH).content.decode()
    assert supervisor.post(f"{PATH}hours/", {**hours, "escalation_minutes": 1}).status_code == 400
    assert escalation.load_plan().escalation_minutes == 30


def entered_kinds(**changes: str) -> dict[str, str]:
    return {**{str(kind): str(urgency) for kind, urgency in load_urgencies().items()}, **changes}


def test_kinds_are_saved_and_audited(supervisor: Client) -> None:
    urgencies = {**load_urgencies(), AlarmKind.JOB_LATE: Urgency.ANY_HOUR}
    supervisor.post(f"{PATH}kinds/", entered_kinds(job_late="any_hour") | version_of(supervisor, "kind"))

    assert load_urgencies() == urgencies
    entry = AuditEntry.objects.get(action="alarm_rules_changed")
    assert (entry.before, entry.after) == ({"job_late": "board_only"}, {"job_late": "any_hour"})
    assert supervisor.post(f"{PATH}kinds/", {"job_late": "at noon"}).status_code == 400


def test_older_page_takes_back_no_change_of_a_contact(supervisor: Client) -> None:
    known = contact()
    seen = version_of(supervisor, f"contact-{known.pk}")
    supervisor.post(f"{PATH}{known.pk}/", entered(address="new@example.org") | seen)

    answer = supervisor.post(f"{PATH}{known.pk}/", entered(name="Anna Typed") | seen)

    known.refresh_from_db()
    assert (answer.status_code, known.name, known.address) == (409, "Anna", "new@example.org")
    html = answer.content.decode()
    assert "Somebody changed this contact after you opened the form. Open it again." in html
    assert 'value="Anna Typed"' in html
    assert AuditEntry.objects.filter(action="alarm_contact_changed").count() == 1
    # the same form twice is no change of a colleague
    again = supervisor.post(f"{PATH}{known.pk}/", entered(address="new@example.org") | seen)
    assert again.status_code == 302


def test_older_page_takes_back_no_office_hours(supervisor: Client) -> None:
    hours = {"office_days": [0], "office_starts": "07:00", "office_ends": "20:30", "escalation_minutes": 30}
    seen = version_of(supervisor, "plan")
    supervisor.post(f"{PATH}hours/", hours | seen)

    answer = supervisor.post(f"{PATH}hours/", {**hours, "office_starts": "09:17", **seen})

    assert answer.status_code == 409
    assert "Somebody changed the office hours" in answer.content.decode()
    assert "09:17" in answer.content.decode()
    assert escalation.load_plan().office_starts.hour == 7


def test_older_page_takes_back_no_kind_of_alarm(supervisor: Client) -> None:
    seen = version_of(supervisor, "kind")
    older = entered_kinds(backup_overdue="any_hour")
    supervisor.post(f"{PATH}kinds/", entered_kinds(job_late="any_hour") | seen)

    answer = supervisor.post(f"{PATH}kinds/", older | seen)

    assert answer.status_code == 409
    assert "Somebody changed these hours" in answer.content.decode()
    assert load_urgencies()["job_late"] == Urgency.ANY_HOUR
    assert load_urgencies()["backup_overdue"] == Urgency.OFFICE_HOURS


def test_deleted_contact_is_not_added_again_by_an_older_page(supervisor: Client) -> None:
    known = contact()
    seen = version_of(supervisor, f"contact-{known.pk}")
    supervisor.post(f"{PATH}{known.pk}/delete/")

    answer = supervisor.post(f"{PATH}{known.pk}/", entered(name="Anna Typed") | seen)

    assert answer.status_code == 409
    html = answer.content.decode()
    assert "Somebody deleted this contact after you opened the form." in html
    assert html.count('value="Anna Typed"') == 1
    assert not AlarmContact.objects.exists()


def test_contact_deleted_while_it_is_saved_makes_no_row() -> None:
    known, by = contact(), make.dispatcher(role=Role.SUPERVISOR)
    seen = contact_records.contact_version(known)
    AlarmContact.objects.all().delete()

    with pytest.raises(ContactGone):
        contact_records.change_contact(pk=known.pk, changes={"name": "Anna B"}, seen=seen, by=by)

    assert not AlarmContact.objects.exists()


def test_dispatcher_reads_and_changes_nothing() -> None:
    known = contact()
    office = signed_in()

    html = office.get(PATH).content.decode()
    assert "anna@example.org" in html
    assert "<form" not in html.partition("<main")[2]
    assert office.post(f"{PATH}{known.pk}/delete/").status_code == 403


def test_page_is_linked_from_the_attention_list() -> None:
    assert f'href="{PATH}"' in signed_in().get("/board/alarms/").content.decode()


def test_deliveries_end_with_the_retention_of_logs(settings: Settings) -> None:
    contact()
    disk_full()
    escalation.create_due_deliveries()

    personal_data.purge(timezone.now())
    assert AlarmDelivery.objects.count() == 1
    personal_data.purge(timezone.now() + timedelta(days=settings.RETENTION_LOG_DAYS + 1))
    assert AlarmDelivery.objects.count() == 0
