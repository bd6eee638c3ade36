"""What the control interface reports of orders and their notifications.

Names of the wire are written as on the wire; everything else is ours. Instants are sandbox time unless said otherwise.
"""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from seller_sandbox.console.job_refusals import refusal_of
from seller_sandbox.messages.models import MessageLogEntry, OutboundMessage
from seller_sandbox.models import DueAction
from seller_sandbox.network.models import Appointment
from seller_sandbox.orders.late_orders import open_delays
from seller_sandbox.orders.models import (
    Amendment,
    Cancellation,
    Case,
    ComplexOrder,
    LateProvision,
    MissedAppointment,
    Order,
    OrderVisit,
)

Report = dict[str, Any]


def report_order(order: Order) -> Report:
    """An order in one line; buyer, location, product, appointment and linked order should come with it."""
    return {
        "sellerOrderReference": order.seller_order_reference,
        "buyerOrderReference": order.buyer_order_reference,
        "buyer": order.buyer.identifier,
        "kind": order.kind,
        "course": order.course or None,
        "state": order.state,
        "state_words": order.get_state_display(),
        "conditions": order.conditions,
        "delay_code": order.delay_code or None,
        "uprn": order.location.uprn if order.location else order.uprn,
        "productName": order.product.name if order.product else None,
        "newOrderType": order.new_order_type or None,
        "requestedDate": _day(order.requested_date),
        "appointment": _report_appointment(order.appointment),
        "is_appointed": order.is_appointed,
        "serviceIdentifier": order.service_identifier or None,
        "is_unsolicited": order.is_unsolicited,
        "linked_order": order.linked_order.seller_order_reference if order.linked_order else None,
        "placed_at": _instant(order.placed_at),
        "acknowledged_at": _instant(order.acknowledged_at),
        "committed_at": _instant(order.committed_at),
        "ended_at": _instant(order.ended_at),
        "end": {"code": order.end_code, "message": order.end_reason} if order.end_code else None,
    }


def report_order_in_full(order: Order) -> Report:
    """An order with everything that happened to it, what is still to come, and what no message carries (D20)."""
    missed = list(order.missed_appointments.select_related("appointment"))
    return {
        **report_order(order),
        "open_delays": [reason.code for reason in open_delays.list_open(order)],
        "site": order.site,
        "configuration": order.configuration,
        "auxiliary_services": order.auxiliary_services,
        "projectReference": order.project_reference or None,
        "events": [
            {"kind": event.kind, "at": _instant(event.at), "state": event.state, "details": event.details}
            for event in order.events.all()
        ],
        "notifications": report_notifications(order.thread.outbound.order_by("seq")),
        "amendments": [_report_amendment(amendment) for amendment in order.amendments.all()],
        "cancellations": [_report_cancellation(cancellation) for cancellation in order.cancellations.all()],
        "cases": [_report_case(case) for case in order.cases.all()],
        "visits": [
            _report_visit(visit) for visit in order.visits.select_related("job__thread", "appointment")
        ],
        "missed_appointments": [_report_missed(event) for event in missed],
        "exclusions": [
            {"reason": row.code, "starts_on": _day(row.starts_on), "ends_on": _day(row.ends_on)}
            for row in order.exclusions.all()
        ],
        "late_provision": _report_late(LateProvision.objects.filter(order=order).first()),
        "complex_order": _report_complex(ComplexOrder.objects.filter(order=order).first()),
        "is_compensation_due": any(event.is_compensation_due for event in missed),
        "notice_charge_days": order.notice_charge_days,
        "due": report_due(order.seller_order_reference),
    }


def report_due(subject: str) -> list[Report]:
    """What falls due for one order, the earliest first."""
    waiting = DueAction.objects.open().filter(subject=subject)
    return [
        {"name": action.name, "due_at": _instant(action.due_at), "error": action.error or None}
        for action in waiting
    ]


# --- notifications --------------------------------------------------------------------------------------------
def report_notifications(messages: Iterable[OutboundMessage]) -> list[Report]:
    """Each with the XML as it was sent (null before the first try) and every attempt to deliver it (real time)."""
    found = list(messages)
    attempts = report_notification_attempts(found)
    return [_report_notification(message, attempts.get(message.pk, [])) for message in found]


def report_notification_attempts(messages: list[OutboundMessage]) -> dict[int, list[Report]]:
    """The attempts to deliver these messages, by the message's id, in one query."""
    attempts: dict[int, list[Report]] = {}
    for entry in MessageLogEntry.objects.filter(outbound__in=messages).order_by("id"):
        attempts.setdefault(entry.outbound_id, []).append(
            {
                "at": _instant(entry.at),
                "address": entry.address,
                "status": entry.status,
                "answer": entry.answer,
                "error": entry.error or None,
            }
        )
    return attempts


def _report_notification(message: OutboundMessage, attempts: list[Report]) -> Report:
    return {
        "id": message.pk,
        "messageId": str(message.message_id),
        "seq": message.seq,
        "kind": message.members["kind"],
        "buyer": message.members["buyer_identifier"],
        "buyerOrderReference": message.members["buyer_order_reference"],
        "sellerOrderReference": message.members["seller_order_reference"],
        "members": message.members,
        "delivery": message.state,
        "xml": message.body,
        "attempts": attempts,
    }


# --- parts of an order ----------------------------------------------------------------------------------------
def _report_appointment(appointment: Appointment | None) -> Report | None:
    if appointment is None:
        return None
    return {
        "key": str(appointment.key),
        "type": appointment.appointment_type,
        "starts_at": _instant(appointment.starts_at),
        "ends_at": _instant(appointment.ends_at),
        "state": appointment.state,
    }


def _report_amendment(amendment: Amendment) -> Report:
    return {"changes": amendment.changes, **_report_request(amendment)}


def _report_cancellation(cancellation: Cancellation) -> Report:
    return {"code": cancellation.code, "message": cancellation.message, **_report_request(cancellation)}


def _report_request(request: Amendment | Cancellation) -> Report:
    return {
        "state": request.state,
        "reason": request.reason or None,
        "received_at": _instant(request.received_at),
        "settled_at": _instant(request.settled_at),
    }


def _report_case(case: Case) -> Report:
    return {
        "reference": case.reference,
        "text": case.text,
        "comments": case.comments,
        "opened_at": _instant(case.opened_at),
        "closed_at": _instant(case.closed_at),
    }


def _report_visit(visit: OrderVisit) -> Report:
    return {
        "purpose": visit.purpose,
        "appointment": _report_appointment(visit.appointment),
        "sellerJobId": visit.job.seller_job_id,
        "job_state": visit.job.state,
        "refusal": refusal_of(visit.job) or None,
        "outcome": visit.outcome or None,
        "planned_at": _instant(visit.planned_at),
        "ended_at": _instant(visit.ended_at),
    }


def _report_missed(event: MissedAppointment) -> Report:
    return {
        "appointment": _report_appointment(event.appointment),
        "flags": event.flags,
        "is_mborc": event.is_mborc,
        "is_compensation_due": event.is_compensation_due,
        "occurred_at": _instant(event.occurred_at),
        "settled_at": _instant(event.settled_at),
        "notified_at": _instant(event.notified_at),
    }


def _report_late(late: LateProvision | None) -> Report | None:
    if late is None:
        return None
    return {
        "base_on": _day(late.base_on),
        "ended_on": _day(late.ended_on),
        "total_days": late.total_days,
        "seller_days": late.seller_days,
        "other_days": late.other_days,
        "payable_days": late.payable_days,
        "exclusions": late.exclusions,
        "notified_at": _instant(late.notified_at),
    }


def _report_complex(progress: ComplexOrder | None) -> Report | None:
    """Amounts in pence; `survey_liability_pence` is what the buyer of a cancelled order owes (D20)."""
    if progress is None:
        return None
    return {
        "stage": progress.stage,
        "milestones": progress.milestones,
        "is_desktop_survey_skipped": progress.is_desktop_survey_skipped,
        "estimate_pence": progress.estimate_pence,
        "estimate_accepted_at": _instant(progress.estimate_accepted_at),
        "earliest_survey_date": _day(progress.earliest_survey_date),
        "confirmed_survey_date": _day(progress.confirmed_survey_date),
        "earliest_appointment_date": _day(progress.earliest_appointment_date),
        "cost_pence": progress.cost_pence,
        "cost_accepted_at": _instant(progress.cost_accepted_at),
        "needs_civils": progress.needs_civils,
        "survey_cost_pence": progress.survey_cost_pence,
        "survey_liability_pence": progress.survey_liability_pence,
    }


def _instant(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None
