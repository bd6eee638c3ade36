"""What the file about one person holds besides what test_personal_data_everywhere.py plants."""

import pytest

from background import personal_data_export
from board.models import SavedFilter
from dispatch.line_checks import LineReading, record_line_check
from dispatch.models import Job, LinePart
from engineers.models import LastSync
from tests import make

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
