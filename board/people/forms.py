"""The forms about people. A wrong value is shown next to its field."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from board.form_inputs import DayField, SingleLineField, UserNameField
from dispatch.skills import skill_label
from engineers.current_scope import current_scope
from engineers.engineer_records import EngineerRecord
from engineers.models import Area, RotaWeek, Skill, Weekday
from engineers.models.people import check_phone_number, check_staff_number
from engineers.working_hours import (
    Hours,
    PlannedShift,
    UnreadableHours,
    hours_by_day,
    parse_hours,
    pattern_problems,
    write_hours,
)
from engineers.working_time_limits import WorkingTimeLimits


class HoursField(forms.CharField):
    """Cleans to Hours; empty is a day off."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, max_length=80, **options)

    def clean(self, value: Any) -> Any:
        try:
            return parse_hours(super().clean(value))
        except UnreadableHours as problem:
            raise forms.ValidationError(str(problem)) from problem


def _limit_field(label: Any, highest: int) -> forms.IntegerField:
    return forms.IntegerField(label=label, required=False, min_value=1, max_value=highest)


@dataclass(frozen=True)
class Catalogue:
    """What a form offers; loaded once for all rows of a file."""

    areas: list[str]
    skills: list[Skill]


def load_catalogue() -> Catalogue:
    return Catalogue(list(Area.objects.values_list("name", flat=True)), list(Skill.objects.all()))


class EngineerForm(forms.Form):
    """Everything of an EngineerRecord. Skills and hours are fields of their own: `skill_<code>`, `expires_<code>`,
    `hours_<week>_<weekday>`."""

    version = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)
    name = SingleLineField(label=gettext_lazy("Name"), max_length=100)
    username = UserNameField()
    staff_number = forms.CharField(
        label=gettext_lazy("Staff number"),
        max_length=20,
        validators=[check_staff_number],
        help_text=gettext_lazy("The seller knows the engineer by it."),
    )
    phone = forms.CharField(
        label=gettext_lazy("Phone number"),
        max_length=30,
        validators=[check_phone_number],
        widget=forms.TextInput(attrs={"type": "tel"}),
    )
    email = forms.EmailField(
        label=gettext_lazy("E-mail"),
        required=False,
        help_text=gettext_lazy("For a new password, and for signing in with the company's account."),
    )
    home_address = SingleLineField(label=gettext_lazy("Home address"), required=False, max_length=200)
    home_latitude = forms.FloatField(
        label=gettext_lazy("Latitude"),
        required=False,
        min_value=-90,
        max_value=90,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    home_longitude = forms.FloatField(
        label=gettext_lazy("Longitude"),
        required=False,
        min_value=-180,
        max_value=180,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    two_weeks = forms.BooleanField(label=gettext_lazy("Two weeks in turn (A and B)"), required=False)
    per_day = _limit_field(gettext_lazy("Hours a day, at most"), 24)
    per_week = _limit_field(gettext_lazy("Hours a week, at most"), 168)
    rest = _limit_field(gettext_lazy("Hours of rest between two days, at least"), 24)

    def __init__(self, *args: Any, catalogue: "Catalogue | None" = None, **options: Any) -> None:
        super().__init__(*args, **options)
        catalogue = catalogue or load_catalogue()
        self.skills = catalogue.skills
        areas = [(name, name) for name in catalogue.areas]
        self.fields["area"] = forms.ChoiceField(
            label=_("Main area"),
            required=False,
            choices=[("", _("No area")), *areas],
            help_text=_("The engineer's group on the board and in reports."),
        )
        self.fields["further_areas"] = forms.MultipleChoiceField(
            label=_("Further areas"),
            required=False,
            choices=areas,
            widget=forms.CheckboxSelectMultiple,
        )
        for skill in self.skills:
            self.fields[f"skill_{skill.code}"] = forms.BooleanField(label=skill_label(skill), required=False)
            self.fields[f"expires_{skill.code}"] = DayField(
                label=_("%(skill)s: last day") % {"skill": skill_label(skill)}, required=False
            )
        for week in (RotaWeek.A, RotaWeek.B):
            for day in Weekday:
                self.fields[f"hours_{week}_{day}"] = HoursField(label=self._hours_label(week, day))

    def _hours_label(self, week: RotaWeek, day: Weekday) -> str:
        """Without the week where an entered form has one only, whose hours are in the fields of week A."""
        if week == RotaWeek.A and self.is_bound and not self.data.get("two_weeks"):
            return str(day.label)
        return _("%(day)s, %(week)s") % {"day": day.label, "week": week.label}

    def skill_rows(self) -> Iterator[tuple[BoundField, BoundField]]:
        for skill in self.skills:
            yield self[f"skill_{skill.code}"], self[f"expires_{skill.code}"]

    def hour_rows(self) -> Iterator[tuple[str, BoundField, BoundField]]:
        """(weekday, its hours in week A, in week B)."""
        for day in Weekday:
            yield (
                str(day.label),
                self[f"hours_{RotaWeek.A}_{day}"],
                self[f"hours_{RotaWeek.B}_{day}"],
            )

    def person_fields(self) -> list[BoundField]:
        return [self[name] for name in ("name", "username", "staff_number", "phone", "email", "area")]

    def limit_fields(self) -> list[BoundField]:
        return [self[name] for name in ("per_day", "per_week", "rest")]

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if (data.get("home_latitude") is None) != (data.get("home_longitude") is None):
            self.add_error("home_longitude", _("Enter both latitude and longitude, or neither."))
        if data.get("further_areas") and not data.get("area") and "area" not in self.errors:
            self.add_error("area", _("Choose the main area too."))
        self._check_scope()
        for skill in self.skills:
            if data.get(f"expires_{skill.code}") and not data.get(f"skill_{skill.code}"):
                data[f"expires_{skill.code}"] = None
        if not self.errors:
            for problem in pattern_problems(self._shifts(), self._limits()):
                self.add_error(None, problem)
        return data

    def _check_scope(self) -> None:
        """Whoever is limited to areas would never see an engineer of other areas again."""
        scope = current_scope()
        chosen = {self.cleaned_data.get("area"), *self.cleaned_data.get("further_areas", ())}
        if scope.is_limited and not scope.names & chosen and not {"area", "further_areas"} & {*self.errors}:
            text = _("Choose one of your areas (%(areas)s). Otherwise you can no longer open this engineer.")
            self.add_error("area", text % {"areas": ", ".join(sorted(scope.names))})

    def record(self) -> EngineerRecord:
        """What was entered; only of a valid form."""
        data = self.cleaned_data
        skills = [skill.code for skill in self.skills if data[f"skill_{skill.code}"]]
        return EngineerRecord(
            username=data["username"],
            name=" ".join(data["name"].split()),
            staff_number=data["staff_number"],
            phone=data["phone"],
            email=data["email"],
            areas=self._areas(),
            home_address=data["home_address"],
            home_latitude=data["home_latitude"],
            home_longitude=data["home_longitude"],
            skills=tuple(sorted((code, data[f"expires_{code}"]) for code in skills)),
            shifts=self._shifts(),
            limits=self._limits(),
        )

    def _areas(self) -> tuple[str, ...]:
        main, further = self.cleaned_data["area"], set(self.cleaned_data["further_areas"])
        return (main, *sorted(further - {main})) if main else ()

    def _limits(self) -> WorkingTimeLimits:
        data = self.cleaned_data
        return WorkingTimeLimits(data["per_day"], data["per_week"], data["rest"])

    def _shifts(self) -> tuple[PlannedShift, ...]:
        data = self.cleaned_data
        weeks = (
            {RotaWeek.A: RotaWeek.A, RotaWeek.B: RotaWeek.B}
            if data["two_weeks"]
            else {RotaWeek.EVERY: RotaWeek.A}
        )
        return tuple(
            sorted(
                PlannedShift(int(stored), int(day), starts, ends)
                for stored, column in weeks.items()
                for day in Weekday
                for starts, ends in data[f"hours_{column}_{day}"]
            )
        )


def initial_values(record: EngineerRecord) -> dict[str, Any]:
    """The form's values of a stored record."""
    hours = hours_by_day(record.shifts)
    is_two_weeks = any(shift.week != RotaWeek.EVERY for shift in record.shifts)
    return {
        "version": record.version,
        **{name: getattr(record, name) for name in ("name", "username", "staff_number", "phone", "email")},
        "area": next(iter(record.areas), ""),
        "further_areas": list(record.areas[1:]),
        **{name: getattr(record, name) for name in ("home_address", "home_latitude", "home_longitude")},
        "per_day": record.limits.per_day,
        "per_week": record.limits.per_week,
        "rest": record.limits.rest,
        "two_weeks": is_two_weeks,
        **{f"skill_{code}": True for code, _expires in record.skills},
        **{f"expires_{code}": expires for code, expires in record.skills},
        **{
            f"hours_{week}_{day}": write_hours(_hours(hours, week, day))
            for week in (RotaWeek.A, RotaWeek.B)
            for day in Weekday
        },
    }


def _hours(hours: dict[tuple[int, int], Hours], week: int, day: int) -> Hours:
    """Of every week and of this one; a pattern of one kind has only one of the two."""
    return tuple(sorted((*hours.get((RotaWeek.EVERY, day), ()), *hours.get((week, day), ()))))
