"""Which rules a dispatcher overrode, with a reason, when a visit was booked."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from dispatch.models import JobEvent
from dispatch.states import EventKind
from monitoring.coded_texts import CodedText, stored_reason

BOOKINGS = (EventKind.ENGINEER_ASSIGNED, EventKind.RESCHEDULED, EventKind.SECOND_ENGINEER_CHANGED)
# what undo and redo give as their reason: nobody decided anything about the rules
REPEATS = frozenset({"plan_undone", "plan_redone"})
Facts = Mapping[str, Any]


def read_overridden_codes(jobs: Iterable[int]) -> dict[int, set[str]]:
    """By job (key), for the plan that it has: codes of availability. One query."""
    bookings = JobEvent.objects.filter(job__in=list(jobs), kind__in=BOOKINGS).order_by("job", "seq")
    by_job = groupby(bookings.values_list("job_id", "facts"), key=lambda booking: booking[0])
    found = {job: _decided_codes(facts for _job, facts in rows) for job, rows in by_job}
    return {job: codes for job, codes in found.items() if codes}


def _decided_codes(bookings: Iterable[Facts]) -> set[str]:
    """Of one job's bookings in order: an undo or a redo has those of the booking that it repeats, and a second engineer
    who was changed under way, who alone was checked then, adds to those of the visit."""
    by_plan: dict[tuple[str | None, ...], set[str]] = {}
    visit_codes: set[str] = set()
    second_codes: set[str] = set()
    for facts in bookings:
        codes = {*facts.get("overridden", ())}
        if "planned_start" not in facts:  # second_engineers
            second_codes = codes
            continue
        plan = tuple(facts.get(name) for name in ("engineer_number", "second_number", "planned_start"))
        visit_codes = codes & by_plan.get(plan, set()) if _is_repeat(facts) else codes
        by_plan[plan], second_codes = visit_codes, set()
    return visit_codes | second_codes


def _is_repeat(facts: Facts) -> bool:
    reason = stored_reason(facts.get("override_reason"))
    return isinstance(reason, CodedText) and reason.key in REPEATS
