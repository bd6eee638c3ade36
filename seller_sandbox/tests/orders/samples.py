"""Orders for the tests, placed and moved the way a buyer and the clock do it."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any
from uuid import uuid4

from seller_sandbox import clock
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.jobs.signals import JobEvent, job_changed
from seller_sandbox.models import DueAction
from seller_sandbox.network import appointments, locations, products
from seller_sandbox.network.models import Appointment, AppointmentType, Buyer
from seller_sandbox.orders import amendments, cancellations, cases, limits, placing, reasons
from seller_sandbox.orders.lifecycle import RejectedUpFront
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderEventKind
from seller_sandbox.orders.wire.requests import (
    AmendOrderRequest,
    CancelOrderRequest,
    Header,
    OrderRequest,
    ServiceConfiguration,
    SiteInformation,
)

__all__ = [
    "RejectedUpFront",
    "appointments",
    "cases",
    "clock",
    "date",
    "limits",
    "locations",
    "placing",
    "products",
]
LOCAL_160 = "Residential FTTH Local Access 160 Mbps"
LOCAL_1000 = "Residential FTTH Local Access 1 Gbps"
NATIONAL_160 = "Residential FTTH National Access 160 Mbps"
NATIONAL_1000 = "Residential FTTH National Access 1 Gbps"
BUSINESS = "Business FTTH National Access 1 Gbps"
COMPLEX = "Complex FTTH National Access 1 Gbps"
NOT_FTTH = "Ethernet Leased Line 1 Gbps"
SITE = SiteInformation(contact_name="Sam Field", contact_phone="07700 900123", hazards="Dog in the yard")
CONFIGURATION = ServiceConfiguration()
A_MINUTE = 60
A_DAY = 86_400


def uprn(situation: int, copy: int = 1) -> str:
    """One of the fixed test premises (data/fixed_premises.json)."""
    return f"100{situation:02}{copy:02}"


def buyer(identifier: str = "BUYERA") -> Buyer:
    return Buyer.objects.get(identifier=identifier)


def header(who: str = "BUYERA", *, reference: str | None = None) -> Header:
    return Header(
        message_id=str(uuid4()),
        correlation_id=str(uuid4()),
        sent_at=clock.now(),
        buyer_identifier=who,
        seller_identifier="SANDBOX",
        buyer_order_reference=str(uuid4()) if reference is None else reference,
    )


def header_about(order: Order) -> Header:
    return header(order.buyer.identifier, reference=order.buyer_order_reference)


def request(**members: Any) -> OrderRequest:
    who, reference = members.pop("who", "BUYERA"), members.pop("reference", None)
    usual = OrderRequest(
        header=header(who, reference=reference),
        kind="alaNewInstall",
        uprn=uprn(1),
        product_name=LOCAL_160,
        site=SITE,
        configuration=CONFIGURATION,
    )
    return replace(usual, **members)


def pending(**members: Any) -> Order:
    """A pending order; the clock has not moved."""
    wanted = request(**members)
    return placing.receive(wanted, buyer=buyer(wanted.header.buyer_identifier))


def placed(**members: Any) -> Order:
    """An order after the seller's first steps."""
    return after(pending(**members), seconds=A_MINUTE)


def after(order: Order, *, seconds: int) -> Order:
    """The order when the clock has moved."""
    clock.move(seconds=seconds)
    assert not DueAction.objects.exclude(error=""), "a due action has failed"
    return fresh(order)


def until(order: Order, moment: datetime) -> Order:
    """The order at this moment of the sandbox's clock, which lies ahead."""
    return after(order, seconds=max(0, int((moment - clock.now()).total_seconds())) + 1)


def at_midnight(order: Order, day: date) -> Order:
    return until(order, limits.midnight(day))


def fresh(order: Order) -> Order:
    return Order.objects.select_related("buyer", "thread", "appointment", "location").get(pk=order.pk)


def ref(order: Order) -> dict[str, str]:
    """What an action of the seller names an order by."""
    return {"reference": order.seller_order_reference}


def reserve(
    *,
    at: str = "",
    product: str = LOCAL_160,
    who: str = "BUYERA",
    appointment_type: AppointmentType = AppointmentType.INSTALL,
    not_before: date | None = None,
    number: int = 0,
) -> Appointment:
    """The first free slot (or the one of this number) at these premises."""
    subject = {
        "location": locations.find(at or uprn(1)),
        "product": products.find(product),
        "buyer": buyer(who),
        "appointment_type": appointment_type,
    }
    slots = appointments.list_slots(appointments_from=not_before, **subject)
    return appointments.reserve(slot=slots[number], **subject)


def appointed(*, situation: int = 1, product: str = LOCAL_160, who: str = "BUYERA", **members: Any) -> Order:
    """A committed order with an engineer's visit."""
    appointment = reserve(at=uprn(situation), product=product, who=who)
    return placed(
        uprn=uprn(situation),
        product_name=product,
        who=who,
        reservation_key=str(appointment.key),
        **members,
    )


def amend(order: Order, **changes: Any) -> Order:
    """The order after the seller has decided on an amendment."""
    wanted = AmendOrderRequest(header_about(order), order.seller_order_reference, changes)
    amendments.receive(wanted, buyer=order.buyer)
    return after(order, seconds=A_MINUTE)


def cancel(order: Order, *, code: str = "300", message: str = "No longer required") -> Order:
    wanted = CancelOrderRequest(header_about(order), order.seller_order_reference, code, message)
    cancellations.receive(wanted, buyer=order.buyer)
    return after(order, seconds=A_MINUTE)


def end_by_rule(order: Order) -> None:
    """The seller cancels a locked order because it can no longer progress."""
    cancellations.end(order, OrderEventKind.SELLER_CANCELLED, reasons.NOT_SERVICEABLE.as_members())


def kinds(order: Order) -> list[str]:
    """What the buyer was sent, in order."""
    return [message.members["kind"] for message in order.thread.outbound.order_by("seq")]


def last_members(order: Order) -> dict[str, Any]:
    return order.thread.outbound.order_by("seq").last().members


def members_of(order: Order, kind: str) -> dict[str, Any]:
    """The newest notification of a kind."""
    return order.thread.outbound.filter(members__kind=kind).order_by("seq").last().members


def tell(job: Job, change: str) -> None:
    """The seller has learnt something about a job."""
    job_changed.send(sender=Job, job=job, event=JobEvent(change))


def accepted(order: Order) -> Job:
    """The job of the planned visit, accepted by the partner."""
    job = order.visits.filter(ended_at=None).get().job
    job.state, job.provider_job_id = JobState.ACCEPTED, f"PJ-{uuid4().hex[:8]}"
    job.save()
    tell(job, "accepted")
    return job


def days_ahead(number: int) -> date:
    return clock.today() + timedelta(days=number)
