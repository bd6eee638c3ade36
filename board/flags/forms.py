"""What a supervisor may decide about a property flag."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from dispatch import skills
from engineers.models import Skill

MOST_ITEMS, LONGEST_ITEM = 20, 120


class FlagRuleForm(forms.Form):
    """`kit` is typed one item a line; `version` is what was shown."""

    version = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    skill = forms.ChoiceField(label=_("Skill"), required=False)
    extra_minutes = forms.IntegerField(
        label=_("Extra minutes"),
        min_value=0,
        max_value=480,
        help_text=_("For new jobs whose pack names no duration."),
    )
    lead_days = forms.IntegerField(
        label=_("Lead time in calendar days"),
        min_value=0,
        max_value=365,
        help_text=_("From the job pack to the planned start; 0 for none."),
    )
    kit = forms.CharField(
        label=_("Kit"),
        required=False,
        max_length=MOST_ITEMS * (LONGEST_ITEM + 1),
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("One item a line."),
    )
    needs_two_people = forms.BooleanField(label=_("Needs two people"), required=False)
    needs_survey = forms.BooleanField(
        label=_("Needs a survey first"),
        required=False,
        help_text=_("Surveyed: an external job for these premises was closed EXTCOMP."),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        known = {skill.code for skill in Skill.objects.all()} | {str(self.initial.get("skill", ""))} - {""}
        named = sorted((skills.skill_name(code), code) for code in known)
        field = self.fields["skill"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [("", _("None")), *((code, name) for name, code in named)]

    def clean_kit(self) -> list[str]:
        items = [line.strip() for line in self.cleaned_data["kit"].splitlines() if line.strip()]
        if len(items) > MOST_ITEMS or any(len(item) > LONGEST_ITEM for item in items):
            text = _("At most %(items)s items of %(characters)s characters.")
            raise forms.ValidationError(text % {"items": MOST_ITEMS, "characters": LONGEST_ITEM})
        return items
