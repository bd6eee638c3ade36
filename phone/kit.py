"""The kit of the day for the phone."""

from collections.abc import Iterable

from dispatch.kit_list import build_kit_list
from dispatch.models import Job
from dispatch.requirements import list_requirements


def serialize_kit(jobs: Iterable[Job]) -> list[dict[str, str]]:
    """`[{"text", "places"}]` for these jobs in their order; at most two queries."""
    jobs = list(jobs)
    items = build_kit_list(jobs, list_requirements(jobs))
    return [{"text": item.text, "places": ", ".join(job.title for job in item.jobs)} for item in items]
