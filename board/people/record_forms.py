"""The forms of an area, a skill and an office account."""

import re
from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from board.form_inputs import SingleLineField, UserNameField
from engineers.models import Area, Role
from engineers.office_accounts import AccountRecord

SKILL_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


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
                gettext_lazy("Use lower-case letters without accents, digits and hyphens: fibre-splicing."),
            )
        ],
        help_text=gettext_lazy("Files and flag rules name the skill by it. It can't be changed later."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
    )


class AccountForm(forms.Form):
    """`seen_…`: the account as it was when the form was opened. Without a choice of `role` it stays as it is."""

    seen_username = forms.CharField(required=False, max_length=150, widget=forms.HiddenInput)
    seen_name = forms.CharField(required=False, max_length=301, widget=forms.HiddenInput)
    seen_role = forms.CharField(required=False, max_length=30, widget=forms.HiddenInput)
    seen_email = forms.CharField(required=False, max_length=254, widget=forms.HiddenInput)
    seen_areas = forms.CharField(required=False, max_length=10_000, widget=forms.HiddenInput)
    name = SingleLineField(label=gettext_lazy("Name"), max_length=100)
    username = UserNameField()
    email = forms.EmailField(
        label=gettext_lazy("E-mail"),
        required=False,
        help_text=gettext_lazy("For a new password, and for signing in with the company's account."),
    )

    def __init__(
        self, *args: Any, roles: Iterable[Role], own: AccountRecord | None = None, **options: Any
    ) -> None:
        """`roles` can be given; `own` is the record of whoever opens the own account, whose role and areas nobody
        changes."""
        super().__init__(*args, **options)
        self.fields["role"] = forms.ChoiceField(
            label=_("Role"),
            choices=[(role.value, role.label) for role in roles],
            help_text=_("What each role may do is on the page “Roles”."),
            initial=Role.DISPATCHER,
        )
        self.fields["areas"] = forms.MultipleChoiceField(
            label=_("Only these areas"),
            required=False,
            choices=[(name, name) for name in Area.objects.values_list("name", flat=True)],
            widget=forms.CheckboxSelectMultiple,
            help_text=_("Without any, the person sees and changes jobs and engineers of all areas."),
        )
        if own:
            for name in ("role", "areas"):
                self.fields[name].disabled = True
                self.initial[name] = getattr(own, name)

    def record(self) -> AccountRecord:
        data = self.cleaned_data
        areas = tuple(sorted(data["areas"]))
        return AccountRecord(data["username"], data["name"], data["role"], data["email"], areas)

    @property
    def seen(self) -> AccountRecord:
        data = self.cleaned_data
        areas = tuple(name for name in data["seen_areas"].split(";") if name)
        return AccountRecord(
            data["seen_username"], data["seen_name"], data["seen_role"], data["seen_email"], areas
        )
