"""The list of skills, and the page of one: who holds it until when, and which rules ask for it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext as _

from board import formatting
from board.people.engineer_list import SkillBadge, skill_badge
from board.people.record_forms import SkillForm, SkillNameForm
from dispatch.flag_rules import SKILL_OF_TYPE
from dispatch.skill_catalogue import SkillUse, flags_by_skill, skill_use
from dispatch.skills import skill_label
from engineers.models import Engineer, HeldSkill, Skill


@dataclass(frozen=True)
class SkillLine:
    """`holders` counts active engineers; `expiring` and `expired` those whose last day is near or over; `asked_by`
    names flags and kinds of jobs."""

    pk: int
    name: str
    code: str
    holders: int
    expiring: int
    expired: int
    asked_by: str


@dataclass(frozen=True)
class SkillsPage:
    """`form` adds a skill."""

    lines: list[SkillLine]
    form: SkillForm


@dataclass(frozen=True)
class SkillHolder:
    pk: int
    name: str
    badge: SkillBadge
    last_day: str
    is_active: bool


@dataclass(frozen=True)
class SkillPage:
    pk: int
    name: str
    code: str
    asked_by: str
    flags: str
    holders: list[SkillHolder]
    use: SkillUse
    form: SkillNameForm


def build_skills_page(form: SkillForm | None = None) -> SkillsPage:
    """Three queries, however many skills there are."""
    today, flags = timezone.localdate(), flags_by_skill()
    held, tones = Counter[int](), Counter[tuple[int, str]]()
    for item in HeldSkill.objects.filter(engineer__in=Engineer.objects.active().in_scope()).select_related(
        "skill"
    ):
        held[item.skill_id] += 1
        tones[item.skill_id, skill_badge(item, today).tone] += 1
    lines = [
        SkillLine(
            pk=skill.pk,
            name=skill_label(skill),
            code=skill.code,
            holders=held[skill.pk],
            expiring=tones[skill.pk, "warning"],
            expired=tones[skill.pk, "alarm"],
            asked_by=_asked_by(skill, flags.get(skill.code, ())),
        )
        for skill in Skill.objects.all()
    ]
    return SkillsPage(sorted(lines, key=lambda line: line.name.lower()), form or SkillForm())


def build_skill_page(skill: Skill, form: SkillNameForm | None = None) -> SkillPage:
    """Three queries. Engineers of other areas count, and are not named."""
    today, flags = timezone.localdate(), flags_by_skill().get(skill.code, ())
    held = HeldSkill.objects.filter(skill=skill, engineer__in=Engineer.objects.in_scope()).select_related(
        "skill", "engineer__user"
    )
    holders = [
        SkillHolder(
            item.engineer_id,
            item.engineer.name,
            skill_badge(item, today),
            last_day=_last_day(item),
            is_active=item.engineer.user.is_active,
        )
        for item in held
    ]
    return SkillPage(
        pk=skill.pk,
        name=skill_label(skill),
        code=skill.code,
        asked_by=_asked_by(skill, flags),
        flags=", ".join(flags),
        holders=sorted(holders, key=lambda holder: holder.name),
        use=skill_use(skill, holders=skill.engineers.count(), flags=flags),
        form=form or SkillNameForm(initial={"name": skill.name}),
    )


def _asked_by(skill: Skill, flags: Iterable[str]) -> str:
    kinds = [str(kind.label) for kind, code in SKILL_OF_TYPE.items() if code == skill.code]
    return ", ".join([*kinds, *flags])


def _last_day(item: HeldSkill) -> str:
    return _("until %(day)s") % {"day": formatting.format_day(item.expires_on)} if item.expires_on else ""
