"""Finds the fault report that a buyer's message names."""

from seller_sandbox.faults import lifecycle
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.faults.refusals import TicketRefused
from seller_sandbox.faults.states import ACCEPTED_ONCE
from seller_sandbox.faults.wire.responses import FaultResponseCode
from seller_sandbox.network.models import Buyer

UNKNOWN = "You have no fault report {}. Send the references of one fault report of yours."


def find(buyer_reference: str, maintainer_reference: str, *, buyer: Buyer) -> FaultReport:
    """The buyer's own report, locked; both references must belong to it where both are sent. Raises TicketRefused."""
    found = FaultReport.objects.filter(buyer=buyer, buyer_fault_reference=buyer_reference)
    if maintainer_reference:
        # before it was accepted the buyer knows no reference of ours
        found = found.filter(maintainer_fault_reference=maintainer_reference, state__in=ACCEPTED_ONCE)
    report = found.first()
    if report is None:
        names = " with ".join(filter(None, (buyer_reference, maintainer_reference)))
        raise TicketRefused(FaultResponseCode.UNKNOWN_FAULT_REPORT, UNKNOWN.format(names))
    return lifecycle.lock(report.maintainer_fault_reference)


def wrong_state(report: FaultReport, what: str, *, possible: str) -> TicketRefused:
    return TicketRefused(
        FaultResponseCode.WRONG_STATE,
        f"{what} is not possible: the fault report is {report.get_state_display()}. {possible}",
    )
