"""Refusals as values: the page lists them and the save refuses on the blocking ones, from one source. Stored data that
cannot be displayed is replaced by its number, so that one broken row never breaks a page.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import structlog
from django.utils.translation import gettext as _

from dispatch.models import Job, Visit
from monitoring.coded_texts import Reason, reason_json


@dataclass(frozen=True)
class Problem:
    """One thing that is in the way.

    `code` is stable for programs, `where` names the field that corrects it ("starts_at", "question:LIGHT02"),
    `message` is a sentence for a person, `blocks` tells a refusal from a warning. `can_override`: a dispatcher may go
    on all the same, with a reason that is recorded.
    """

    code: str
    where: str
    message: str
    blocks: bool = True
    can_override: bool = False
    # whose it is, where several jobs were to be changed
    job: str = ""
    title: str = ""
    # the other job that the message names, and by what
    other_job: str = ""
    other_title: str = ""


class ActionRefused(Exception):
    """An expected refusal; nothing has changed. Carries every problem at once."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = list(problems)


def blocking_problems(problems: Sequence[Problem]) -> list[Problem]:
    return [problem for problem in problems if problem.blocks]


def with_other_job(problem: Problem, other: Visit) -> Problem:
    """Naming the job of that visit, where whoever asks may see it."""
    if not other.is_in_scope:
        return problem
    return replace(problem, other_job=other.job.provider_job_id, other_title=other.job.title)


Displayed = TypeVar("Displayed")
log = structlog.get_logger("dispatch.problems")
# what odd data raises while it is laid out; a database that is away is nothing that a row could be blamed for
DISPLAY_ERRORS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def build_or_replace(
    job: Job, build: Callable[[], Displayed], replace: Callable[[str], Displayed]
) -> Displayed:
    """What `build` makes of the job; where its data cannot be shown, what `replace` makes of the reason."""
    try:
        return build()
    except DISPLAY_ERRORS as error:
        log.error("job cannot be shown", job=job.provider_job_id, error=type(error).__name__)
        reason = _(
            "The data of job %(job)s can't be displayed (%(error)s). Give the job number to your supervisor."
        )
        return replace(reason % {"job": job.provider_job_id, "error": type(error).__name__})


def overridden_facts(problems: Sequence[Problem], reason: Reason) -> dict[str, Any]:
    """What was overridden and why, as facts of an event; empty for nothing."""
    if not problems:
        return {}
    return {"overridden": [problem.code for problem in problems], "override_reason": reason_json(reason)}
