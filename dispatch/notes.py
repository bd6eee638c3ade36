"""Notes on a job: what was agreed on the telephone, or what the engineer should know. Appended, never changed."""

from uuid import UUID

from django.db import transaction

from dispatch import job_events
from dispatch.job_events import Performer
from dispatch.models import Job
from dispatch.states import EventKind


@transaction.atomic
def add_note(
    *,
    job: Job,
    note_id: UUID,
    text: str,
    by: Performer,
    caller: str = "",
    is_for_engineer: bool = False,
    fault_party: str = "",
) -> bool:
    """`caller`: who was on the telephone; empty for a note without a call. `is_for_engineer`: the phone shows it.
    `fault_party`: on whose side the appointment fails, if it does (closures.fault_signs). The same `note_id` twice is
    one note: False the second time. In every state of the job."""
    job = job_events.lock_job(job)
    notes = job.events.filter(kind=EventKind.NOTE_ADDED)
    if notes.filter(facts__note_id=str(note_id)).exists():
        return False
    facts = {"note_id": str(note_id), "note": text, "caller": caller, "is_for_engineer": is_for_engineer}
    if fault_party:
        facts["fault_party"] = fault_party
    job_events.record_event(job=job, kind=EventKind.NOTE_ADDED, by=by, facts=facts)
    return True
