"""The answers to a buyer's messages about faults: each handler runs one and gives the bytes of its answer."""

from collections.abc import Callable
from typing import Any

from seller_sandbox.faults import amendments, lifecycle, repair_slots, reporting, resolutions, tickets
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.faults.states import FaultEventKind
from seller_sandbox.faults.wire import requests, responses
from seller_sandbox.network.models import Buyer

Handled = tuple[bytes, FaultReport | None]


def handle(request: requests.ParsedFaultRequest, *, buyer: Buyer) -> Handled:
    """The answer to a request, and the report that it is about. Raises TicketRefused."""
    return HANDLERS[type(request)](request, buyer)


def _add(request: requests.AddFaultReportRequest, buyer: Buyer) -> Handled:
    report = reporting.receive(request, buyer=buyer)
    return _success("addFaultReport", request, report, status=report.get_state_display())


def _amend(request: requests.AmendFaultReportRequest, buyer: Buyer) -> Handled:
    report = amendments.receive(request, buyer=buyer)
    return _success("amendFaultReport", request, report, **_known(report))


def _resolve(request: requests.ResolveResponseRequest, buyer: Buyer) -> Handled:
    report = resolutions.receive(request, buyer=buyer)
    values = {"resolve_accepted": request.resolve_accepted, **_known(report)}
    return _success("resolveResponse", request, report, **values)


def _update(request: requests.FaultReportUpdateRequest, buyer: Buyer) -> Handled:
    # the full update follows as notifyFaultReportUpdate, whatever has become of the ticket
    report = tickets.find(request.buyer_fault_reference, request.maintainer_fault_reference, buyer=buyer)
    lifecycle.apply(report, FaultEventKind.UPDATE_REQUESTED, update_reason="Update requested by the buyer")
    return _success("requestFaultReportUpdate", request, report, **_known(report))


def _slots(query: requests.RepairSlotsQuery, buyer: Buyer) -> Handled:
    found = repair_slots.list_slots(query, buyer=buyer)
    slots = [(slot.starts_at, slot.ends_at) for slot in found.slots]
    return responses.slots_answer(query.header, slots=slots, reason_text=found.reason), None


def _reserve(request: requests.ReserveRepairRequest, buyer: Buyer) -> Handled:
    found = repair_slots.reserve(request, buyer=buyer)
    content = responses.reservation_answer(
        request.header, appointment=found.appointment, reason_text=found.reason
    )
    return content, None


HANDLERS: dict[type, Callable[[Any, Buyer], Handled]] = {
    requests.AddFaultReportRequest: _add,
    requests.AmendFaultReportRequest: _amend,
    requests.ResolveResponseRequest: _resolve,
    requests.FaultReportUpdateRequest: _update,
    requests.RepairSlotsQuery: _slots,
    requests.ReserveRepairRequest: _reserve,
}


def _known(report: FaultReport) -> dict[str, str]:
    """Beside the header of an answer about an accepted report."""
    return {
        "maintainer_fault_reference": report.maintainer_fault_reference,
        "status": report.get_state_display(),
    }


def _success(path: str, request: Any, report: FaultReport, **values: Any) -> Handled:
    reference = report.buyer_fault_reference
    content = responses.ticket_answer(path, header=request.header, buyer_fault_reference=reference, **values)
    return content, report
