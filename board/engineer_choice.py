"""The choice of an engineer and of a second one: the fields of forms, and the lines of two selects for the panel and
the job page.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any

from django import forms
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _

from dispatch.models import Job, Visit
from dispatch.slots.free_slots import JobDay
from dispatch.slots.slot_suggestions import free_companions
from dispatch.teams import RequestedSecondEngineer, Unchanged
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


class SecondEngineerField(EngineerChoiceField):
    """The same or nobody, and whoever accompanies today: somebody who may be chosen no more can stay."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, **options)

    def clean(self, value: Any) -> RequestedSecondEngineer:
        if value == Unchanged.SECOND_ENGINEER.value:
            return Unchanged.SECOND_ENGINEER
        chosen: Engineer | None = super().clean(value)
        return chosen


@dataclass(frozen=True)
class EngineerChoice:
    """Of these engineers one, who may be chosen already."""

    engineers: list[Engineer]
    chosen: Engineer | None

    def __bool__(self) -> bool:
        return bool(self.engineers)

    def __iter__(self) -> Iterator[Engineer]:
        return iter(self.engineers)

    @property
    def options(self) -> SafeString:
        """As `<option>` elements: a template's loop has four nodes for each of 600 engineers."""
        chosen = self.chosen.pk if self.chosen else None
        rows = [
            f'<option value="{escape(engineer.staff_number)}"{" selected" if engineer.pk == chosen else ""}>'
            f"{escape(engineer.name)}</option>"
            for engineer in self.engineers
        ]
        # all is escaped above: format_html_join took a fifth of a job page's time
        return mark_safe("".join(rows))  # noqa: S308


@dataclass(frozen=True)
class SecondEngineerChoice:
    """Who can accompany: `free` at the planned start, where somebody asked, and all others; `planned` is who does so
    today and may be chosen no more, None where nobody is."""

    is_needed: bool
    free: EngineerChoice
    others: EngineerChoice
    planned: Engineer | None


def active_engineers() -> list[Engineer]:
    """Whom whoever asks may choose, with no more of each than number and name."""
    names = ("user__first_name", "user__last_name", "user__username", "user__anonymised_at")
    found = Engineer.objects.active().in_scope().select_related("user")
    return list(found.only("staff_number", *names))


def engineer_choice(
    engineers: Iterable[Engineer], visit: Visit | None, *, is_hand_over: bool
) -> EngineerChoice:
    """A job under way can only go to somebody else."""
    chosen = visit.engineer if visit else None
    return EngineerChoice(
        [engineer for engineer in engineers if not (is_hand_over and engineer == chosen)], chosen
    )


def second_engineer_choice(
    job: Job,
    visit: Visit | None,
    *,
    engineers: Collection[Engineer],
    is_needed: bool,
    starts_at: datetime,
    day: JobDay | None = None,
) -> SecondEngineerChoice:
    """Of `engineers`. Who is free then is looked up where the job needs two people or has them."""
    second = visit.second_engineer if visit else None
    is_team = bool(engineers) and (is_needed or second is not None)
    free = free_companions(job, starts_at=starts_at, day=day) if is_team else []
    others = set(engineers).difference(free)
    return SecondEngineerChoice(
        is_needed,
        free=EngineerChoice(list(free), second),
        others=EngineerChoice([engineer for engineer in engineers if engineer in others], second),
        planned=None if second in {*free, *others} else second,
    )
