"""The reasons of a proposal as sentences in the reader's language."""

from collections.abc import Callable, Iterable

from django.utils.translation import gettext as _

from dispatch import skills
from dispatch.models import ProposedChange
from dispatch.planning.reason_codes import ChangeReason, UnassignedCode
from engineers.moment_texts import format_span


def reason_text(change: ProposedChange) -> str:
    """Why the planner puts the job there, or finds nobody; reads `job` and the engineers with their user."""
    plain_text = _PLAIN.get(change.reason)
    return plain_text() if plain_text else _unassigned_text(change)


def pinned_text(codes: Iterable[str]) -> str:
    """Which rules a visit breaks that stays all the same, by the codes of availability."""
    other = _("It breaks an assignment rule.")
    return " ".join(dict.fromkeys(str(_PINNED[code]()) if code in _PINNED else other for code in codes))


def _unassigned_text(change: ProposedChange) -> str:
    codes: list[str] = change.parameters.get("skills", [])
    text = _texts_with_skills(change.reason) if codes else _texts_without_skills(change.reason)
    return text % {
        "skills": skills.skill_names(codes),
        "window": format_span(change.job.window),
        "in_reach": change.parameters.get("in_reach", 0),
    }


def _texts_with_skills(code: str) -> str:
    return {
        UnassignedCode.SKILL: _("No engineer here is qualified for %(skills)s."),
        UnassignedCode.SHIFT: _("No engineer qualified for %(skills)s is working %(window)s."),
        UnassignedCode.TOO_LONG: _(
            "The job takes longer than any engineer qualified for %(skills)s works between breaks and absences."
        ),
        UnassignedCode.RESERVE: _(
            "An engineer qualified for %(skills)s could only do it in the minutes kept free at the end of the shift."
        ),
        UnassignedCode.REACH: _("No engineer qualified for %(skills)s can get there in time, %(window)s."),
        UnassignedCode.MOST_JOBS: _(
            "Every engineer qualified for %(skills)s who can get there in time already has the maximum number of jobs."
        ),
        UnassignedCode.TEAM: _(
            "It needs two engineers at the same time, one qualified for %(skills)s. No two are free %(window)s "
            "(%(in_reach)d of these within reach)."
        ),
        UnassignedCode.CAPACITY: _(
            "No engineer qualified for %(skills)s is free %(window)s (%(in_reach)d within reach)."
        ),
    }.get(UnassignedCode(code), "")


def _texts_without_skills(code: str) -> str:
    return {
        UnassignedCode.SHIFT: _("No engineer is working %(window)s."),
        UnassignedCode.TOO_LONG: _(
            "The job takes longer than any engineer works between breaks and absences."
        ),
        UnassignedCode.RESERVE: _(
            "An engineer could only do it in the minutes kept free at the end of the shift."
        ),
        UnassignedCode.REACH: _("No engineer can get there in time, %(window)s."),
        UnassignedCode.MOST_JOBS: _(
            "Every engineer who can get there in time already has the maximum number of jobs."
        ),
        UnassignedCode.TEAM: _(
            "It needs two engineers at the same time. No two are free %(window)s (%(in_reach)d within reach)."
        ),
        UnassignedCode.CAPACITY: _("No engineer is free %(window)s (%(in_reach)d within reach)."),
    }.get(UnassignedCode(code), "")


_PLAIN: dict[str, Callable[[], str]] = {
    UnassignedCode.NO_ENGINEERS: lambda: _("No engineer is working in this part of the plan."),
    UnassignedCode.NO_WINDOW: lambda: _(
        "Its window or lead time leaves no room for it in the planned period."
    ),
    UnassignedCode.ON_HOLD: lambda: _("The job is on hold. Release it first."),
    UnassignedCode.NEEDS_LOCATION: lambda: _("The job has no location yet. Set the location first."),
    UnassignedCode.SURVEY_MISSING: lambda: _("The premises must be surveyed first."),
    ChangeReason.FREE_ENGINEER: lambda: _("The job is unassigned, and the engineer has time."),
    ChangeReason.NOT_WORKING: lambda: _("The engineer who has the job isn't working then."),
    ChangeReason.RULE_BROKEN: lambda: _("Today's times of the engineer who has the job can't be kept."),
    ChangeReason.STILL_IN_WINDOW: lambda: _("The engineer still comes inside the window."),
    ChangeReason.AFTER_WINDOW: lambda: _("The engineer comes after the window. Call the customer."),
    ChangeReason.WINDOW_KEPT: lambda: _(
        "An engineer has already been on site, so the customer's window no longer counts."
    ),
    ChangeReason.BETTER_ROUTE: lambda: _("It makes time for other jobs, or saves driving."),
}

_PINNED: dict[str, Callable[[], str]] = {
    "outside_window": lambda: _("It is outside the customer's window."),
    "window_over": lambda: _("It is outside the customer's window."),
    "engineer_suspended": lambda: _(
        "The engineer's account is suspended. Unpin the visit and choose somebody else."
    ),
    "outside_shift": lambda: _("The engineer isn't working then."),
    "on_break": lambda: _("The engineer has a break then."),
    "working_time": lambda: _("It breaks a limit of the engineer's working time."),
    "double_booking": lambda: _("The engineer has another visit then."),
    "travel": lambda: _("Too little time is left for a drive before or after it."),
    "skill_missing": lambda: _("The engineer lacks a skill that the job needs."),
    "skill_expired": lambda: _("The engineer lacks a skill that the job needs."),
    "team_missing": lambda: _("It needs two engineers."),
    "survey_missing": lambda: _("The premises must be surveyed first."),
    "lead_time": lambda: _("The lead time is not kept."),
}
