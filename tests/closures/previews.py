"""What is in the way of a closure, without closing anything."""

from closures import closing, closure_validation
from closures.closing import Outcome
from dispatch.models import Job
from dispatch.problems import Problem


def preview_close(*, job: Job, outcome: Outcome) -> list[Problem]:
    """Warnings included."""
    return closure_validation.closure_problems(closing.closing_context(job=job, outcome=outcome))
