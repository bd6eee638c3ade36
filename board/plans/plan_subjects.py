"""What a plan is about, in a few words: an area, chosen jobs, or what has happened."""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from board import formatting
from dispatch.models import Occasion, PlanComparison, PlanProposal
from engineers.models import Area


def occasion_text(comparison: PlanComparison) -> str:
    title = comparison.job.title if comparison.job else ""
    match comparison.occasion:
        case Occasion.URGENT_JOB:
            return _("%(job)s is urgent") % {"job": title}
        case Occasion.JOB_CANCELLED:
            return _("%(job)s is cancelled") % {"job": title}
        case Occasion.NO_ACCESS:
            return _("Nobody lets the engineer in at %(job)s") % {"job": title}
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
        return f"{occasion_text(proposal.comparison)}: {proposal.get_way_display()}"
    jobs = proposal.scope.get("jobs")
    if jobs is not None:
        return ngettext("%(number)d chosen job", "%(number)d chosen jobs", len(jobs)) % {"number": len(jobs)}
    return areas.get(proposal.scope.get("area"), _("All areas"))
