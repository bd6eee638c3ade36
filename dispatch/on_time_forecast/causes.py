"""Why a visit may not begin inside its window; the board words it (dispatch.risk)."""

from enum import StrEnum


class Cause(StrEnum):
    """Of most simulated days in which the window is missed: a drive or the work at an earlier visit takes longer than
    planned, or the plan itself leaves too little time."""

    NONE = ""
    DRIVE = "drive"
    WORK = "work"
    PLAN = "plan"
