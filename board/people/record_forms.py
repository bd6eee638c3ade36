"""The forms of an area, a skill and an office account."""

import re
from typing import Any

from django import forms
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy

from engineers.models import Area, Role
from engineers.office_accounts import AccountRecord

OFFICE_ROLES = [(role.value, role.label) for role in (Role.DISPATCHER, Role.SUPERVISOR)]
SKILL_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class SingleLineField(forms.CharField):
    """A text without blanks at its ends or several in a row."""

    def to_python(self, value: Any) -> str:
        return " ".join((super().to_python(value) or "").split())


class AreaForm(forms.Form):
    """`seen_name` and `seen_postcodes`: the area as it was when the form was opened."""

    seen_name = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput)
    seen_postcodes = forms.CharField(required=False, max_length=1000, widget=forms.HiddenInput)
    name = SingleLineField(
        label=gettext_lazy("Name"), max_length=60, validators=Area._meta.get_field("name").validators
    )
    postcodes = forms.CharField(
        label=gettext_lazy("Postcodes"),
        required=False,
        max_length=1000,
        help_text=gettext_lazy(
            "Outward codes or postcode areas separated by spaces, for example: LS1 LS2 BD"
        ),
    )

    def clean_postcodes(self) -> str:
        """Each code once, whatever stands between them; the model says what a code is."""
        codes = re.split(r"[\s,;]+", self.cleaned_data["postcodes"].upper().strip(" ,;"))
        postcodes = " ".join(dict.fromkeys(codes))
        if postcodes:
            Area._meta.get_field("postcodes").run_validators(postcodes)
        return postcodes

    @property
    def seen(self) -> list[str]:
        return [self.cleaned_data["seen_name"], self.cleaned_data["seen_postcodes"]]


class SkillNameForm(forms.Form):
    name = SingleLineField(label=gettext_lazy("Name"), max_length=80)


class SkillForm(SkillNameForm):
    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=50,
        validators=[
            RegexValidator(
                rf"^{SKILL_CODE.pattern}\Z",
                gettext_lazy("Use small letters without accents, digits and hyphens: fibre-splicing."),
            )
        ],
        help_text=gettext_lazy("Files and flag rules name the skill by it. It can't be changed later."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
    )


class AccountForm(forms.Form):
    """`seen_…`: the account as it was when the form was opened. Without a choice of `role` it stays as it is."""

    seen_username = forms.CharField(required=False, max_length=150, widget=forms.HiddenInput)
    seen_name = forms.CharField(required=False, max_length=301, widget=forms.HiddenInput)
    seen_role = forms.CharField(required=False, max_length=12, widget=forms.HiddenInput)
    name = SingleLineField(label=gettext_lazy("Name"), max_length=100)
    username = forms.CharField(
        label=gettext_lazy("User name"),
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        help_text=gettext_lazy("For signing in."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
    )
    role = forms.ChoiceField(
        label=gettext_lazy("Role"),
        choices=OFFICE_ROLES,
        help_text=gettext_lazy(
            "Dispatchers plan the day. Supervisors also manage people, rules and accounts."
        ),
    )

    def __init__(self, *args: Any, own_role: str = "", **options: Any) -> None:
        """`own_role`: of whoever opens the own account, which nobody gives another role."""
        super().__init__(*args, **options)
        if own_role:
            self.fields["role"].disabled = True
            self.initial["role"] = own_role

    def record(self) -> AccountRecord:
        data = self.cleaned_data
        return AccountRecord(data["username"], data["name"], data["role"])

    @property
    def seen(self) -> AccountRecord:
        data = self.cleaned_data
        return AccountRecord(data["seen_username"], data["seen_name"], data["seen_role"])
