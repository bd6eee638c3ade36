"""Web push against a service that opens what it gets: who is notified, of what, once, and by whose signature."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django_q.models import OrmQ
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from config.environment import new_vapid_key
from dispatch import jobs, visits
from dispatch import notes as dispatch_notes
from dispatch.models import Job
from dispatch.states import JobState
from engineers import push, push_delivery, staff
from engineers.models import Engineer, PushSubscription
from phone import notifications, push_tasks
from tests import make
from tests.phone.phone import Phone
from tests.servers import push_service
from tests.servers.push_service import Browser, Service


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    settings.VAPID_PRIVATE_KEY, settings.PUSH_HOSTS = new_vapid_key(), ["127.0.0.1"]
    with push_service.running() as found:
        yield found


@pytest.fixture
def phone(db: None, service: Service) -> Phone:
    return Phone(make.engineer(name="Erin First"))


def tell(phone: Phone, verb: str, body: Any) -> Any:
    return getattr(phone.client, verb)("/phone/push", json.dumps(body), "application/json")


def subscribed(phone: Phone, service: Service, name: str = "one") -> Browser:
    browser = Browser(f"{service.url}/{name}")
    assert tell(phone, "post", browser.subscription()).json() == {"subscribed": True}
    return browser


def work() -> None:
    """What a worker would do now."""
    for row in OrmQ.objects.order_by("pk"):
        if row.task["func"] == notifications.SEND_TASK:
            push_tasks.send_push(*row.task["args"])
        row.delete()


def notices(browser: Browser, service: Service) -> list[tuple[str, str]]:
    received = [browser.read(body) for _headers, body in service.got]
    return [(notice["title"], notice["url"]) for notice in received]


def assigned(engineer: Engineer) -> Job:
    return make.job(at_state=JobState.ASSIGNED, to=engineer)


def test_new_changed_and_lost_jobs_are_notified(
    phone: Phone, service: Service, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    browser = subscribed(phone, service)
    with django_capture_on_commit_callbacks(execute=True):
        job = assigned(phone.engineer)
        assert not OrmQ.objects.exists()
    work()
    with django_capture_on_commit_callbacks(execute=True):
        visits.assign(job=job, engineer=phone.engineer, starts_at=make.at("10:00"), by=make.office())
    work()
    with django_capture_on_commit_callbacks(execute=True):
        visits.unassign(job=job, by=make.office())
        second = assigned(phone.engineer)
    work()
    with django_capture_on_commit_callbacks(execute=True):
        jobs.cancel_job(job=second, reason="Customer changed their mind")
    work()

    first_url, second_url = f"/phone/jobs/{job}/", f"/phone/jobs/{second}/"
    assert notices(browser, service) == [
        ("New job", first_url),
        ("Visit rescheduled", first_url),
        ("Job unassigned", first_url),
        ("New job", second_url),
        ("Job cancelled", second_url),
    ]


def test_notice_speaks_the_engineer_s_language(
    phone: Phone, service: Service, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    browser = subscribed(phone, service)
    staff.choose_language(user=phone.engineer.user, language="de")
    with django_capture_on_commit_callbacks(execute=True):
        job = assigned(phone.engineer)
    work()

    assert notices(browser, service) == [("Neuer Auftrag", f"/phone/jobs/{job}/")]


def test_handover_is_notified_to_both(
    phone: Phone, service: Service, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer)
    other = Phone(make.engineer(name="Sam Second"))
    browsers = {
        "Erin First": subscribed(phone, service, "one"),
        "Sam Second": subscribed(other, service, "two"),
    }
    with django_capture_on_commit_callbacks(execute=True):
        visits.assign(job=job, engineer=other.engineer, starts_at=make.at("10:00"), by=make.office())
    work()

    titles = {}
    for _headers, body in service.got:
        for who, browser in browsers.items():
            try:
                titles[who] = browser.read(body)["title"]
            except Exception:
                # sealed for the other one
                continue
    assert titles == {"Erin First": "Job reassigned", "Sam Second": "Job handed over to you"}


@pytest.mark.parametrize(("is_for_engineer", "titles"), [(True, ["Note from the office"]), (False, [])])
def test_note_is_notified_where_it_is_for_the_engineer(
    phone: Phone,
    service: Service,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    is_for_engineer: bool,
    titles: list[str],
) -> None:
    browser, job = subscribed(phone, service), assigned(phone.engineer)
    with django_capture_on_commit_callbacks(execute=True):
        dispatch_notes.add_note(
            job=job, note_id=uuid4(), text="Dog", by=make.office(), is_for_engineer=is_for_engineer
        )
    work()

    assert [title for title, _path in notices(browser, service)] == titles


def test_notice_is_signed_short_and_names_no_one(phone: Phone, service: Service) -> None:
    browser = subscribed(phone, service)
    event = assigned(phone.engineer).events.last()
    # of another year, a date carries its year
    with time_machine.travel(make.at("06:00")):
        push_tasks.send_push(PushSubscription.objects.get().pk, event.pk)

    (headers, body) = service.got[0]
    claims = push_service.signed_claims(headers["authorization"])
    assert claims["key"] == push.public_key() == phone.json("/phone/push")["public_key"]
    assert claims["aud"] == service.url.removesuffix("/push")
    assert (headers["content-encoding"], headers["urgency"]) == ("aes128gcm", "high")
    assert browser.read(body)["body"] == "LS6 3AB · Installation · Mon 23 Nov 08:00"
    assert b"LS6" not in body


@pytest.mark.parametrize("status", [404, 410])
def test_subscription_that_ended_is_forgotten(phone: Phone, service: Service, status: int) -> None:
    subscribed(phone, service)
    event = assigned(phone.engineer).events.last()
    service.answers = [status]
    push_tasks.send_push(PushSubscription.objects.get().pk, event.pk)

    assert not PushSubscription.objects.exists()


@pytest.mark.parametrize("status", [302, 429, 500])
def test_notice_that_was_not_taken_is_tried_again(phone: Phone, service: Service, status: int) -> None:
    subscribed(phone, service)
    event = assigned(phone.engineer).events.last()
    service.answers = [status]
    with pytest.raises(push_delivery.NotSent):
        push_tasks.send_push(PushSubscription.objects.get().pk, event.pk)

    assert (PushSubscription.objects.count(), len(service.got)) == (1, 1)


def test_notice_that_is_retried_does_not_replace_a_newer_one(
    phone: Phone, service: Service, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    browser = subscribed(phone, service)
    job = assigned(phone.engineer)
    assignment = job.events.last()
    with django_capture_on_commit_callbacks(execute=True):
        jobs.cancel_job(job=job, reason="Customer changed their mind")
    work()
    push_tasks.send_push(PushSubscription.objects.get().pk, assignment.pk)

    assert [title for title, _url in notices(browser, service)] == ["Job cancelled"]


def test_notice_to_who_lost_the_job_is_not_held_back_by_the_next_engineer_s(
    phone: Phone, service: Service, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    """What happens to the job later is nothing that this engineer is notified of."""
    browser, job = subscribed(phone, service), assigned(phone.engineer)
    with django_capture_on_commit_callbacks(execute=True):
        visits.unassign(job=job, by=make.office())
        visits.assign(job=job, engineer=make.engineer(), starts_at=make.at("10:00"), by=make.office())
        jobs.cancel_job(job=job, reason="Customer changed their mind")
    work()

    assert [title for title, _url in notices(browser, service)] == ["Job unassigned"]


def test_event_that_nobody_is_notified_of_holds_back_no_notice(phone: Phone, service: Service) -> None:
    browser, job = subscribed(phone, service), assigned(phone.engineer)
    assignment = job.events.last()
    dispatch_notes.add_note(job=job, note_id=uuid4(), text="Dog", by=make.office(), is_for_engineer=False)

    push_tasks.send_push(PushSubscription.objects.get().pk, assignment.pk)

    assert [title for title, _url in notices(browser, service)] == ["New job"]


@pytest.mark.parametrize(("seconds", "number"), [(-60, 1), (60, 0)])
def test_notice_that_is_too_old_to_be_of_use_is_not_sent(
    phone: Phone, service: Service, seconds: int, number: int
) -> None:
    """After the worker was down for a night, the phone is not flooded."""
    subscribed(phone, service)
    event = assigned(phone.engineer).events.last()
    age = timedelta(seconds=push_delivery.TTL_SECONDS + seconds)
    with time_machine.travel(event.recorded_at + age):
        push_tasks.send_push(PushSubscription.objects.get().pk, event.pk)

    assert len(service.got) == number


def test_phone_with_a_new_owner_notifies_only_the_new_owner(phone: Phone, service: Service) -> None:
    browser = subscribed(phone, service)
    other = Phone(make.engineer(name="Sam Second"))
    tell(other, "post", browser.subscription())

    assert PushSubscription.objects.get().engineer == other.engineer


def test_unsubscribing_ends_only_one_s_own(phone: Phone, service: Service) -> None:
    browser = subscribed(phone, service)
    tell(Phone(make.engineer()), "delete", {"endpoint": browser.endpoint})
    assert PushSubscription.objects.count() == 1

    assert tell(phone, "delete", {"endpoint": browser.endpoint}).json() == {"subscribed": False}
    assert PushSubscription.objects.count() == 0


@pytest.mark.parametrize(
    ("endpoint", "where"),
    [
        ("https://evil.example.org/push", "endpoint"),
        ("https://127.0.0.1@evil.example.org/push", "endpoint"),
        ("file://127.0.0.1/etc/passwd", "endpoint"),
        ("https://[", "endpoint"),
        ("", "endpoint"),
        ("http://127.0.0.1/" + "x" * 1000, "endpoint"),
        # more bytes than PostgreSQL has room for in an index
        ("http://127.0.0.1/" + "".join(map(chr, range(0x4E00, 0x4E00 + 980))), "endpoint"),
    ],
)
def test_notices_go_to_push_services_only(phone: Phone, endpoint: str, where: str) -> None:
    answer = tell(phone, "post", Browser(endpoint).subscription())

    assert (answer.status_code, answer.json()["where"]) == (400, where)


@pytest.mark.parametrize(
    "keys", [None, {}, {"p256dh": "abc", "auth": "abc"}, {"p256dh": "é", "auth": "!"}, "x"]
)
def test_subscription_without_keys_is_refused(phone: Phone, service: Service, keys: object) -> None:
    answer = tell(phone, "post", {"endpoint": f"{service.url}/x", "keys": keys})

    assert (answer.status_code, answer.json()["where"]) == (400, "keys")


def test_hosts_below_a_dot_are_known(phone: Phone, settings: Settings) -> None:
    settings.PUSH_HOSTS = [".notify.windows.com"]
    hosts = ("wns2-db5p.notify.windows.com", "notify.windows.com.evil.example.org", "evilnotify.windows.com")
    answers = [tell(phone, "post", Browser(f"https://{host}/w").subscription()).status_code for host in hosts]

    assert answers == [200, 400, 400]


def test_production_speaks_https_only(phone: Phone, service: Service, settings: Settings) -> None:
    settings.PLAIN_HTTP = False

    assert tell(phone, "post", Browser(f"{service.url}/x").subscription()).status_code == 400


def test_without_a_key_nobody_is_notified(
    phone: Phone,
    service: Service,
    settings: Settings,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    subscribed(phone, service)
    settings.VAPID_PRIVATE_KEY = ""
    with django_capture_on_commit_callbacks(execute=True):
        assigned(phone.engineer)

    assert (phone.json("/phone/push")["public_key"], OrmQ.objects.count()) == ("", 0)


def test_one_engineer_has_ten_phones_at_most(phone: Phone, service: Service) -> None:
    for number in range(12):
        subscribed(phone, service, str(number))

    endpoints = PushSubscription.objects.order_by("pk").values_list("endpoint", flat=True)
    assert [endpoint.rpartition("/")[2] for endpoint in endpoints] == [str(number) for number in range(2, 12)]
