"""Stored data that cannot be shown: one broken row is named with its number and never breaks a list."""

from collections.abc import Callable
from typing import TypeVar

import structlog
from django.utils.translation import gettext as _

from dispatch.models import Job

Shown = TypeVar("Shown")
log = structlog.get_logger("dispatch.display_errors")
# what odd data raises while it is laid out; a database that is away is nothing that a row could be blamed for
DISPLAY_ERRORS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def build_or_replace(job: Job, build: Callable[[], Shown], replace: Callable[[str], Shown]) -> Shown:
    """What `build` makes of the job; where its data cannot be shown, what `replace` makes of the reason."""
    try:
        return build()
    except DISPLAY_ERRORS as error:
        log.error("job cannot be shown", job=job.provider_job_id, error=type(error).__name__)
        reason = _(
            "The data of job %(job)s cannot be displayed (%(error)s). Give the job number to your supervisor."
        )
        return replace(reason % {"job": job.provider_job_id, "error": type(error).__name__})
