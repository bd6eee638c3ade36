"""Plans in sentences: a job's history of who has it, who accompanies and when; and what a proposal is about."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from board import formatting
from dispatch.models import Occasion, PlanComparison, PlanProposal
from dispatch.states import JobState
from engineers.models import Area
from engineers.shifts import TimeSpan
from monitoring.coded_texts import reason_text

Facts = Mapping[str, Any]


def describe_assignment(facts: Facts) -> str:
    return _with_override(_assignment(facts), facts)


def _with_override(text: str, facts: Facts) -> str:
    """A rule was overridden: the reason that the dispatcher gave."""
    if not facts.get("overridden"):
        return text
    parameters = {"plan": text, "reason": reason_text(facts.get("override_reason"))}
    return _("%(plan)s. A rule was overridden: %(reason)s") % parameters


def _assignment(facts: Facts) -> str:
    plan = f"{_team(facts)}, {_plan(facts)}"
    if facts.get("state_then") in {JobState.EN_ROUTE, JobState.ON_SITE}:
        then = str(JobState(facts["state_then"]).label).lower()
        parameters = {"plan": plan, "before": facts.get("instead_of", ""), "then": then}
        return _("%(plan)s, handed over by %(before)s (%(then)s)") % parameters
    if facts.get("instead_of"):
        return _("%(plan)s, reassigned from %(before)s") % {"plan": plan, "before": facts["instead_of"]}
    return plan


def describe_move(facts: Facts) -> str:
    start = formatting.format_moment(datetime.fromisoformat(facts["from"]))
    who = _team(facts)
    text = _("%(who)s, from %(start)s to %(plan)s") % {"who": who, "start": start, "plan": _plan(facts)}
    return _with_override(text, facts)


def _team(facts: Facts) -> str:
    return formatting.format_team(str(facts.get("engineer_name", "")), str(facts.get("second_name", "")))


def describe_second_engineer(facts: Facts) -> str:
    now, before = facts.get("second_name"), facts.get("second_before")
    if not now:
        return _("%(before)s no longer accompanies %(engineer)s") % {
            "before": before,
            "engineer": facts.get("engineer_name", ""),
        }
    text = _("%(team)s, instead of %(before)s") % {"team": _team(facts), "before": before} if before else ""
    return _with_override(text or _team(facts), facts)


def describe_unassignment(facts: Facts) -> str:
    return with_reason(_team(facts), facts.get("reason"))


def _plan(facts: Facts) -> str:
    start, end = (datetime.fromisoformat(facts[name]) for name in ("planned_start", "planned_end"))
    return formatting.format_span_with_day(TimeSpan(start, end))


def with_reason(subject: str, reason: Any) -> str:
    return ": ".join(part for part in (subject, reason_text(reason)) if part)


def occasion_text(comparison: PlanComparison) -> str:
    title = comparison.job.title if comparison.job else ""
    match comparison.occasion:
        case Occasion.URGENT_JOB:
            return _("%(job)s is urgent") % {"job": title}
        case Occasion.JOB_CANCELLED:
            return _("%(job)s is cancelled") % {"job": title}
        case Occasion.NO_ACCESS:
            return _("No access at %(job)s") % {"job": title}
        case Occasion.VISIT_LONGER:
            parameters = {"job": title, "minutes": comparison.longer_minutes}
            return _("%(job)s takes %(minutes)d minutes longer") % parameters
        case _other:
            name = comparison.engineer.name if comparison.engineer else ""
            since = comparison.absent_since or comparison.requested_at
            parameters = {"engineer": name, "since": formatting.format_moment(since)}
            return _("%(engineer)s is absent from %(since)s") % parameters


def plan_subjects(proposals: Iterable[PlanProposal]) -> Mapping[int, str]:
    """By the proposal's key; one query, for the names of areas."""
    found = list(proposals)
    keys = {proposal.scope["area"] for proposal in found if proposal.scope.get("area")}
    areas = dict(Area.objects.filter(pk__in=keys).values_list("pk", "name")) if keys else {}
    return {proposal.pk: _subject(proposal, areas) for proposal in found}


def _subject(proposal: PlanProposal, areas: Mapping[int, str]) -> str:
    if proposal.comparison:
        return f"{occasion_text(proposal.comparison)}: {proposal.get_option_display()}"
    jobs = proposal.scope.get("jobs")
    if jobs is not None:
        return ngettext("%(number)d chosen job", "%(number)d chosen jobs", len(jobs)) % {"number": len(jobs)}
    return areas.get(proposal.scope.get("area"), _("All areas"))
