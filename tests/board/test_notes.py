"""Notes and calls on a job: appended once, seen by the office, and by the engineer where marked."""

import uuid

import pytest

from dispatch import retention
from dispatch.models import Job
from dispatch.states import EventKind, JobState
from phone.change_notices import list_notices
from seller_link.models import OutboundMessage
from tests import make
from tests.board.office import JSON, signed_in

pytestmark = pytest.mark.django_db


def add(job: Job, text: str = "Key at number 14", **fields: str) -> int:
    form = {"note_id": str(uuid.uuid4()), "text": text, **fields}
    return signed_in().post(f"/board/jobs/{job.provider_job_id}/notes/", form, headers=JSON).status_code


def notes_of(job: Job) -> list[tuple[str, str, bool]]:
    page = signed_in().get(f"/board/jobs/{job.provider_job_id}/").context["page"]
    return [(line.caller, line.text, line.is_for_engineer) for line in page.notes.lines]


@pytest.mark.parametrize("state", [JobState.RECEIVED, JobState.ON_SITE, JobState.CLOSED, JobState.CANCELLED])
def test_note_is_added_in_every_state_and_the_seller_hears_nothing(state: JobState) -> None:
    job = make.job(at_state=state)
    sent = OutboundMessage.objects.count()

    assert add(job, caller="Ms Okafor") == 200

    assert notes_of(job) == [("Ms Okafor", "Key at number 14", False)]
    assert (Job.objects.get(pk=job.pk).state, OutboundMessage.objects.count()) == (state, sent)


def test_newest_note_comes_first_and_the_same_press_twice_is_one() -> None:
    job, note_id = make.job(), str(uuid.uuid4())
    for _ in range(2):
        add(job, "First", note_id=note_id)
    add(job, "Second")

    assert [text for _caller, text, _marked in notes_of(job)] == ["Second", "First"]


def test_engineer_sees_what_is_marked_only() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    add(job, "Customer was rude")
    add(job, "Ring twice", is_for_engineer="1")

    visit = job.visits.get()
    notices = list_notices(visit, reader=visit.engineer)

    assert [notice["words"] for notice in notices if notice["rule"] == "note"] == [
        "Note from the office: Ring twice"
    ]


@pytest.mark.parametrize("fields", [{"text": " "}, {"note_id": "x"}, {"text": "x" * 2001}])
def test_note_without_a_right_text_is_refused(fields: dict[str, str]) -> None:
    job = make.job()

    assert add(job, **fields) == 400
    assert not job.events.filter(kind=EventKind.NOTE_ADDED).exists()


def test_texts_of_notes_are_personal_data() -> None:
    assert {"note", "caller"} <= retention.PERSONAL_FACTS
