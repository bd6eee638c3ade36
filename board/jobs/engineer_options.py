"""The free choice of an engineer and of a second one, as the lines of two selects, for the panel and the job page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from html import escape

from django.utils.safestring import SafeString, mark_safe

from dispatch.free_slots import JobDay
from dispatch.models import Job, Visit
from dispatch.slot_suggestions import free_companions
from engineers.models import Engineer


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
    """Who can accompany: `free` at the planned start, where somebody asked, and all others."""

    is_needed: bool
    free: EngineerChoice
    others: EngineerChoice


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
    )
