"""The table of property flags: what each asks for, and for a supervisor the form that changes it."""

import re
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from board.flags.forms import FlagRuleForm
from dispatch import skills
from dispatch.flag_rules import load_flag_rules
from dispatch.models import FlagRule

# as the seller writes its flags; others could not be told from a slip
CODE = re.compile(r"[A-Z0-9][A-Z0-9_-]{0,19}")


@dataclass(frozen=True)
class FlagLine:
    """`asks`: what the rule asks for in words; `form` only for whoever may change it."""

    code: str
    label: str
    icon: str
    asks: list[str]
    form: FlagRuleForm | None


@dataclass(frozen=True)
class FlagsPage:
    """`new_code`: a code that was typed and cannot be one."""

    lines: list[FlagLine]
    can_change: bool
    wrong_code: str = ""


def flags_page(*, can_change: bool, new_code: str = "", bound: FlagRuleForm | None = None) -> FlagsPage:
    """`new_code`: a flag to add; `bound`: the form of that flag as it was sent, with its errors."""
    rules = dict(load_flag_rules().by_code)
    is_code = CODE.fullmatch(new_code) is not None
    if is_code and can_change:
        rules.setdefault(new_code, FlagRule(code=new_code))
    lines = [
        _line(rule, can_change=can_change, bound=bound if code == new_code else None)
        for code, rule in rules.items()
    ]
    return FlagsPage(lines, can_change, wrong_code="" if is_code else new_code)


def _line(rule: FlagRule, *, can_change: bool, bound: FlagRuleForm | None) -> FlagLine:
    flag = skills.find_flag(rule.code)
    form = bound or rule_form(rule)
    return FlagLine(rule.code, str(flag.label), flag.icon, _asks(rule), form if can_change else None)


def rule_form(rule: FlagRule) -> FlagRuleForm:
    return FlagRuleForm(
        initial={
            "version": rule.version,
            "skill": rule.skill,
            "needs_two_people": rule.needs_two_people,
            "extra_minutes": rule.extra_minutes,
            "lead_days": rule.lead_days,
            "needs_survey": rule.needs_survey,
            "kit": "\n".join(map(str, rule.kit)),
        },
        auto_id=f"{rule.code}-%s",
    )


def _asks(rule: FlagRule) -> list[str]:
    days = ngettext("%(days)d day of lead time", "%(days)d days of lead time", rule.lead_days)
    found = [
        _("Skill: %(skill)s") % {"skill": skills.skill_name(rule.skill)} if rule.skill else "",
        _("Two people") if rule.needs_two_people else "",
        _("%(minutes)d min longer") % {"minutes": rule.extra_minutes} if rule.extra_minutes else "",
        days % {"days": rule.lead_days} if rule.lead_days else "",
        _("Survey first") if rule.needs_survey else "",
        _("Kit: %(kit)s") % {"kit": ", ".join(map(str, rule.kit))} if rule.kit else "",
    ]
    return [text for text in found if text]
