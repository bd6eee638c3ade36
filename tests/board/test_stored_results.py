"""A provisioning result of any time, as version 51662c8 stored them: each page opens, and the watch goes on."""

from datetime import datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dispatch import attention
from dispatch.states import EventKind, JobState
from tests import make
from tests.board.office import signed_in
from tests.phone.phone import Phone
from tests.rolled_back import rolled_back
from tests.seller_link.legal_packs import moments

pytestmark = pytest.mark.django_db


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(result_id=st.sampled_from([1, 3, 4, 4, 4]), occurred_at=moments)
def test_every_stored_result_opens_everywhere(result_id: int, occurred_at: datetime) -> None:
    with rolled_back():
        job = make.job(at_state=JobState.ON_SITE)
        make.scan(job)
        make.result(job, result_id)
        job.results.update(occurred_at=occurred_at)
        job.events.filter(kind=EventKind.ONT_PROVISIONED).update(occurred_at=occurred_at)
        phone, office = Phone(job.visits.get().engineer), signed_in()

        attention.watch_provisioning()

        assert phone.client.get(f"/phone/jobs/{job}/version.json").status_code == 200
        assert phone.json("/phone/day.json")["broken"] == []
        for path in ("/board/", f"/board/?job={job}", f"/board/jobs/{job}/"):
            answer = office.get(path)
            assert (answer.status_code, "be displayed" in answer.content.decode()) == (200, False)
