"""What the board's actions are asked with; a wrong value becomes a problem that names its field."""

import json
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from board.engineer_choice import EngineerChoiceField, SecondEngineerField
from board.form_inputs import MomentField
from board.jobs.corrections import CorrectableForm
from dispatch.problems import Problem
from dispatch.teams import RequestedSecondEngineer, Unchanged
from seller_link.wire import incoming
from seller_link.wire.v1.refusals import Refusal

REASON_TOO_LONG = _("The reason can have at most %(limit_value)d characters. This one has %(show_value)d.")


def reason_field(label: Any, *, most: int = 200, required: Any = "") -> forms.CharField:
    """At most so many characters; `required` is what a missing reason is answered with, empty where none is needed."""
    errors = {"max_length": REASON_TOO_LONG, "required": required}
    return forms.CharField(label=label, required=bool(required), max_length=most, error_messages=errors)


def _version_field() -> forms.CharField:
    """The plan that the dispatcher saw (dispatch.plan_changes.plan_versions)."""
    required = _("The page is out of date. Reload it and try again.")
    return forms.CharField(max_length=60, error_messages={"required": required})


def _override_field() -> forms.CharField:
    return reason_field(_("Reason for assigning anyway"))


class SlotForm(CorrectableForm):
    """`engineer` is a staff number; `starts_at` ISO 8601 with offset, or local time without one."""

    engineer = EngineerChoiceField()
    starts_at = MomentField(
        error_messages={
            "required": _("Enter the planned start."),
            "invalid": _("Enter the planned start as a date and time, for example 2026-11-23T08:30."),
        }
    )


class HoldForm(CorrectableForm):
    version = forms.CharField(max_length=60, required=False)
    reason = reason_field(_("Reason for the hold"), required=_("Say why. The engineer sees the reason."))
    button_text = _("Hold this job")


class HoldAheadForm(forms.Form):
    """`job`: the numbers of those that are ticked."""

    job = forms.Field(widget=forms.SelectMultiple, error_messages={"required": _("Choose at least one job.")})
    reason = reason_field(_("Reason for the hold"))


class SecondEngineerForm(CorrectableForm):
    """`second_engineer` is a staff number, empty for nobody."""

    version = _version_field()
    second_engineer = SecondEngineerField()
    override_reason = _override_field()
    button_text = _("Assign anyway")


class AssignForm(SlotForm):
    """`second_engineer` is a staff number, empty for nobody; left out, whoever accompanies today still does."""

    field_order = ("version", "engineer", "second_engineer", "starts_at", "override_reason")
    version = _version_field()
    second_engineer = SecondEngineerField()
    override_reason = _override_field()
    button_text = _("Assign anyway")

    def clean_second_engineer(self) -> RequestedSecondEngineer:
        chosen: RequestedSecondEngineer = self.cleaned_data["second_engineer"]
        return chosen if "second_engineer" in self.data else Unchanged.SECOND_ENGINEER


class UnassignForm(CorrectableForm):
    version = _version_field()
    reason = reason_field(_("Reason for unassigning"))
    button_text = _("Unassign")


class PinForm(forms.Form):
    version = _version_field()
    is_pinned = forms.BooleanField(required=False)


class LocateForm(forms.Form):
    """WGS 84 degrees. `seen_location`: what the dispatcher saw (dispatch.locations)."""

    seen_location = forms.CharField(max_length=60, required=False)
    latitude = forms.FloatField(
        min_value=-90,
        max_value=90,
        error_messages={"required": _("Enter the latitude."), "invalid": _("Enter the latitude in degrees.")},
    )
    longitude = forms.FloatField(
        min_value=-180,
        max_value=180,
        error_messages={
            "required": _("Enter the longitude."),
            "invalid": _("Enter the longitude in degrees."),
        },
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if (data.get("latitude"), data.get("longitude")) == (0, 0):
            self.add_error("latitude", _("Enter the position of the premises. 0, 0 is in the sea."))
        return data


class CloseForm(CorrectableForm):
    """`is_held`: the dispatcher saw that the job is on hold."""

    version = _version_field()
    is_held = forms.BooleanField(required=False)
    code = forms.CharField(max_length=20, error_messages={"required": _("Choose a closure code.")})
    secondary_code = forms.CharField(required=False, max_length=20)
    remarks = forms.CharField(
        label=_("Remarks for the seller"),
        required=False,
        max_length=2000,
        error_messages={
            "max_length": _(
                "The remarks can have at most %(limit_value)d characters. These have %(show_value)d."
            )
        },
    )
    button_text = _("Close job")


class ReplayForm(forms.Form):
    """`body` empty: send the message again as it is. Only a correction needs a reason."""

    body = forms.CharField(required=False, strip=True)
    reason = reason_field(_("Reason for the correction"), most=500)

    def clean_body(self) -> dict[str, Any] | None:
        text = self.cleaned_data["body"]
        if not text:
            return None
        try:
            body = json.loads(text)
        except json.JSONDecodeError as problem:
            raise forms.ValidationError(
                _("The message is not valid JSON: %(what)s at line %(line)s, column %(column)s."),
                params={"what": problem.msg, "line": problem.lineno, "column": problem.colno},
            ) from problem
        except (ValueError, RecursionError) as problem:
            nesting_error = _(
                "The message can't be read. It is nested too deeply, or it contains a number that is "
                "too long."
            )
            raise forms.ValidationError(nesting_error) from problem
        if not isinstance(body, dict):
            raise forms.ValidationError(_("The message must be a single JSON object: { … }."))
        try:
            return incoming.parse(text.encode())
        except Refusal as problem:
            text_error = _(
                "The message contains a NUL character or an unpaired surrogate, or is nested too deeply."
            )
            raise forms.ValidationError(text_error) from problem


class ResendForm(forms.Form):
    """Several messages; that there is a reason is for `replays.start_replay` to say."""

    reason = reason_field(_("Reason for resending"), most=500)


class StopForm(forms.Form):
    """That there is a reason is for `outbox.stop_message` to say."""

    reason = reason_field(_("Reason for stopping"), most=500)


def problems_of(form: forms.Form) -> list[Problem]:
    """Every wrong field as a problem whose place is the field."""
    return [
        Problem("bad_value", field, str(message))
        for field, messages in form.errors.items()
        for message in messages
    ]
