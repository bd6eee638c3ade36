"""What was typed is still there after a refusal, and nothing of it is cut off unseen."""

import uuid

import pytest

from dispatch.models import Job
from dispatch.plan_changes.plan_versions import UNASSIGNED
from dispatch.states import EventKind, JobState
from tests import make
from tests.board.office import press, signed_in, submit, version_of

pytestmark = pytest.mark.django_db

TOO_LONG = "The reason can have at most 200 characters. This one has 201."


def test_remarks_are_still_there_where_the_job_went_on_hold() -> None:
    job, client = make.job(), signed_in()
    press(signed_in(), job, "hold", reason="Gas smell")

    refused = submit(client, job, "close", code="NTR", remarks="Nobody answers <three calls>")

    correction = refused.context["page"].correction
    assert (refused.status_code, correction.texts[0].value) == (409, "Nobody answers <three calls>")
    assert "Nobody answers &lt;three calls&gt;</textarea>" in refused.content.decode()
    again = {**dict(correction.others), "remarks": correction.texts[0].value}
    assert client.post(correction.url, again).status_code == 302
    assert Job.objects.get(pk=job.pk).state == JobState.CLOSED


def test_reason_for_unassigning_is_still_there_where_the_plan_has_changed() -> None:
    job, client = make.job(at_state=JobState.ASSIGNED), signed_in()

    refused = submit(client, job, "unassign", version=UNASSIGNED, reason="The customer moved out")

    correction = refused.context["page"].correction
    assert (refused.status_code, correction.texts[0].value) == (409, "The customer moved out")
    assert dict(correction.others)["version"] == version_of(job)
    again = {**dict(correction.others), "reason": correction.texts[0].value}
    assert client.post(correction.url, again).status_code == 302
    assert job.events.get(kind=EventKind.UNASSIGNED).facts["reason"] == "The customer moved out"


def test_reason_of_a_hold_is_still_there_where_somebody_came_on_site() -> None:
    job = make.job(at_state=JobState.ON_SITE)

    refused = submit(signed_in(), job, "hold", reason="Wait for the key")

    assert refused.context["page"].correction.texts[0].value == "Wait for the key"


def test_refusal_of_a_form_without_a_text_offers_no_form() -> None:
    job = make.job(at_state=JobState.ASSIGNED)

    refused = submit(signed_in(), job, "unassign", version=UNASSIGNED)

    assert (refused.status_code, refused.context["page"].correction) == (409, None)


@pytest.mark.parametrize(
    ("action", "name", "sentence", "most"),
    [
        ("hold", "reason", TOO_LONG, 200),
        ("unassign", "reason", TOO_LONG, 200),
        ("assign", "override_reason", TOO_LONG, 200),
        ("second-engineer", "override_reason", TOO_LONG, 200),
        ("notes", "caller", "The name of who called can have at most 120 characters. This one has 121.", 120),
    ],
)
def test_short_text_that_is_too_long_is_refused_and_kept(
    action: str, name: str, sentence: str, most: int
) -> None:
    job, client, typed = make.job(at_state=JobState.ASSIGNED), signed_in(), "x" * (most + 1)
    planned = {"engineer": make.engineer().staff_number, "starts_at": make.at("09:00").isoformat()}
    note = {"note_id": str(uuid.uuid4()), "text": "Rang"}

    refused = submit(client, job, action, **planned, **note, **{name: typed})

    remaining = {text.name: text.value for text in refused.context["page"].correction.texts}
    assert (refused.status_code, remaining[name]) == (400, typed)
    assert sentence in refused.content.decode()


def test_no_form_of_the_job_page_cuts_a_text() -> None:
    job = make.job(at_state=JobState.ASSIGNED)

    page = signed_in().get(f"/board/jobs/{job.provider_job_id}/").content.decode()

    assert "maxlength" not in page
