"""requestFaultReportUpdate: the full update follows as notifyFaultReportUpdate, whatever has become of the ticket."""

from seller_sandbox.faults import lifecycle, tickets
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.faults.states import FaultEventKind
from seller_sandbox.faults.wire.requests import FaultReportUpdateRequest
from seller_sandbox.network.models import Buyer


def receive(request: FaultReportUpdateRequest, *, buyer: Buyer) -> FaultReport:
    """Raises TicketRefused."""
    report = tickets.find(request.buyer_fault_reference, request.maintainer_fault_reference, buyer=buyer)
    lifecycle.apply(report, FaultEventKind.UPDATE_REQUESTED, update_reason="Update requested by the buyer")
    return report
