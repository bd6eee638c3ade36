"""An alarm while photos cannot be kept: raised by a write that fails, cleared with the next photo that is stored."""

from typing import Any

import structlog
from django.db import DatabaseError
from django.utils.translation import gettext as _

from monitoring.alarms import AlarmKind, clear, raise_alarm

log = structlog.get_logger("closures.evidence_alarms")
SUBJECT = "evidence"


def on_write_failed(*, error: str, **_given: Any) -> None:
    """A database that is away as well is no reason to hide what failed."""
    words = _(
        "Photos cannot be stored (%(error)s). The phones keep them and send them again. "
        "Check the bucket or the disk that keeps the evidence."
    )
    try:
        raise_alarm(AlarmKind.EVIDENCE_UNAVAILABLE, SUBJECT, words % {"error": error})
    except DatabaseError as problem:
        log.error("database away", error=type(problem).__name__)


def on_photo_stored(**_given: Any) -> None:
    clear(AlarmKind.EVIDENCE_UNAVAILABLE, SUBJECT)
