"""Notes and calls on a job's page: the list, newest first, and the form."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from board import formatting
from board.jobs.actions import dispatcher_of, run_form
from board.jobs.corrections import CorrectableForm
from closures.fault_signs import NOTED_CAUSES
from dispatch import notes
from dispatch.models import Job, JobEvent
from dispatch.states import EventKind
from engineers.models import Right
from engineers.permissions import for_right

CAUSE_LABELS = {value: label for value, label in NOTED_CAUSES if value}


@dataclass(frozen=True)
class NoteLine:
    text: str
    caller: str
    by: str
    at: str
    is_for_engineer: bool
    cause: str


@dataclass(frozen=True)
class NotesView:
    """`note_id` of the form: a second press of the same page adds nothing."""

    lines: list[NoteLine]
    note_id: str

    causes = NOTED_CAUSES


class NoteForm(CorrectableForm):
    note_id = forms.UUIDField()
    text = forms.CharField(
        label=gettext_lazy("Note"),
        max_length=2000,
        error_messages={
            "required": gettext_lazy("Enter the note."),
            "max_length": gettext_lazy(
                "The note can have at most %(limit_value)d characters. This one has %(show_value)d."
            ),
        },
    )
    caller = forms.CharField(
        label=gettext_lazy("Who called"),
        required=False,
        max_length=120,
        error_messages={
            "max_length": gettext_lazy(
                "The name of who called can have at most %(limit_value)d characters. This one has %(show_value)d."
            )
        },
    )
    is_for_engineer = forms.BooleanField(required=False)
    fault_party = forms.ChoiceField(required=False, choices=NOTED_CAUSES)
    button_text = gettext_lazy("Add note")


def notes_view(events: Iterable[JobEvent]) -> NotesView:
    lines = [_line(event) for event in events if event.kind == EventKind.NOTE_ADDED]
    return NotesView(lines[::-1], str(uuid.uuid4()))


def _line(event: JobEvent) -> NoteLine:
    return NoteLine(
        # an anonymised job has no texts any more
        text=event.facts.get("note", ""),
        caller=event.facts.get("caller", ""),
        by=event.user.display_name if event.user else "",
        at=formatting.format_exact_moment(event.recorded_at),
        is_for_engineer=bool(event.facts.get("is_for_engineer")),
        cause=str(CAUSE_LABELS.get(event.facts.get("fault_party", ""), "")),
    )


@for_right(Right.CHANGE_JOBS)
@require_POST
def add_note(request: HttpRequest, job_id: str) -> HttpResponse:
    """Add a note: fields `text`, `note_id`, and optional `caller`, `is_for_engineer` and `fault_party`."""

    def act(job: Job, data: dict[str, Any]) -> str:
        notes.add_note(job=job, by=dispatcher_of(request), **data)
        return _("Note saved.")

    return run_form(request, job_id, NoteForm, act)
