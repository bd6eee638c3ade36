"""An ONT that was exchanged on a revisit is the one at the premises from then on (fault-decisions.md, D16)."""

from seller_sandbox import clock
from seller_sandbox.jobs.models import Job
from seller_sandbox.network import services
from seller_sandbox.network.models import Service
from seller_sandbox.orders import completion, visit_results


def record(job: Job, *, service: Service) -> None:
    """Install the device that was scanned last; one that is installed elsewhere, or was never scanned, changes nothing.

    The line's own state is that of jobs/provisioned_lines.py.
    """
    scanned = visit_results.scanned_by(job)
    if scanned is None:
        return
    device = {"fsan": scanned.fsan, "serial_number": scanned.serial_number}
    if not services.can_install_ont(location=service.location, **device):
        return
    services.install_ont(
        location=service.location,
        ont_model=completion.model_of(scanned, product=service.product),
        at=clock.now(),
        **device,
    )
