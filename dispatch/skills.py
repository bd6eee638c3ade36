"""Property flags and what they ask for (installation-jobs.md, Property flags)."""

from dataclasses import dataclass

from dispatch.states import JobType


@dataclass(frozen=True)
class Flag:
    """A flag as people see it: words, an icon of the sprite, and the skill it asks for ('' for none)."""

    code: str
    words: str
    icon: str
    skill: str = ""


KNOWN = {
    flag.code: flag
    for flag in (
        Flag("CHP", "Cherry picker needed", "hoist", "cherry-picker"),
        Flag("DAN", "Dangerous property location", "warning", "dangerous-sites"),
        Flag("DTL", "Driveway longer than 10 m", "ruler"),
        Flag("SUR", "Survey required first, 10 day lead time", "clipboard"),
        Flag("MDU", "Multi dwelling unit", "building", "mdu"),
        Flag("WSD", "Shared drive", "users"),
    )
}
SKILL_NAMES = {
    "cherry-picker": "Cherry picker",
    "dangerous-sites": "Dangerous sites",
    "mdu": "Multi dwelling units",
    "civils": "Civils",
}
SKILL_OF_TYPE = {JobType.CIVILS: "civils"}


def flag(code: str) -> Flag:
    """An unknown flag is shown as it came."""
    return KNOWN.get(code, Flag(code, code, "flag"))


def needed(*, job_type: str, flags: list[str]) -> set[str]:
    """The skill codes that a job asks of its engineer."""
    asked = {flag(code).skill for code in flags} | {SKILL_OF_TYPE.get(JobType(job_type), "")}
    return asked - {""}
