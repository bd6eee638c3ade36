"""When the seller takes its next step with a fault report, and the names of what falls due."""

from datetime import datetime, timedelta

from django.conf import settings

from seller_sandbox import clock, due_actions
from seller_sandbox.faults.models import FaultReport

VALIDATE, START_TRIAGE = "faults.validate", "faults.start_triage"
CONTACT, CLOSE_BY_SILENCE = "faults.contact_end_user", "faults.close_by_silence"
LINE_WORKS, TRIAGE, SLOT_ENDED = "faults.line_works", "faults.triage", "faults.slot_ended"
ALL = (VALIDATE, START_TRIAGE, CONTACT, CLOSE_BY_SILENCE, LINE_WORKS, TRIAGE, SLOT_ENDED)


def next_step() -> datetime:
    """The seller works on a report this long (SANDBOX_FAULT_STEP_SECONDS) before it says more."""
    return clock.now() + timedelta(seconds=settings.FAULT_STEP_SECONDS)


def schedule(name: str, report: FaultReport, *, at: datetime | None = None) -> None:
    due_actions.schedule(name, at=at or next_step(), subject=report.maintainer_fault_reference)


def stop(report: FaultReport) -> None:
    """The report has ended: nothing of it falls due any more; a repair of its line goes on."""
    due_actions.cancel(*ALL, subject=report.maintainer_fault_reference)
