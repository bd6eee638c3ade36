"""A form that was refused: shown again with what was typed, to be changed and sent once more."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.forms import CharField, Form
from django.http import HttpRequest
from django.utils.functional import Promise

from dispatch import visits
from dispatch.models import Job
from dispatch.plan_changes.plan_versions import plan_version

CSRF_FIELD = "csrfmiddlewaretoken"
# from so many characters on a text has more than one line
LONG_TEXT = 1000


@dataclass(frozen=True)
class TypedText:
    name: str
    label: str
    value: str
    is_wrong: bool
    is_long: bool


@dataclass(frozen=True)
class CorrectionChoice:
    """One box to tick."""

    name: str
    value: str
    text: str
    is_chosen: bool


@dataclass(frozen=True)
class Correction:
    """`texts` and `choices` to change, `others` as they were sent; `button` says what sending does."""

    url: str
    texts: list[TypedText]
    choices: list[CorrectionChoice]
    others: list[tuple[str, str]]
    button: str


class CorrectableForm(Form):
    """Its labelled texts are kept by a refusal."""

    button_text: str | Promise = ""

    def list_choices(self, job: Job) -> list[CorrectionChoice]:  # noqa: ARG002
        """What else can be changed before it is sent again: as it is now."""
        return []


def correction_of_values(request: HttpRequest, form: Form, job: Job) -> Correction | None:
    """After values that cannot be read; None where others than the labelled texts are wrong."""
    if not isinstance(form, CorrectableForm) or form.errors.keys() - {text.name for text in _texts(form)}:
        return None
    return _correction(request, form, job, fresh={})


def correction_of_refusal(request: HttpRequest, form: Form, job: Job) -> Correction | None:
    """After a refusal, whose page says what has changed: the form goes with what is there now. None where nothing
    was typed."""
    if not isinstance(form, CorrectableForm) or not any(text.value for text in _texts(form)):
        return None
    job.refresh_from_db()
    return _correction(request, form, job, fresh=_fresh_fields(job))


def _fresh_fields(job: Job) -> dict[str, str]:
    """What a form says that its page has shown."""
    return {
        "version": plan_version(visits.current_visit(job)),
        "seen": str(job.last_event_seq),
        "is_held": "1" if job.on_hold_since else "",
    }


def _texts(form: CorrectableForm) -> list[TypedText]:
    return [
        TypedText(
            bound.name,
            str(bound.label),
            str(bound.value() or ""),
            bool(bound.errors),
            (bound.field.max_length or 0) >= LONG_TEXT,
        )
        for bound in form
        if isinstance(bound.field, CharField) and bound.field.label
    ]


def _correction(
    request: HttpRequest, form: CorrectableForm, job: Job, *, fresh: Mapping[str, str]
) -> Correction:
    texts, choices = _texts(form), form.list_choices(job)
    renewed = [(name, fresh[name]) for name in form.fields if fresh.get(name)]
    visible = {text.name for text in texts} | {choice.name for choice in choices}
    left_out = visible | {CSRF_FIELD} | (fresh.keys() & form.fields.keys())
    sent = [
        (name, str(value))
        for name, values in request.POST.lists()
        if name not in left_out
        for value in values
    ]
    return Correction(request.path, texts, choices, sent + renewed, str(form.button_text))
