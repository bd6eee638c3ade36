"""The forms of the page “Interfaces”: a token, a webhook, an export."""

from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from board.form_inputs import DayField
from engineers.models import Area
from partner_api.access_tokens import MAX_DAYS
from partner_api.export_rows import Period
from partner_api.exports import MOST_DAYS_OF_EXPORT, ExportFormat, ExportKind
from partner_api.models import Scope, WebhookKind

AREAS_HINT = _("None chosen: all areas.")
CHECKBOXES = forms.CheckboxSelectMultiple


class TokenForm(forms.Form):
    """`days` empty: it never expires."""

    name = forms.CharField(label=_("Name of the other system"), max_length=80)
    scopes = forms.MultipleChoiceField(label=_("Can read"), choices=Scope.choices, widget=CHECKBOXES)
    areas = forms.ModelMultipleChoiceField(
        Area.objects.all(),
        to_field_name="name",
        label=_("Only these areas"),
        required=False,
        widget=CHECKBOXES,
        help_text=AREAS_HINT,
    )
    days = forms.IntegerField(
        label=_("Expires after days"),
        required=False,
        min_value=1,
        max_value=MAX_DAYS,
        initial=365,
        help_text=_("Empty: never."),
    )


class WebhookForm(forms.Form):
    name = forms.CharField(label=_("Name of the other system"), max_length=80)
    url = forms.CharField(
        label=_("Address"),
        max_length=500,
        widget=forms.TextInput(attrs={"inputmode": "url", "autocomplete": "off"}),
        help_text=_("Begins with https:// and accepts POST."),
    )
    kinds = forms.MultipleChoiceField(
        label=_("Notified when"), choices=WebhookKind.choices, widget=CHECKBOXES
    )
    areas = forms.ModelMultipleChoiceField(
        Area.objects.all(),
        to_field_name="name",
        label=_("Only these areas"),
        required=False,
        widget=CHECKBOXES,
        help_text=AREAS_HINT,
    )


class ExportForm(forms.Form):
    kind = forms.ChoiceField(label=_("Export"), choices=ExportKind.choices)
    first = DayField(label=_("From"))
    last = DayField(label=_("To"))
    file_format = forms.ChoiceField(label=_("Format"), choices=ExportFormat.choices)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        first, last = data.get("first"), data.get("last")
        if first and last and first > last:
            raise forms.ValidationError(_("The end must be after the start. Change one of them."))
        if first and last and (last - first).days >= MOST_DAYS_OF_EXPORT:
            raise forms.ValidationError(_("Choose at most one year."))
        return data

    @property
    def period(self) -> Period:
        return Period(self.cleaned_data["first"], self.cleaned_data["last"])


def usual_export_form() -> ExportForm:
    """The last four weeks."""
    today = timezone.localdate()
    return ExportForm(initial={"first": today - timedelta(days=27), "last": today})
