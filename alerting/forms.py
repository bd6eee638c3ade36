"""What a supervisor enters about contacts, hours and kinds of alarms. A wrong value is shown next to its field."""

import re
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator, validate_email
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from alerting.channels import missing_setting
from alerting.contact_records import (
    CONTACT_MEMBERS,
    PLAN_MEMBERS,
    contact_version,
    plan_version,
    urgencies_version,
)
from alerting.models import LEVELS, AlarmContact, AlarmTopic, AlertingPlan, Channel
from engineers.models import Weekday
from engineers.phone_urls import without_trunk_zero
from monitoring.alarm_kinds import ALARM_KINDS
from monitoring.models import Urgency
from monitoring.signed_post import is_callable_url

PHONE_NUMBER = re.compile(r"\+?[0-9]{6,15}")


def _days_field(label: Any) -> forms.TypedMultipleChoiceField:
    return forms.TypedMultipleChoiceField(
        label=label, choices=Weekday.choices, coerce=int, widget=forms.CheckboxSelectMultiple
    )


def _time_field(label: Any, *, is_required: bool) -> forms.TimeField:
    widget = forms.TimeInput(format="%H:%M", attrs={"type": "time"})
    return forms.TimeField(label=label, required=is_required, widget=widget)


class VersionForm(forms.Form):
    """`version`: what the form was opened with, so that an older page takes back no change of a colleague."""

    version = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    @property
    def seen(self) -> str:
        return str(self.cleaned_data["version"])

    @property
    def entered(self) -> dict[str, Any]:
        """What the form cleans to."""
        return {name: value for name, value in self.cleaned_data.items() if name != "version"}


class ContactForm(VersionForm):
    """Cleans to the fields of an AlarmContact."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=80)
    channel = forms.ChoiceField(label=gettext_lazy("Channel"), choices=Channel.choices)
    address = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=300,
        help_text=gettext_lazy("An e-mail address, the webhook's https:// address, or a phone number."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
    )
    level = forms.TypedChoiceField(
        label=gettext_lazy("Level"),
        choices=[(level, level) for level in LEVELS],
        coerce=int,
        help_text=gettext_lazy("Level 1 is notified first."),
    )
    topic = forms.ChoiceField(label=gettext_lazy("Alarms"), choices=AlarmTopic.choices)
    language = forms.ChoiceField(label=gettext_lazy("Language"), choices=settings.LANGUAGES)
    on_call_days = _days_field(gettext_lazy("On call on"))
    on_call_starts = _time_field(gettext_lazy("On call from"), is_required=False)
    on_call_ends = _time_field(gettext_lazy("On call until"), is_required=False)

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if (data.get("on_call_starts") is None) != (data.get("on_call_ends") is None):
            self.add_error("on_call_ends", _("Enter both times, or neither for the whole day."))
        if data.get("channel") and data.get("address"):
            self._clean_address(data)
        return data

    def _clean_address(self, data: dict[str, Any]) -> None:
        channel = data["channel"]
        try:
            data["address"] = ADDRESS_READERS[channel](data["address"])
        except ValidationError:
            self.add_error("address", WRONG_ADDRESS[channel])
            return
        missing = missing_setting(channel, data["address"])
        if missing:
            text = _("Nothing can be sent there yet. Ask the system operator to set %(setting)s.")
            self.add_error("address", text % {"setting": missing})


def _mail_address(text: str) -> str:
    validate_email(text)
    return text


def _webhook_address(text: str) -> str:
    URLValidator(schemes=["https", "http"])(text)
    # what no call would accept must not look like a contact that is notified
    if not is_callable_url(text, is_plain_allowed=True):
        raise ValidationError(text)
    return text


def _phone_number(text: str) -> str:
    number = re.sub(r"[ ()/-]", "", without_trunk_zero(text))
    if not PHONE_NUMBER.fullmatch(number):
        raise ValidationError(text)
    return number


ADDRESS_READERS = {
    Channel.MAIL: _mail_address,
    Channel.WEBHOOK: _webhook_address,
    Channel.SMS: _phone_number,
}
WRONG_ADDRESS = {
    Channel.MAIL: gettext_lazy("Enter an e-mail address, for example anna@example.org."),
    Channel.WEBHOOK: gettext_lazy(
        "Enter an address that begins with https://, without a user name and without letters such as ä."
    ),
    Channel.SMS: gettext_lazy("Enter a phone number, for example +44 113 496 0111."),
}


class AlertingPlanForm(VersionForm):
    """Cleans to the fields of an AlertingPlan."""

    office_days = _days_field(gettext_lazy("Office days"))
    office_starts = _time_field(gettext_lazy("Office opens at"), is_required=True)
    office_ends = _time_field(gettext_lazy("Office closes at"), is_required=True)
    escalation_minutes = forms.IntegerField(
        label=gettext_lazy("Minutes until the next level"),
        min_value=5,
        max_value=1440,
        help_text=gettext_lazy("If nobody is handling the alarm by then."),
    )


class UrgencyForm(VersionForm):
    """One field for each kind of alarm, named after it."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for kind, facts in ALARM_KINDS.items():
            self.fields[str(kind)] = forms.ChoiceField(label=str(facts.title), choices=Urgency.choices)


def contact_values(contact: AlarmContact) -> dict[str, Any]:
    """The form's values of a stored contact."""
    values = {name: getattr(contact, name) for name in CONTACT_MEMBERS}
    return {**values, "version": contact_version(contact)}


def plan_values(plan: AlertingPlan) -> dict[str, Any]:
    return {**{name: getattr(plan, name) for name in PLAN_MEMBERS}, "version": plan_version(plan)}


def urgency_values(urgencies: dict[str, Urgency]) -> dict[str, Any]:
    return {**urgencies, "version": urgencies_version(urgencies)}
