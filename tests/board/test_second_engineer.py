"""The second engineer of a visit that is under way, changed on the job's page."""

import pytest
import time_machine

from dispatch.models import Visit
from dispatch.states import JobState
from tests import make
from tests.board.office import press, signed_in, submit

pytestmark = pytest.mark.django_db


@time_machine.travel(make.at("08:30"), tick=False)
def test_page_of_a_job_under_way_changes_the_companion_alone() -> None:
    job = make.job(at_state=JobState.ON_SITE, to=make.engineer(name="Erin Engineer"))
    sam, client = make.engineer(name="Sam Second"), signed_in()
    page = client.get(f"/board/jobs/{job.provider_job_id}/").content.decode()
    assert f'action="/board/jobs/{job.provider_job_id}/second-engineer/"' in page

    answer = submit(client, job, "second-engineer", second_engineer=sam.staff_number)

    assert answer.status_code == 302
    assert Visit.objects.get().second_engineer == sam
    page = client.get(f"/board/jobs/{job.provider_job_id}/").content.decode()
    assert f'<option value="{sam.staff_number}" selected>Sam Second</option>' in page
    assert press(client, job, "second-engineer", second_engineer="").json() == {"ok": True}
    assert Visit.objects.get().second_engineer is None


@time_machine.travel(make.at("08:30"), tick=False)
def test_refusal_that_a_reason_overrides_asks_for_it_at_the_same_address() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    late, client = make.engineer(name="Lee Late", starts="12:00"), signed_in()

    refused = submit(client, job, "second-engineer", second_engineer=late.staff_number)

    assert refused.status_code == 409
    page = refused.content.decode()
    assert (
        f'<form method="post" action="/board/jobs/{job.provider_job_id}/second-engineer/" class="panel">'
        in page
    )
    submit(client, job, "second-engineer", second_engineer=late.staff_number, override_reason="Early")
    assert Visit.objects.get().second_engineer == late
