"""What a supervisor sends to import an edition: the content of the file as it was shown, with a start."""

from django import forms
from django.utils.translation import gettext_lazy

from board.form_inputs import MOMENT_INPUT, MomentField

# as a form field; the whole request has a limit of its own
MAX_CONTENT_CHARACTERS = 1_500_000


class ImportEditionForm(forms.Form):
    """`content` is the text of a matrix file; it is checked again like any other."""

    content = forms.CharField(max_length=MAX_CONTENT_CHARACTERS, strip=False, widget=forms.HiddenInput)
    starts_at = MomentField(
        label=gettext_lazy("Starts at"),
        required=False,
        help_text=gettext_lazy("Empty: as soon as you import it."),
        widget=MOMENT_INPUT,
    )
