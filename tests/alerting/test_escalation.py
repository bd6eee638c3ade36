"""Who is notified of which alarm, at which hour, and how often: once for each level."""

from datetime import UTC, datetime, timedelta
from threading import Thread
from time import sleep

import pytest
from django.db import connection, transaction

from alerting import escalation
from alerting.alarm_rules import load_urgencies
from alerting.models import AlarmDelivery, AlarmNotice, AlarmRule, AlarmTopic, AlertingPlan, Channel
from monitoring.alarms import acknowledge_alarm, clear_alarm, raise_alarm, snooze_alarm
from monitoring.coded_texts import coded_text
from monitoring.models import Alarm, AlarmKind, Urgency
from tests import make
from tests.alerting.contacts import backup_missing, contact, disk_full, on_call

pytestmark = pytest.mark.django_db
# a Wednesday
NOON = datetime(2026, 11, 25, 12, tzinfo=UTC)
NIGHT = datetime(2026, 11, 25, 23, tzinfo=UTC)
SATURDAY = datetime(2026, 11, 28, 12, tzinfo=UTC)


def after(minutes: float, moment: datetime = NOON) -> datetime:
    return moment + timedelta(minutes=minutes)


def notified(now: datetime) -> list[str]:
    """Who gets a message in a run at this moment."""
    known = set(AlarmDelivery.objects.values_list("pk", flat=True))
    escalation.create_due_deliveries(now)
    rows = AlarmDelivery.objects.exclude(pk__in=known).order_by("pk")
    return list(rows.values_list("contact_name", flat=True))


def run(now: datetime | None = None) -> None:
    """In a thread."""
    try:
        escalation.create_due_deliveries(now)
    finally:
        connection.close()


def test_every_kind_has_an_urgency() -> None:
    assert set(load_urgencies()) == set(AlarmKind)


def test_without_contacts_nothing_is_created() -> None:
    disk_full()

    assert notified(NOON) == []
    assert not AlarmNotice.objects.exists()


def test_next_level_is_notified_when_nobody_acknowledges() -> None:
    contact("first")
    contact("second", level=2)
    contact("third", level=3)
    disk_full()

    runs = [0, 1, 14, 15, 16, 29, 30, 31, 600]
    assert [(minute, notified(after(minute))) for minute in runs] == [
        (0, ["first"]),
        (1, []),
        (14, []),
        (15, ["second"]),
        (16, []),
        (29, []),
        (30, ["third"]),
        (31, []),
        (600, []),
    ]


def test_clock_that_was_ahead_silences_no_alarm() -> None:
    contact("first")
    contact("second", level=2)
    disk_full()
    assert notified(after(60 * 24)) == ["first"]

    assert [notified(after(minute)) for minute in (0, 1)] == [["second"], []]
    clear_alarm(AlarmKind.DISK_FULL, "evidence")
    disk_full()
    assert [notified(after(minute)) for minute in (2, 15)] == [[], ["first"]]


def test_who_acknowledges_ends_the_escalation() -> None:
    contact("first")
    contact("second", level=2)
    alarm = disk_full()
    notified(NOON)
    acknowledge_alarm(alarm, owner_id=make.dispatcher().pk)

    assert notified(after(20)) == []


def test_snoozed_alarm_escalates_afterwards() -> None:
    contact("first")
    contact("second", level=2)
    alarm = disk_full()
    notified(NOON)
    snooze_alarm(alarm, owner_id=make.dispatcher().pk, until=after(30))

    assert (notified(after(20)), notified(after(31))) == ([], ["second"])


def test_urgent_alarm_is_sent_at_night_and_another_in_office_hours() -> None:
    contact("first")
    disk_full()
    assert notified(NIGHT) == ["first"]
    backup_missing()

    assert notified(after(60, NIGHT)) == []
    assert notified(SATURDAY) == []
    assert notified(datetime(2026, 11, 26, 7, 59, tzinfo=UTC)) == []
    assert notified(datetime(2026, 11, 26, 8, 0, tzinfo=UTC)) == ["first"]


def test_office_hours_are_local_time() -> None:
    contact("first")
    backup_missing()

    # summer time: 07:30 UTC is half past eight in London
    assert notified(datetime(2026, 7, 1, 6, 30, tzinfo=UTC)) == []
    assert notified(datetime(2026, 7, 1, 7, 30, tzinfo=UTC)) == ["first"]


def test_alarm_for_the_board_is_sent_when_a_supervisor_says_so() -> None:
    contact("first")
    raise_alarm(AlarmKind.CLOSURE_REVIEW, "1", coded_text("closure_review"))
    assert notified(NOON) == []

    AlarmRule.objects.create(kind=AlarmKind.CLOSURE_REVIEW, urgency=Urgency.ANY_HOUR)
    assert notified(after(1)) == ["first"]


def test_level_without_anybody_on_call_is_skipped() -> None:
    contact("day", **on_call("08:00", "20:00"))
    contact("night", level=2, **on_call("20:00", "08:00"))
    disk_full()

    assert notified(NIGHT) == ["night"]


@pytest.mark.parametrize(
    ("moment", "who"),
    [
        (datetime(2026, 11, 25, 19, 59, tzinfo=UTC), []),
        (datetime(2026, 11, 25, 20, 0, tzinfo=UTC), ["night"]),
        # begun on Wednesday, and Thursday is not one of the days
        (datetime(2026, 11, 26, 7, 59, tzinfo=UTC), ["night"]),
        (datetime(2026, 11, 26, 8, 0, tzinfo=UTC), []),
        (datetime(2026, 11, 26, 21, 0, tzinfo=UTC), []),
    ],
)
def test_hours_over_midnight_belong_to_the_day_they_begin_on(moment: datetime, who: list[str]) -> None:
    contact("night", on_call_days=[2], **on_call("20:00", "08:00"))
    disk_full()

    assert notified(moment) == who


def test_alarm_waits_for_somebody_on_call() -> None:
    contact("day", **on_call("08:00", "20:00"))
    disk_full()

    assert notified(NIGHT) == []
    assert notified(after(9 * 60, NIGHT)) == ["day"]


def test_contact_is_notified_of_its_topic_only() -> None:
    contact("operator", topic=AlarmTopic.SYSTEM)
    contact("office", topic=AlarmTopic.JOBS)
    disk_full()
    raise_alarm(AlarmKind.SITE_UNSAFE, "1", coded_text("site_unsafe"))

    notified(NOON)

    kinds = {
        row.contact_name: list(row.alarms.values_list("kind", flat=True))
        for row in AlarmDelivery.objects.all()
    }
    assert kinds == {"operator": [AlarmKind.DISK_FULL], "office": [AlarmKind.SITE_UNSAFE]}


def test_operator_learns_of_a_webhook_that_fails() -> None:
    """And not of a message that is not confirmed: its text names a customer's address."""
    contact("operator", topic=AlarmTopic.SYSTEM)
    raise_alarm(
        AlarmKind.WEBHOOK_FAILING, "1", coded_text("webhook_failing", name="CRM", reason="status 500")
    )
    raise_alarm(
        AlarmKind.MESSAGE_UNCONFIRMED,
        "12345678",
        coded_text("message_unconfirmed", address="1 Mill Lane", job="12345678", reason="status 302"),
    )

    notified(NOON)

    assert list(AlarmDelivery.objects.values_list("alarms__kind", flat=True)) == [AlarmKind.WEBHOOK_FAILING]
    assert "CRM can't be notified of jobs: status 500." in AlarmDelivery.objects.get().text.replace("’", "'")


def test_many_alarms_at_once_are_one_message() -> None:
    contact("first")
    for number in range(40):
        disk_full(f"disk {number}")

    assert notified(NOON) == ["first"]
    delivery = AlarmDelivery.objects.get()
    assert delivery.alarms.count() == 40
    assert delivery.title == "A disk is nearly full, and 39 more alarms"
    assert "10 more alarms are on the page." in delivery.text


def test_webhook_gets_every_alarm_of_many() -> None:
    contact("pager", channel=Channel.WEBHOOK)
    raised = [disk_full(f"disk {number}").pk for number in range(40)]
    notified(NOON)
    AlarmDelivery.objects.update(state="delivered")
    for number in range(40):
        clear_alarm(AlarmKind.DISK_FULL, f"disk {number}")
    escalation.create_due_deliveries()

    for event in ("alarm.raised", "alarm.cleared"):
        payload = AlarmDelivery.objects.get(event=event).payload
        assert [alarm["id"] for alarm in payload["alarms"]] == raised


def test_alarm_that_flaps_is_sent_once_in_a_while() -> None:
    contact("first")
    disk_full()
    runs = []
    for minute in range(0, 20, 2):
        runs += notified(after(minute))
        clear_alarm(AlarmKind.DISK_FULL, "evidence")
        disk_full()

    assert runs == ["first", "first"]


@pytest.mark.parametrize("kind", [AlarmKind.SITE_UNSAFE, AlarmKind.CHECK_IN_OVERDUE])
def test_danger_that_comes_again_is_sent_again(kind: AlarmKind) -> None:
    contact("first")
    contact("second", level=2)
    text = coded_text("disk_full", problem="-")
    raise_alarm(kind, "1", text)
    runs = notified(after(0)) + notified(after(1))
    clear_alarm(kind, "1")
    raise_alarm(kind, "1", text)

    assert runs == ["first"]
    assert notified(after(2)) == ["first"]
    assert notified(after(3)) == []
    assert notified(after(17)) == ["second"]


def test_more_alarms_need_no_more_queries(django_assert_max_num_queries: object) -> None:
    contact("first")
    for number in range(20):
        disk_full(f"disk {number}")

    with django_assert_max_num_queries(20):  # type: ignore[operator]
        escalation.create_due_deliveries(NOON)


def test_minutes_and_hours_are_those_of_the_plan() -> None:
    contact("first")
    contact("second", level=2)
    escalation.load_plan()
    AlertingPlan.objects.update(escalation_minutes=60, office_days=[5])
    backup_missing()

    assert notified(NOON) == []
    assert notified(SATURDAY) == ["first"]
    assert notified(after(59, SATURDAY)) == []
    assert notified(after(60, SATURDAY)) == ["second"]


@pytest.mark.django_db(transaction=True)
def test_two_runs_at_the_same_time_notify_once() -> None:
    contact("first")
    for number in range(5):
        disk_full(f"disk {number}")

    threads = [Thread(target=run, args=[NOON]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (AlarmNotice.objects.count(), AlarmDelivery.objects.count()) == (5, 1)


@pytest.mark.django_db(transaction=True)
def test_run_that_waited_for_another_takes_no_further_step() -> None:
    contact("first")
    contact("second", level=2)
    disk_full("disk")
    escalation.load_plan()
    waiting = Thread(target=run)
    with transaction.atomic():
        AlertingPlan.objects.select_for_update().get()
        waiting.start()
        sleep(0.5)
        escalation.create_due_deliveries()
    waiting.join()

    assert [*AlarmNotice.objects.values_list("level", flat=True)] == [1]


def test_message_about_a_job_names_nobody() -> None:
    contact("first")
    text = coded_text(
        "site_unsafe",
        engineer="Anna Fibre",
        question="Is the site safe?",
        answer="No",
        job="7",
        address="1 Mill Lane",
        phone="07700 900123",
        answered_at=NOON,
    )
    raise_alarm(AlarmKind.SITE_UNSAFE, "12345678", text)

    notified(NOON)

    delivery = AlarmDelivery.objects.get()
    written = f"{delivery.title} {delivery.text} {delivery.payload}"
    assert "12345678" in written
    assert [part for part in ("Anna", "Mill", "07700") if part in written] == []


def test_message_is_in_the_language_of_the_contact() -> None:
    contact("first", language="de")
    disk_full()

    notified(NOON)

    assert Alarm.objects.get().text == "disk_full"
    assert AlarmDelivery.objects.get().title == "Ein Datenträger ist fast voll"
