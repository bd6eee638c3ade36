"""What property flags ask for: the table that a supervisor changes, and the rules that apply until then
(installation-jobs.md, Property flags)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dispatch import skills
from dispatch.models import FlagRule, LearnedLength
from dispatch.problems import ActionRefused, Problem
from dispatch.states import DEFAULT_MINUTES, JobType
from engineers.area_scope import check_unlimited, scope_of
from engineers.audit import record_audit
from engineers.models import User

# as the sentence in installation-jobs.md has it
SURVEY_LEAD_DAYS = 10
# of the quantiles of a LearnedLength
PLANNED_QUANTILE = 3
SKILL_OF_TYPE = {JobType.CIVILS: "civils"}
DEFAULTS: tuple[dict[str, Any], ...] = (
    {
        "code": "CHP",
        "skill": "cherry-picker",
        "needs_two_people": True,
        "kit": [gettext_lazy("Cherry picker"), gettext_lazy("Harness and helmet")],
    },
    {
        "code": "DAN",
        "skill": "dangerous-sites",
        "needs_two_people": True,
        "kit": [gettext_lazy("Protective equipment for dangerous locations")],
    },
    {"code": "DTL", "extra_minutes": 30, "kit": [gettext_lazy("Long drop cable (over 10 m)")]},
    {"code": "SUR", "lead_days": SURVEY_LEAD_DAYS, "needs_survey": True},
    {
        "code": "MDU",
        "skill": "mdu",
        "extra_minutes": 30,
        "kit": [gettext_lazy("Riser key and contact of the building's manager")],
    },
    {"code": "WSD"},
)
MEMBERS = ("skill", "needs_two_people", "extra_minutes", "kit", "lead_days", "needs_survey")


class RuleChanged(ActionRefused):
    """Somebody has changed this rule since it was shown; nothing has changed now."""


@dataclass(frozen=True)
class FlagRules:
    """The whole table by code, what a supervisor changed and the rest of DEFAULTS."""

    by_code: dict[str, FlagRule]

    def rules_of(self, flags: Iterable[str]) -> list[FlagRule]:
        """Of these flags, each once although the seller may name one twice; one without a rule asks for nothing."""
        return [self.by_code[code] for code in dict.fromkeys(flags) if code in self.by_code]


def default_rules() -> FlagRules:
    return FlagRules({row["code"]: FlagRule(**row) for row in DEFAULTS})


def load_flag_rules() -> FlagRules:
    """One query."""
    return FlagRules(default_rules().by_code | {rule.code: rule for rule in FlagRule.objects.all()})


@transaction.atomic
def change_rule(*, code: str, seen: int, by: User, changes: dict[str, Any]) -> FlagRule:
    """Keep what a supervisor decided; `changes` has every name of MEMBERS, `seen` is the version that was shown.
    Raises RuleChanged, and PermissionDenied for whoever is limited to some areas."""
    check_unlimited(scope_of(by))
    known = FlagRule.objects.select_for_update().filter(code=code).first()
    rule = known or default_rules().by_code.get(code) or FlagRule(code=code)
    if rule.version != seen:
        raise _rule_changed(code)
    before = _as_json(rule)
    for name in MEMBERS:
        setattr(rule, name, changes[name])
    rule.version += 1
    try:
        with transaction.atomic():
            rule.save()
    except IntegrityError as problem:
        # its first change, by two at the same moment: there was no row to lock
        raise _rule_changed(code) from problem
    record_audit(actor=by, action="flag_rule_changed", subject=code, before=before, after=_as_json(rule))
    return rule


def _rule_changed(code: str) -> RuleChanged:
    message = _("Somebody changed this rule at the same time. Check it and save again.")
    return RuleChanged([Problem("rule_changed", code, message)])


def _as_json(rule: FlagRule) -> dict[str, Any]:
    return {name: getattr(rule, name) for name in MEMBERS} | {"kit": [str(item) for item in rule.kit]}


def usual_minutes(*, job_type: str, product: str, flags: Iterable[str]) -> int:
    """The length of a job for which the seller gives none: as learned of the product or of the type, or else the
    default, and with flags at least what was learned of each, or else what its rule adds. At most two queries."""
    flags = list(flags)
    used = LearnedLength.objects.filter(job_type=job_type, is_used=True)
    learned = {(row.product, row.flag): planned_minutes(row) for row in used}
    base = learned.get((product, ""), learned.get(("", ""), DEFAULT_MINUTES[JobType(job_type)]))
    if not flags:
        return base
    of_flags = [learned[("", flag)] for flag in flags if ("", flag) in learned]
    rules = load_flag_rules().rules_of(flag for flag in flags if ("", flag) not in learned)
    return max([base, *of_flags]) + sum(rule.extra_minutes for rule in rules)


def planned_minutes(row: LearnedLength) -> int:
    """Three of four jobs took no longer."""
    minutes: int = row.minutes[PLANNED_QUANTILE]
    return minutes


def required_skills(*, job_type: str, rules: Iterable[FlagRule]) -> frozenset[str]:
    """The skill codes that a job of these rules asks of its engineer."""
    asked = {rule.skill for rule in rules} | {SKILL_OF_TYPE.get(JobType(job_type), "")}
    return frozenset(asked - {""})


def team_skill(rules: Iterable[FlagRule]) -> frozenset[str]:
    """Who comes with a second person, where a rule asks for two."""
    return frozenset({skills.TEAM_SKILL}) if any(rule.needs_two_people for rule in rules) else frozenset()


def longest_lead_time(rules: Iterable[FlagRule]) -> int:
    """Days between the order and the earliest visit."""
    return max((rule.lead_days for rule in rules), default=0)
