"""Property flags and what they ask for (installation-jobs.md, Property flags)."""

from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext_lazy as _

from dispatch.states import JobType

Words = Any  # gettext_lazy gives its own kind of text


@dataclass(frozen=True)
class Flag:
    """A flag as people see it: words, an icon of the sprite, and the skill it asks for ('' for none)."""

    code: str
    words: Words
    icon: str
    skill: str = ""


KNOWN = {
    find_flag.code: find_flag
    for find_flag in (
        Flag("CHP", _("Cherry picker required"), "hoist", "cherry-picker"),
        Flag("DAN", _("Dangerous location"), "warning", "dangerous-sites"),
        Flag("DTL", _("Long drop (over 10 m)"), "ruler"),
        Flag("SUR", _("Survey required first (10 days' lead time)"), "clipboard"),
        Flag("MDU", _("Multi-dwelling unit"), "building", "mdu"),
        Flag("WSD", _("Shared drive"), "users"),
    )
}
SKILL_NAMES = {
    "cherry-picker": _("Cherry picker"),
    "dangerous-sites": _("Dangerous locations"),
    "mdu": _("Multi-dwelling units"),
    "civils": _("Civils"),
}
SKILL_OF_TYPE = {JobType.CIVILS: "civils"}


def find_flag(code: str) -> Flag:
    """In the reader's language; an unknown flag is shown as it came."""
    known = KNOWN.get(code, Flag(code, code, "flag"))
    return replace(known, words=str(known.words))


def required_skills(*, job_type: str, flags: list[str]) -> set[str]:
    """The skill codes that a job asks of its engineer."""
    asked = {find_flag(code).skill for code in flags} | {SKILL_OF_TYPE.get(JobType(job_type), "")}
    return asked - {""}
