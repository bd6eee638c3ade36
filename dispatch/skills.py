"""Property flags and skills as people see them (installation-jobs.md, Property flags); what a flag asks for is in
`flag_rules`."""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dispatch.problems import Problem
from engineers.caching import get_or_compute
from engineers.models import Engineer, HeldSkill, Skill

LazyText = Any  # gettext_lazy gives its own kind of text


@dataclass(frozen=True)
class Flag:
    """A flag as people see it: a text and an icon of the sprite."""

    code: str
    label: LazyText
    icon: str


KNOWN = {
    flag.code: flag
    for flag in (
        Flag("CHP", _("Cherry picker required"), "hoist"),
        Flag("DAN", _("Dangerous location"), "warning"),
        Flag("DTL", _("Long drop (over 10 m)"), "ruler"),
        Flag("SUR", _("Survey required first (10 days' lead time)"), "clipboard"),
        Flag("MDU", _("Multi-dwelling unit"), "building"),
        Flag("WSD", _("Shared drive"), "users"),
    )
}
# of an engineer who always comes with a second person
TEAM_SKILL = "team-of-two"
SKILL_NAMES = {
    "cherry-picker": _("Cherry picker"),
    "dangerous-sites": _("Dangerous locations"),
    "mdu": _("Multi-dwelling units"),
    "civils": _("Civils"),
    TEAM_SKILL: _("Team of two"),
}
NAMES_KEPT_SECONDS = 60


def find_flag(code: str) -> Flag:
    """In the reader's language; an unknown flag is shown as it came."""
    known = KNOWN.get(code, Flag(code, code, "flag"))
    return replace(known, label=str(known.label))


def skill_label(skill: Skill) -> str:
    """In the reader's language where we know the skill."""
    return str(SKILL_NAMES.get(skill.code, skill.name))


def skill_name(code: str) -> str:
    """In the reader's language; a skill that a supervisor added by its name of at most a minute ago, one that is gone
    as its code says."""
    known = SKILL_NAMES.get(code) or _added_skills().get(code)
    return str(known or code.replace("-", " ").capitalize())


def _added_skills() -> dict[str, str]:
    """The names of what supervisors added, by code."""
    added = Skill.objects.exclude(code__in=SKILL_NAMES)
    return get_or_compute(
        "skill names", lambda: dict(added.values_list("code", "name")), seconds=NAMES_KEPT_SECONDS
    )


def skill_names(codes: Iterable[str]) -> str:
    """For a sentence, in the reader's language."""
    return ", ".join(sorted(map(skill_name, codes)))


def missing_skills(
    *, needed: Set[str], held: Iterable[HeldSkill], first: date, last: date
) -> tuple[Set[str], Set[str]]:
    """Of the needed codes those that the engineer never had, and those that expire before a visit of these days
    ends."""
    held = list(held)
    codes = {item.skill.code for item in held}
    expired = {item.skill.code for item in held if not (item.counts_on(first) and item.counts_on(last))}
    return needed - codes, needed & expired


def skill_problems(
    engineer: Engineer, *, needed: Set[str], held: Iterable[HeldSkill], days: Sequence[date]
) -> Iterator[Problem]:
    """What the engineer, who holds these skills, lacks on the days of a visit."""
    missing, expired = missing_skills(needed=needed, held=held, first=days[0], last=days[-1])
    if missing:
        message = gettext("%(engineer)s doesn't have the skills this job requires: %(skills)s.")
        parameters = {"engineer": engineer.name, "skills": skill_names(missing)}
        yield Problem("skill_missing", "engineer", message % parameters)
    if expired:
        message = gettext("%(engineer)s's skills for this job have expired by then: %(skills)s.")
        parameters = {"engineer": engineer.name, "skills": skill_names(expired)}
        yield Problem("skill_expired", "engineer", message % parameters)
