"""What is written into a job after it was anonymised goes in its own time."""

import uuid
from datetime import timedelta

import pytest
import time_machine

from background import erasure, personal_data
from dispatch import job_events, notes
from dispatch.models import Job
from dispatch.states import EventKind, JobState
from seller_link.models import OutboundMessage, OutboundState
from tests import make
from tests.background.test_personal_data_everywhere import left

pytestmark = pytest.mark.django_db(transaction=True)
TEXTS = ("planted-note", "planted-caller", "planted-late-answer")
# after the retention of the pack
LATER = make.at("09:00") + timedelta(days=500)


def write_again(job: Job) -> None:
    """A note of a telephone call, and what a phone has sent too late."""
    by = make.office()
    notes.add_note(job=job, note_id=uuid.uuid4(), text="planted-note", caller="planted-caller", by=by)
    facts = {"body": {"value": "planted-late-answer"}}
    late = {"by": by, "what": "answered", "occurred_at": make.at("09:00"), "facts": facts}
    make.act(job_events.record_late, job=job, **late)


def purged_job() -> Job:
    with time_machine.travel(make.at("09:00"), tick=False):
        job = make.job(at_state=JobState.CLOSED)
    OutboundMessage.objects.update(state=OutboundState.SENT)
    personal_data.purge(LATER)
    return Job.objects.get(pk=job.pk)


def test_event_of_an_anonymised_job_is_purged_in_its_own_time() -> None:
    with time_machine.travel(LATER, tick=False):
        job = purged_job()
        write_again(job)

    early = personal_data.purge(LATER + timedelta(days=399))
    found = {text for _table, text in left(TEXTS)}
    counts = personal_data.purge(LATER + timedelta(days=401))

    assert (early["later events of jobs"], found) == (0, set(TEXTS))
    assert (counts["later events of jobs"], left(TEXTS)) == (1, [])
    again = Job.objects.get()
    assert (again.anonymised_at, again.written_again_at) == (job.anonymised_at, None)
    assert job.events.filter(kind=EventKind.NOTE_ADDED).exists()
    assert set(personal_data.purge(LATER + timedelta(days=4000)).values()) == {0}


def test_event_of_an_anonymised_job_is_erased_on_request() -> None:
    with time_machine.travel(LATER, tick=False):
        job = purged_job()
        write_again(job)

    counts = erasure.erase_customer(str(job))

    assert (counts["job packs"], left(TEXTS)) == (1, [])


def test_later_event_stays_until_the_seller_has_the_messages_of_the_job() -> None:
    with time_machine.travel(LATER, tick=False):
        job = purged_job()
        write_again(job)
    OutboundMessage.objects.update(state=OutboundState.HELD)
    assert OutboundMessage.objects.filter(job=job).exists()

    counts = personal_data.purge(LATER + timedelta(days=401))

    assert counts["later events of jobs"] == 0
