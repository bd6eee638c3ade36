"""Whether the buyer tested the line before it raised a ticket (What the service does 4)."""

from datetime import timedelta

from seller_sandbox.diagnostics import diagnostics_runs
from seller_sandbox.faults.models import FaultReport

# an older test says nothing of this fault; a sample value
HOURS_BEFORE = 24


def came_before(report: FaultReport) -> bool:
    """Whether the buyer ran diagnostics for this service in the hours before its report came."""
    run = diagnostics_runs.last_run(
        service_identifier=report.service_affected,
        caller=report.buyer.subject,
        until=report.received_at,
    )
    return run is not None and run.run_at >= report.received_at - timedelta(hours=HOURS_BEFORE)
