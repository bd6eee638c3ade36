"""What the pages of a plan say beside its changes: why there is none, what it assumes, how it was searched."""

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dispatch.models import Occasion, PlanComparison, PlanProposal, ProposalState
from dispatch.planning.proposals import is_overdue
from dispatch.planning.reason_codes import EndedBy


def plan_failure(proposal: PlanProposal) -> str:
    """Why there is no plan and will be none, empty otherwise."""
    if proposal.state == ProposalState.FAILED:
        return _("The plan could not be made. Nothing has changed. Try again, or choose a smaller part.")
    if is_overdue(proposal, now=timezone.now()):
        return _("The planner does not answer. Nothing has changed. Tell the system operator.")
    return ""


def assumption_text(comparison: PlanComparison) -> str:
    """What the board does not know yet, and what enters it."""
    texts = {
        Occasion.ENGINEER_ABSENT: _(
            "This is only assumed. Accepting an option also marks the engineer absent for the rest of the day."
        ),
        Occasion.JOB_CANCELLED: _("This is only assumed. Accepting an option also unassigns the job."),
        Occasion.VISIT_LONGER: _("This is only assumed. Accepting an option also records the longer visit."),
    }
    return texts.get(Occasion(comparison.occasion), "")


def weight_note(proposal: PlanProposal) -> str:
    """What it costs to move a visit, empty for a new plan."""
    minutes = proposal.change_minutes
    if not minutes:
        return ""
    if proposal.is_first_plan:
        return _("No customer expects an engineer yet, so this is a new plan: there is no visit to be moved.")
    text = ngettext(
        "A visit changes its engineer or its start only where that saves %(minutes)d minute of driving or makes time "
        "for another job.",
        "A visit changes its engineer or its start only where that saves %(minutes)d minutes of driving or makes time "
        "for another job.",
        minutes,
    )
    return text % {"minutes": minutes}


def end_note(proposal: PlanProposal) -> str:
    """That the plan is not the last word, empty where it is."""
    notes: dict[str, str] = {
        EndedBy.TIME_LIMIT: _("The search ran out of time. With more seconds it may find a better plan."),
        EndedBy.STOPPED: _("The search was stopped: this is the best plan until then."),
    }
    return notes.get(proposal.ended_by, "")


def search_note(proposal: PlanProposal) -> str:
    """With what the same jobs give the same plan again, empty before there is one."""
    number = proposal.neighbourhoods_searched
    if not number:
        return ""
    text = ngettext(
        "Searched: %(number)d step, seed %(seed)d.", "Searched: %(number)d steps, seed %(seed)d.", number
    )
    return text % {"number": number, "seed": proposal.seed}
