"""Notes and calls on a job: appended once, seen by the office, and by the engineer where marked."""

import uuid

import pytest

from dispatch import retention
from dispatch.models import Job
from dispatch.plan_changes.plan_versions import UNASSIGNED
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


@pytest.mark.parametrize(
    "state", [JobState.UNASSIGNED, JobState.ON_SITE, JobState.CLOSED, JobState.CANCELLED]
)
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


def test_panel_of_the_board_has_the_newest_notes_and_their_form() -> None:
    job = make.job()
    for number in range(5):
        add(job, f"Call {number}")

    answer = signed_in().get(f"/board/?day={make.DAY}&job={job.provider_job_id}")

    notes, page = answer.context["page"].panel.notes, answer.content.decode()
    assert [line.text for line in notes.newest] == ["Call 4", "Call 3", "Call 2"]
    assert "2 earlier notes" in page
    assert f'data-in-place action="/board/jobs/{job.provider_job_id}/notes/"' in page


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


@pytest.mark.parametrize(
    ("address", "fields", "name", "sentence", "button"),
    [
        (
            "notes/",
            {"note_id": str(uuid.uuid4()), "fault_party": ""},
            "text",
            "The note can have at most 2000 characters. This one has 2007.",
            "Add note",
        ),
        (
            "close/",
            {"version": UNASSIGNED, "code": "NTR"},
            "remarks",
            "The remarks can have at most 2000 characters. These have 2007.",
            "Close job",
        ),
    ],
)
def test_text_that_is_too_long_is_still_there_after_the_refusal(
    address: str, fields: dict[str, str], name: str, sentence: str, button: str
) -> None:
    """Nothing of a pasted text is cut off unseen."""
    job, client, typed = make.job(), signed_in(), "x" * 2000 + " & more"
    own = f"/board/jobs/{job.provider_job_id}/"
    assert 'maxlength="2000"' not in client.get(own).content.decode()

    answer = client.post(f"{own}{address}", {**fields, name: typed})

    html = answer.content.decode()
    correction = answer.context["page"].correction
    assert (answer.status_code, sentence in html) == (400, True)
    assert f">{'x' * 2000} &amp; more</textarea>" in html
    assert (name, typed, True) in [(text.name, text.value, text.is_wrong) for text in correction.texts]
    again = {**dict(correction.others), name: "Shorter"}
    assert (correction.url, dict(correction.others), correction.button) == (f"{own}{address}", fields, button)
    assert client.post(correction.url, again).status_code == 302


def test_texts_of_notes_are_personal_data() -> None:
    assert {"note", "caller"} <= retention.PERSONAL_FACTS
