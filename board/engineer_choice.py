"""The field of a form in which an engineer is chosen."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from engineers.models import Engineer


class EngineerChoiceField(forms.ModelChoiceField):  # type: ignore[type-arg]
    """One of the active engineers whom whoever asks may see, by the staff number."""

    def __init__(self, **options: Any) -> None:
        messages = {
            "required": _("Choose an engineer."),
            "invalid_choice": _("No active engineer has this staff number."),
            **options.pop("error_messages", {}),
        }
        super().__init__(
            Engineer.objects.active(), to_field_name="staff_number", error_messages=messages, **options
        )

    def __deepcopy__(self, memo: Any) -> "EngineerChoiceField":
        """Each form asks anew whom its reader may see."""
        copied: EngineerChoiceField = super().__deepcopy__(memo)
        copied.queryset = Engineer.objects.active().in_scope()
        return copied
