"""What the control interface reports of tickets and their notifications; instants are sandbox time."""

from collections.abc import Iterable
from datetime import datetime

from seller_sandbox.console.job_refusals import refusal_of
from seller_sandbox.console.orders.order_reports import Report, report_due, report_notification_attempts
from seller_sandbox.faults import sla
from seller_sandbox.faults.models import FaultReport, TicketVisit
from seller_sandbox.faults.revisits import missed_visits
from seller_sandbox.messages.models import OutboundMessage


def report_ticket(report: FaultReport) -> Report:
    """A ticket in one line; buyer and appointment should come with it."""
    appointment = report.appointment
    return {
        "maintainerFaultReference": report.maintainer_fault_reference,
        "buyerFaultReference": report.buyer_fault_reference,
        "parentFaultReference": report.parent_fault_reference or None,
        "buyer": report.buyer.identifier,
        "state": report.state,
        "status": report.get_state_display(),
        "serviceAffected": report.service_affected,
        "type": report.fault_type or None,
        "description": report.description,
        "appointment": appointment
        and {
            "key": str(appointment.key),
            "starts_at": _instant(appointment.starts_at),
            "ends_at": _instant(appointment.ends_at),
            "state": appointment.state,
        },
        "hold_reason": report.hold_reason or None,
        "closure_code": report.closure_code or None,
        "resolution": report.resolution or None,
        "rejection_reasons": report.rejection_reasons,
        "triage": report.triage or None,
        "had_diagnostics": report.had_diagnostics,
        "is_chargeable": report.is_chargeable,
        "is_visit_needed": report.is_visit_needed,
        "received_at": _instant(report.received_at),
        "accepted_at": _instant(report.accepted_at),
        "resolved_at": _instant(report.resolved_at),
        "ended_at": _instant(report.ended_at),
    }


def report_ticket_in_full(report: FaultReport) -> Report:
    """A ticket with everything that happened to it and what is still to come."""
    return {
        **report_ticket(report),
        "sla": report_sla(report),
        "events": [
            {"kind": event.kind, "at": _instant(event.at), "state": event.state, "details": event.details}
            for event in report.events.all()
        ],
        "updates": [
            {"author": row.get_author_display(), "text": row.text, "at": _instant(row.at)}
            for row in report.updates.all()
        ],
        "files": [
            {"author": row.get_author_display(), "fileName": row.name, "description": row.description}
            for row in report.files.all()
        ],
        "contact_attempts": [
            {"hold": row.hold, "kind": row.kind, "outcome": row.outcome, "at": _instant(row.at)}
            for row in report.contact_attempts.all()
        ],
        "visits": [_visit(visit) for visit in report.visits.select_related("job__thread")],
        "notifications": report_ticket_notifications(report.thread.outbound.order_by("seq")),
        "due": report_due(report.maintainer_fault_reference),
    }


def report_sla(report: FaultReport) -> Report:
    """The SLA clock in seconds of the type's calendar."""
    reading = sla.read(report)
    return {
        "elapsed_seconds": int(reading.elapsed.total_seconds()),
        "target_seconds": int(reading.target.total_seconds()),
        "is_running": reading.is_running,
        "is_breached": reading.is_breached,
        "due_at": _instant(reading.due_at),
    }


def report_ticket_notifications(messages: Iterable[OutboundMessage]) -> list[Report]:
    """Each with the XML as it was sent (null before the first try) and every attempt to deliver it."""
    found = list(messages)
    attempts = report_notification_attempts(found)
    return [
        {
            "id": message.pk,
            "messageId": str(message.message_id),
            "seq": message.seq,
            "path": message.operation,
            "buyer": message.members["buyer_identifier"],
            "buyerFaultReference": message.members["buyer_fault_reference"],
            "maintainerFaultReference": message.members["maintainer_fault_reference"] or None,
            "status": message.members["state"],
            "members": message.members,
            "delivery": message.state,
            "xml": message.body,
            "attempts": attempts.get(message.pk, []),
        }
        for message in found
    ]


def _visit(visit: TicketVisit) -> Report:
    return {
        "job": visit.job.seller_job_id,
        "kind": visit.kind,
        "state": visit.job.state,
        "refusal": refusal_of(visit.job) or None,
        "outcome": visit.outcome or None,
        "missed": {"code": visit.missed_code, **missed_visits.compensation_of(visit)}
        if visit.missed_code
        else None,
        "planned_at": _instant(visit.planned_at),
        "ended_at": _instant(visit.ended_at),
    }


def _instant(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
