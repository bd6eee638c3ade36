"""Adding, renaming and removing skills, which are those of all areas: whoever is limited to some changes none. What the
application's own rules ask for stays as it is."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from dispatch.flag_rules import load_flag_rules, team_skill
from dispatch.skills import SKILL_NAMES
from engineers.area_scope import check_unlimited, scope_of
from engineers.audit import record_audit
from engineers.models import Skill, User
from engineers.refusals import NameTaken


@dataclass(frozen=True)
class SkillUse:
    """Why a skill stays: the application knows it, engineers hold it (how many), or rules of flags ask for it."""

    is_built_in: bool
    holders: int
    flags: tuple[str, ...]

    @property
    def is_free(self) -> bool:
        return not (self.is_built_in or self.holders or self.flags)


class SkillInUse(Exception):
    def __init__(self, use: SkillUse) -> None:
        super().__init__(use)
        self.use = use


class SkillGone(Exception):
    """Somebody else has removed it."""


def flags_by_skill() -> dict[str, tuple[str, ...]]:
    """The flags whose rules ask for a skill, by its code; one query."""
    found: dict[str, list[str]] = {}
    for rule in load_flag_rules().by_code.values():
        for skill in ({rule.skill} - {""}) | team_skill([rule]):
            found.setdefault(skill, []).append(rule.code)
    return {code: tuple(sorted(flags)) for code, flags in found.items()}


def skill_use(skill: Skill, *, holders: int, flags: Iterable[str]) -> SkillUse:
    return SkillUse(is_built_in=skill.code in SKILL_NAMES, holders=holders, flags=tuple(flags))


@transaction.atomic
def create_skill(*, code: str, name: str, by: User) -> Skill:
    """The same twice makes one. Raises NameTaken for a code or a name that another skill has, PermissionDenied."""
    check_unlimited(scope_of(by))
    try:
        with transaction.atomic():
            skill, is_new = Skill.objects.get_or_create(code=code, defaults={"name": name})
    except IntegrityError as problem:
        raise NameTaken(name) from problem
    if is_new:
        record_audit(actor=by, action="skill_added", subject=code, after={"name": name})
    elif skill.name != name:
        raise NameTaken(code)
    return skill


@transaction.atomic
def rename_skill(*, pk: int, name: str, by: User) -> bool:
    """Whether the name was another one; a skill that the application knows keeps its name. Raises NameTaken,
    SkillGone, SkillInUse, PermissionDenied."""
    check_unlimited(scope_of(by))
    skill = Skill.objects.select_for_update().filter(pk=pk).first()
    if skill is None:
        raise SkillGone
    if skill.code in SKILL_NAMES:
        raise SkillInUse(SkillUse(is_built_in=True, holders=0, flags=()))
    before = skill.name
    if before == name:
        return False
    skill.name = name
    try:
        with transaction.atomic():
            skill.save(update_fields=["name"])
    except IntegrityError as problem:
        raise NameTaken(name) from problem
    record_audit(
        actor=by, action="skill_renamed", subject=skill.code, before={"name": before}, after={"name": name}
    )
    return True


@transaction.atomic
def remove_skill(*, pk: int, by: User) -> str:
    """The name of the removed skill, empty where it was gone already. Raises SkillInUse, PermissionDenied."""
    check_unlimited(scope_of(by))
    skill = Skill.objects.select_for_update().filter(pk=pk).first()
    if skill is None:
        return ""
    use = skill_use(skill, holders=skill.engineers.count(), flags=flags_by_skill().get(skill.code, ()))
    if not use.is_free:
        raise SkillInUse(use)
    skill.delete()
    record_audit(actor=by, action="skill_removed", subject=skill.code, before={"name": skill.name})
    return skill.name
