"""An account that is suspended at the moment of an assignment (PostgreSQL)."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from demo.environment import wait_until
from dispatch import visits
from dispatch.availability import NotBookable
from dispatch.models import Visit
from engineers import staff
from tests import make
from tests.together import is_somebody_waiting_for_us

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.postgresql,
    pytest.mark.skipif(
        "connection.vendor != 'postgresql'", reason="SQLite's writers come one after the other"
    ),
]


def test_assignment_that_waited_for_a_suspension_is_refused() -> None:
    job, engineer = make.job(), make.engineer()

    def assign() -> object:
        try:
            return visits.assign(job=job, engineer=engineer, starts_at=make.at("09:00"), by=make.office())
        except NotBookable as refusal:
            return [problem.code for problem in refusal.problems]
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            staff.suspend(user=engineer.user, by=None)
            assigning = pool.submit(assign)
            assert wait_until(is_somebody_waiting_for_us, seconds=10)

        assert assigning.result() == ["engineer_suspended"]
    assert not Visit.objects.exists()
