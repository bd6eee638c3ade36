"""Why a job is where the planner puts it, and why the planner ended, as codes that are kept; proposal_texts and the
board word them."""

from enum import StrEnum


class UnassignedCode(StrEnum):
    """Of the first ten, in this order, the first that applies to everybody is the reason; the others keep a job out
    of every plan."""

    NO_ENGINEERS = "no_engineers"
    NO_WINDOW = "no_window"
    SKILL = "skill"
    SHIFT = "shift"
    TOO_LONG = "too_long"
    RESERVE = "reserve"
    REACH = "reach"
    MOST_JOBS = "most_jobs"
    TEAM = "team"
    CAPACITY = "capacity"
    ON_HOLD = "on_hold"
    NEEDS_LOCATION = "needs_location"
    SURVEY_MISSING = "survey_missing"


class ChangeReason(StrEnum):
    """Of a job that gets an engineer or another time."""

    FREE_ENGINEER = "free_engineer"
    NOT_WORKING = "not_working"
    RULE_BROKEN = "rule_broken"
    BETTER_ROUTE = "better_route"
    STILL_IN_WINDOW = "still_in_window"
    AFTER_WINDOW = "after_window"
    WINDOW_KEPT = "window_kept"


class EndedBy(StrEnum):
    """Why the engine ended. Only after WORK does the same input give the same plan."""

    WORK = "work"
    TIME_LIMIT = "time_limit"
    STOPPED = "stopped"
