"""A form that was refused for its texts: shown again with what was typed, to be changed and sent once more."""

from dataclasses import dataclass

from django.forms import CharField, Form
from django.http import HttpRequest

CSRF_FIELD = "csrfmiddlewaretoken"


@dataclass(frozen=True)
class TypedText:
    name: str
    label: str
    value: str
    is_wrong: bool


@dataclass(frozen=True)
class Correction:
    """`texts` to change, `others` as they were sent; `button` says what sending does."""

    url: str
    texts: list[TypedText]
    others: list[tuple[str, str]]
    button: str


def correction_of(request: HttpRequest, form: Form) -> Correction | None:
    """None for a form without a `button_text`, or one that has other faults than its labelled texts."""
    button = getattr(form, "button_text", "")
    texts = [
        TypedText(bound.name, str(bound.label), str(bound.value() or ""), bool(bound.errors))
        for bound in form
        if isinstance(bound.field, CharField) and bound.field.label
    ]
    names = {text.name for text in texts}
    if not button or form.errors.keys() - names:
        return None
    others = [
        (name, value)
        for name, values in request.POST.lists()
        if name not in names | {CSRF_FIELD}
        for value in values
    ]
    return Correction(request.path, texts, [(name, str(value)) for name, value in others], str(button))
