"""What the board's actions are asked with; a wrong value becomes a problem that names its field."""

import json
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from dispatch.problems import Problem
from engineers.models import Engineer


class AssignForm(forms.Form):
    """`engineer` is a staff number; `starts_at` ISO 8601 with offset, or local time without one."""

    engineer = forms.ModelChoiceField(
        Engineer.objects.active(),
        to_field_name="staff_number",
        error_messages={
            "required": _("Choose an engineer."),
            "invalid_choice": _("No active engineer has this staff number."),
        },
    )
    starts_at = forms.DateTimeField(
        error_messages={
            "required": _("Say when the visit starts."),
            "invalid": _("Write the start as a day and a time, like 2026-11-23T08:30."),
        }
    )


class UnassignForm(forms.Form):
    reason = forms.CharField(required=False, max_length=200)


class LocateForm(forms.Form):
    """WGS 84 degrees."""

    latitude = forms.FloatField(
        min_value=-90,
        max_value=90,
        error_messages={"required": _("Write the latitude."), "invalid": _("Write the latitude in degrees.")},
    )
    longitude = forms.FloatField(
        min_value=-180,
        max_value=180,
        error_messages={
            "required": _("Write the longitude."),
            "invalid": _("Write the longitude in degrees."),
        },
    )


class CloseForm(forms.Form):
    code = forms.CharField(max_length=20, error_messages={"required": _("Choose a closure code.")})
    secondary_code = forms.CharField(required=False, max_length=20)
    remarks = forms.CharField(required=False, max_length=2000)


class ReplayForm(forms.Form):
    """`body` empty: send the message again as it is."""

    body = forms.CharField(required=False, strip=True)

    def clean_body(self) -> dict[str, Any] | None:
        text = self.cleaned_data["body"]
        if not text:
            return None
        try:
            body = json.loads(text)
        except json.JSONDecodeError as problem:
            raise forms.ValidationError(
                _("The message is not JSON: %(what)s in line %(line)s, column %(column)s."),
                params={"what": problem.msg, "line": problem.lineno, "column": problem.colno},
            ) from problem
        if not isinstance(body, dict):
            raise forms.ValidationError(_("The message must be one JSON object: { … }."))
        return body


def problems_of(form: forms.Form) -> list[Problem]:
    """Every wrong field as a problem whose place is the field."""
    return [
        Problem("bad_value", field, str(message))
        for field, messages in form.errors.items()
        for message in messages
    ]
