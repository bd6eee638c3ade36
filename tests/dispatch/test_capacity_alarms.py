"""Warnings before the day: raised once for what nobody has time for, cleared when somebody has."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import translation
from pytest_django import Settings

from background.tasks import SCHEDULES
from board.alarms.alarm_presenter import alarm_line
from dispatch.capacity.tasks import watch_capacity
from dispatch.models import Job
from engineers.models import Area, ShiftException
from monitoring import alarms
from monitoring.models import Alarm, AlarmKind
from monitoring.task_queue import REGISTERED
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("day_before")]
AFTERNOON = ("13:00", "18:00")


@pytest.fixture
def north() -> Area:
    return Area.objects.create(name="Leeds North", postcodes="LS6")


def open_texts() -> list[str]:
    return [str(alarms.text_of(alarm)) for alarm in alarms.open_alarms().order_by("pk")]


def test_missing_skill_warns_once_and_is_cleared(north: Area) -> None:
    engineer = make.engineer(skills=("team-of-two",))
    engineer.area = north
    engineer.save()
    make.job(flags=("CHP",), window=AFTERNOON)

    watch_capacity()
    watch_capacity()

    assert open_texts() == [
        "Afternoon, Mon 23 Nov, Leeds North: 1 job needs “Cherry picker”, and nobody with this skill has time "
        "(2 h 20)."
    ]
    assert Alarm.objects.get().subject == f"2026-11-23:afternoon:{north.pk}:cherry-picker"
    picker = make.engineer()
    picker.area = north
    picker.save()
    watch_capacity()
    assert open_texts() == []
    assert Alarm.objects.count() == 1


def test_each_area_half_day_and_skill_warns_for_its_own_jobs(north: Area) -> None:
    for window in (("08:00", "13:00"), AFTERNOON, AFTERNOON):
        make.job(window=window)
    make.job(window=AFTERNOON, flags=("MDU",))

    watch_capacity()

    assert open_texts() == [
        "Morning, Mon 23 Nov, Leeds North: nobody has time for 1 job (2 h 20).",
        "Afternoon, Mon 23 Nov, Leeds North: nobody has time for 2 jobs (4 h 40).",
        "Afternoon, Mon 23 Nov, Leeds North: 1 job needs “Multi-dwelling units”, and nobody with this skill has "
        "time (2 h 50).",
    ]


def test_what_grows_keeps_its_alarm_and_its_owner(north: Area) -> None:
    make.job()
    watch_capacity()
    alarms.acknowledge_alarm(Alarm.objects.get(), owner_id=make.dispatcher().pk)

    make.job()
    watch_capacity()

    assert open_texts() == ["Morning, Mon 23 Nov, Leeds North: nobody has time for 2 jobs (4 h 40)."]
    assert Alarm.objects.get().acknowledged_at is not None


def test_only_coming_days_and_large_shortages_warn(settings: Settings, north: Area) -> None:
    make.job(day=make.DAY)
    make.job(day=make.DAY + timedelta(days=1), duration_minutes=30)
    make.job(day=make.DAY + timedelta(days=7))

    watch_capacity()
    assert [text.partition(",")[2][:11] for text in open_texts()] == [" Mon 23 Nov"]

    settings.CAPACITY_WARNING_DAYS, settings.CAPACITY_WARNING_MINUTES = 8, 50
    watch_capacity()
    assert len(open_texts()) == 3

    settings.CAPACITY_WARNING_DAYS = 0
    watch_capacity()
    assert open_texts() == []


def test_alarm_is_over_when_its_day_has_come(north: Area) -> None:
    make.job()
    watch_capacity()

    with time_machine.travel(make.at("00:10")):
        watch_capacity()

    assert open_texts() == []


def test_job_outside_all_areas_warns_only_where_an_engineer_has_none(north: Area) -> None:
    engineer = make.engineer()
    engineer.area = north
    engineer.save()
    Job.objects.filter(pk=make.job().pk).update(postcode="HG1 1AA")
    watch_capacity()
    assert open_texts() == []

    other = make.engineer()
    ShiftException.objects.create(engineer=other, day=make.DAY)
    watch_capacity()
    assert open_texts() == ["Morning, Mon 23 Nov, No area: nobody has time for 1 job (2 h 20)."]


def test_line_says_what_to_do_and_leads_to_the_jobs(north: Area) -> None:
    make.job(flags=("CHP",), window=AFTERNOON)
    watch_capacity()
    alarm = alarms.open_alarms().get(kind=AlarmKind.CAPACITY_SHORT)

    with translation.override("de"):
        german = alarm_line(alarm)

    assert (german.subject, german.title) == ("", "Zu wenig Zeit in den nächsten Tagen")
    assert german.text.startswith("Nachmittag, Mo 23. Nov, Leeds North: 1 Auftrag braucht „Hubsteiger“")
    assert [link.url for link in alarm_line(alarm).links] == [
        "/board/open-day/?day=2026-11-23&span=afternoon&area=Leeds+North&skill=cherry-picker",
        "/board/plans/capacity/",
    ]
    assert "Add a shift" in alarm_line(alarm).what_to_do


def test_worker_looks_every_ten_minutes() -> None:
    function, _kind, minutes = SCHEDULES["watch_capacity"]

    assert minutes == 10
    assert function in REGISTERED
