"""The best plan so far as a line of text, from the engine's process to whoever runs it."""

import json
from typing import Any

from dispatch.planning.engine.routing_problem import Plan, PlanProgress, PlanVisit
from dispatch.planning.reason_codes import EndedBy


def progress_line(progress: PlanProgress) -> str:
    plan = progress.plan
    found: dict[str, Any] = {
        "visits": plan.visits,
        "ended_by": plan.ended_by,
        "neighbourhoods": plan.neighbourhoods,
        "value": progress.value,
        "travel_seconds": progress.travel_seconds,
        "seconds": round(progress.seconds, 3),
        "is_last": progress.is_last,
        "option": progress.option,
    }
    return json.dumps(found, separators=(",", ":"))


def parse_progress(line: str | bytes) -> PlanProgress:
    """Raises ValueError, KeyError or TypeError when it is no line of the engine."""
    found = json.loads(line)
    visits = tuple(PlanVisit(*visit) for visit in found["visits"])
    plan = Plan(visits, EndedBy(found["ended_by"]), found["neighbourhoods"])
    return PlanProgress(
        plan,
        value=found["value"],
        travel_seconds=found["travel_seconds"],
        seconds=found["seconds"],
        is_last=found["is_last"],
        option=found["option"],
    )
