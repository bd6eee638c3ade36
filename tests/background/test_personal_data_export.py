"""What the file about one person holds besides what test_personal_data_everywhere.py plants."""

import pytest

from background import erasure, personal_data_export
from board.models import SavedFilter
from closures.models import Photo
from dispatch import jobs
from dispatch.line_checks import LineReading, record_line_check
from dispatch.models import Job, JobEvent, LinePart
from dispatch.states import EventKind, JobState
from engineers.models import Engineer, LastSync
from seller_link.models import OutboundMessage, OutboundState
from tests import make
from tests.background.test_personal_data_everywhere import left
from tests.phone.phone import Phone

pytestmark = pytest.mark.django_db


def test_export_of_a_customer_holds_the_tests_of_the_line() -> None:
    job = make.job()
    reading = LineReading(code="CFH001", result="planted-result", ont=LinePart("down"))
    record_line_check(job=job, reading=reading, by=make.office(), checked_at=make.now())

    export = personal_data_export.export_customer(Job.objects.filter(pk=job.pk))

    assert [row["result"] for row in export.data["LineCheck"]] == ["planted-result"]


def test_export_of_an_engineer_holds_filters_and_the_last_contact() -> None:
    engineer = make.engineer()
    SavedFilter.objects.create(user=engineer.user, page="board", name="planted-filter")
    LastSync.objects.create(engineer=engineer, synced_at=make.now())

    data = personal_data_export.export_engineer(engineer).data

    assert data["saved_filters"][0]["name"] == "planted-filter"
    assert len(data["last_sync"]) == 1


LATITUDE, LONGITUDE = 53.8123456, -1.5612345
WHERE = {"latitude": LATITUDE, "longitude": LONGITUDE, "accuracy_metres": 7.5}


def with_positions() -> Engineer:
    """En route, on site, too late, and on a photo."""
    phone = Phone(make.engineer())
    job = make.job(at_state=JobState.ASSIGNED, to=phone.engineer)
    for kind in ("en_route", "on_site"):
        assert phone.say(kind, job, {"position": WHERE})["outcome"] == "applied"
    Photo.objects.filter(pk=make.photo(job, question_code="PHO01").pk).update(by=phone.engineer, **WHERE)
    make.answer_all(job, code="RNA/NA")
    make.close(job, "RNA/NA")
    cancelled = make.job(at_state=JobState.ASSIGNED, to=phone.engineer, window=("13:00", "18:00"))
    jobs.cancel_job(job=cancelled, reason="Customer changed their mind")
    assert phone.say("en_route", cancelled, {"position": WHERE})["outcome"] == "late"
    OutboundMessage.objects.update(state=OutboundState.SENT)
    return phone.engineer


def test_export_of_an_engineer_holds_the_positions_of_events_and_photos() -> None:
    data = personal_data_export.export_engineer(with_positions()).data

    placed = [row["kind"] for row in data["job_events"] if row["latitude"] == LATITUDE]
    assert placed == [EventKind.EN_ROUTE, EventKind.ON_SITE, EventKind.REPORTED_LATE]
    assert [(row["latitude"], row["longitude"]) for row in data["photos"]] == [(LATITUDE, LONGITUDE)]


def test_erasure_leaves_no_position_of_an_engineer() -> None:
    engineer = with_positions()
    assert {table for table, _text in left((str(LATITUDE),))} >= {"dispatch_jobevent", "closures_photo"}

    erasure.erase_engineer(engineer.staff_number)

    assert left((str(LATITUDE), str(LONGITUDE))) == []
    assert JobEvent.objects.filter(kind=EventKind.ON_SITE).count() == 1
