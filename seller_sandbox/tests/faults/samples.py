"""Fault reports for the tests, sent and moved the way a buyer and the clock do it."""

from dataclasses import replace
from datetime import date, datetime
from typing import Any
from uuid import uuid4

from django.db import transaction
from lxml import etree

from seller_sandbox import clock
from seller_sandbox.endpoints.exchange import Answer, Request
from seller_sandbox.faults import lifecycle, notifying, receiver, resolutions
from seller_sandbox.faults.models import ClosureCode, FaultReport
from seller_sandbox.faults.wire import parsing, requests, seller_messages
from seller_sandbox.faults.wire.requests import (
    AddFaultReportRequest,
    AmendFaultReportRequest,
    ParsedFaultRequest,
    TicketHeader,
)
from seller_sandbox.models import DueAction
from seller_sandbox.network import appointments
from seller_sandbox.network.models import Appointment, AppointmentType, Buyer, Service
from seller_sandbox.orders.wire.requests import Header

UPRN = "1002001"
OTHER_UPRN = "1002101"
FOREIGN_UPRN = "1002401"
BASE = "sandbox/api2"
REPORTER = {"name": "Ada Bell", "phone": "0113 496 0001", "email": "ada.bell@example.org"}
END_USER = {"name": "Jo Marsh", "phone": "07700 900123"}
A_MINUTE = 60
AN_HOUR = 3600


def service(uprn: str = UPRN) -> Service:
    """The live service of a fixed test premises."""
    return Service.objects.select_related("location", "product", "buyer").get(
        location__uprn=uprn, ended_at=None
    )


def buyer(identifier: str = "BUYERA") -> Buyer:
    return Buyer.objects.get(identifier=identifier)


def header(who: str = "BUYERA") -> TicketHeader:
    return TicketHeader("1.1", who, clock.now(), str(uuid4()))


def order_header(who: str = "BUYERA") -> Header:
    return Header(str(uuid4()), str(uuid4()), clock.now(), who, "SANDBOX")


def request(**members: Any) -> AddFaultReportRequest:
    """A complete report of an impaired service."""
    usual = AddFaultReportRequest(
        header=header(members.pop("who", "BUYERA")),
        buyer_fault_reference=str(uuid4()),
        report_date_time=clock.now(),
        reporter_contact_details=REPORTER,
        end_user_contact_details=END_USER,
        service_affected=service().service_identifier,
        fault_type="Impaired Service",
        description="Slow since this morning",
        fault_start_time=clock.now(),
    )
    return replace(usual, **members)


def reserve(
    *, uprn: str = UPRN, who: str = "BUYERA", number: int = 0, not_before: date | None = None
) -> Appointment:
    """A free repair slot of these premises, by its number."""
    found = service(uprn)
    subject = {
        "location": found.location,
        "product": found.product,
        "buyer": buyer(who),
        "appointment_type": AppointmentType.REPAIR,
    }
    slots = appointments.list_slots(appointments_from=not_before, **subject)
    return appointments.reserve(slot=slots[number], **subject)


def outage(**members: Any) -> AddFaultReportRequest:
    """A complete report of a Service Outage with a key."""
    key = members.pop("appointment_reservation_key", None) or str(reserve().key)
    return request(fault_type="Service Outage", appointment_reservation_key=key, **members)


def send(
    message: ParsedFaultRequest | bytes,
    *,
    path: str = "",
    subject: str = "buyer-a",
    content_type: str = "text/xml",
) -> Answer:
    content = message if isinstance(message, bytes) else parsing.build(message)
    name = path or parsing.path_of(message)
    return receiver.receive(
        Request(
            endpoint="A",
            operation=f"{BASE}/{name}",
            method="POST",
            content_type=content_type,
            body=content,
            subject=subject,
            address="127.0.0.1",
            role="buyer",
        )
    )


def values(answer: Answer) -> dict[str, Any]:
    """What an answer says, once it has passed the served schema."""
    return seller_messages.read(answer.content)[1]


def fault_text(answer: Answer) -> str:
    return etree.fromstring(answer.content).findtext(".//faultstring")


def pending(message: AddFaultReportRequest | None = None) -> FaultReport:
    """A report that was just taken; the clock has not moved."""
    wanted = message or request()
    answer = send(wanted, subject=wanted.header.buyer_identifier.lower().replace("buyer", "buyer-"))
    assert answer.status == 200, answer.content.decode()
    return FaultReport.objects.get(buyer_fault_reference=wanted.buyer_fault_reference)


def accepted(message: AddFaultReportRequest | None = None) -> FaultReport:
    """A report when validation has passed and triage has not started."""
    report = pending(message)
    clock.move(seconds=1)
    return fresh(report)


def in_progress(message: AddFaultReportRequest | None = None) -> FaultReport:
    return after(accepted(message), seconds=A_MINUTE)


def resolved(message: AddFaultReportRequest | None = None, code: ClosureCode = ClosureCode.FR) -> FaultReport:
    report = in_progress(message)
    act(report, resolutions.resolve, code=code, text="Splice renewed")
    return fresh(report)


def act(report: FaultReport, function: Any, **arguments: Any) -> FaultReport:
    """Let the operator do something with the locked report."""
    with transaction.atomic(), clock.at(clock.now()):
        function(lifecycle.lock(report.maintainer_fault_reference), **arguments)
    return fresh(report)


def after(report: FaultReport, *, seconds: int) -> FaultReport:
    """The report when the clock has moved."""
    clock.move(seconds=seconds)
    assert not DueAction.objects.exclude(error=""), list(DueAction.objects.exclude(error="").values("error"))
    return fresh(report)


def until(report: FaultReport, moment: datetime) -> FaultReport:
    return after(report, seconds=max(0, int((moment - clock.now()).total_seconds())) + 1)


def fresh(report: FaultReport) -> FaultReport:
    return FaultReport.objects.select_related("buyer", "thread", "appointment", "service").get(pk=report.pk)


def amend(report: FaultReport, **changes: Any) -> Answer:
    wanted = AmendFaultReportRequest(
        header(report.buyer.identifier), report.buyer_fault_reference, changes=changes
    )
    return send(wanted)


def answer_resolution(report: FaultReport, *, accepted: bool, reason: str = "") -> Answer:
    return send(
        requests.ResolveResponseRequest(
            header(), report.buyer_fault_reference, accepted, rejected_reason=reason
        )
    )


def sent(report: FaultReport) -> list[str]:
    """The paths of the notifications, in order."""
    return [message.operation.removeprefix("notify") for message in report.thread.outbound.order_by("seq")]


def notification(report: FaultReport, kind: str) -> dict[str, Any]:
    """The newest notification of a kind as it goes over the wire, read by the served schema."""
    message = report.thread.outbound.filter(operation=f"notify{kind}").order_by("seq").last()
    return seller_messages.read(notifying.compose(message).encode())[1]
