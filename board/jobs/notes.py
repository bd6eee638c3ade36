"""The form for notes and calls, on a job's page and in its panel."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from board.jobs.actions import dispatcher_of, run_form
from board.jobs.corrections import CorrectableForm
from closures.fault_signs import NOTED_CAUSES
from dispatch import notes
from dispatch.models import Job
from engineers.models import Right
from engineers.permissions import for_right


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


@for_right(Right.CHANGE_JOBS)
@require_POST
def add_note(request: HttpRequest, job_id: str) -> HttpResponse:
    """Add a note: fields `text`, `note_id`, and optional `caller`, `is_for_engineer` and `fault_party`."""

    def act(job: Job, data: dict[str, Any]) -> str:
        notes.add_note(job=job, by=dispatcher_of(request), **data)
        return _("Note saved.")

    return run_form(request, job_id, NoteForm, act)
