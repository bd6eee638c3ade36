"""An account that is suspended while somebody changes its engineer (PostgreSQL)."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.db import connection, transaction

from demo.environment import wait_until
from engineers import engineer_records, staff
from engineers.models import Engineer, Role
from tests import make
from tests.together import is_somebody_waiting_for_us

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.postgresql,
    pytest.mark.skipif(
        "connection.vendor != 'postgresql'", reason="SQLite's writers come one after the other"
    ),
]


def test_change_and_suspension_of_an_engineer_do_not_wait_for_each_other() -> None:
    engineer, by = make.engineer(), make.dispatcher(role=Role.SUPERVISOR)
    record = engineer_records.read_record(engineer)

    def change() -> None:
        try:
            engineer_records.update_engineer(
                engineer=engineer,
                record=replace(record, email="e@example.org"),
                version=record.version,
                by=by,
            )
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            engineer.user.is_active = False
            engineer.user.save(update_fields=["is_active"])
            changing = pool.submit(change)
            assert wait_until(is_somebody_waiting_for_us, seconds=10)
            staff.suspend(user=engineer.user, by=by)
        changing.result()

    stored = Engineer.objects.select_related("user").get(pk=engineer.pk)
    assert (stored.user.is_active, stored.user.email) == (False, "e@example.org")
