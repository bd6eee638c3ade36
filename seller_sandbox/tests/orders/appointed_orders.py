"""An order with an engineer's visit; a test says at which moment of the sandbox's clock each step is taken."""

import math
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import transaction

from seller_sandbox import clock
from seller_sandbox.jobs import provisioning
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.jobs.signals import JobEvent, job_changed
from seller_sandbox.messages.models import InboundMessage, OutboundState
from seller_sandbox.models import DueAction
from seller_sandbox.network import appointments
from seller_sandbox.network.models import Appointment, AppointmentType
from seller_sandbox.network.slots import Slot
from seller_sandbox.orders import amendments, cancellations, lifecycle, visits
from seller_sandbox.orders.limits import local_day
from seller_sandbox.orders.models import Order, OrderVisit
from seller_sandbox.orders.reasons import NOT_SERVICEABLE
from seller_sandbox.orders.states import OrderEventKind
from seller_sandbox.orders.wire.requests import AmendOrderRequest, CancelOrderRequest
from seller_sandbox.tests.network.samples import buyer, list_slots, premises, product
from seller_sandbox.tests.orders import samples

MINUTE = timedelta(minutes=1)
NOON = 12


def local(day: date, hour: int, minute: int = 0, second: int = 0) -> datetime:
    return datetime(day.year, day.month, day.day, hour, minute, second, tzinfo=settings.LOCAL_ZONE)


def run_until(moment: datetime) -> None:
    """Move the clock to this moment or less than a second after it, and do what falls due on the way."""
    clock.move(seconds=max(math.ceil((moment - clock.now()).total_seconds()), 0))
    assert list(DueAction.objects.exclude(error="")) == []


def morning(days: int) -> Slot:
    """The first free morning so many days from now, or later."""
    slots = list_slots(first=clock.today() + timedelta(days=days))
    return next(slot for slot in slots if slot.starts_at.astimezone(settings.LOCAL_ZONE).hour < NOON)


def reserve(slot: Slot) -> Appointment:
    return appointments.reserve(
        location=premises(1),
        product=product(),
        buyer=buyer(),
        slot=slot,
        appointment_type=AppointmentType.INSTALL,
    )


@dataclass(frozen=True)
class AppointedOrder:
    """By its reference: each step reads the order anew."""

    reference: str

    @property
    def order(self) -> Order:
        return Order.objects.get(seller_order_reference=self.reference)

    @property
    def appointment(self) -> Appointment:
        return self.order.appointment

    @property
    def visit(self) -> OrderVisit | None:
        """The one that is planned."""
        return visits.planned(self.order)

    @property
    def day(self) -> date:
        """Of its appointment."""
        return local_day(self.appointment.starts_at)

    def at(self, hour: int, minute: int = 0, second: int = 0, *, days: int = 0) -> datetime:
        """A local time on the day of the appointment, or so many days after it."""
        return local(self.day + timedelta(days=days), hour, minute, second)

    def notifications(self, kind: str) -> list[dict[str, Any]]:
        """Members of those of one kind."""
        queued = self.order.thread.outbound.order_by("seq")
        return [message.members for message in queued if message.members["kind"] == kind]

    # --- the buyer --------------------------------------------------------------------------------------------
    def amend(self, at: datetime, slot: Slot) -> None:
        """Another appointment; the partner cancels the visit that is planned a minute later."""
        planned = self.visit
        with clock.at(at):
            changes = {"reservation_key": str(reserve(slot).key)}
            amendments.receive(
                AmendOrderRequest(samples.header(reference=""), self.reference, changes),
                buyer=samples.buyer(),
            )
        run_until(at + MINUTE)
        if planned:
            self.partner_cancels(at + MINUTE)

    def cancel(self, at: datetime) -> None:
        """The order; the partner cancels the visit a minute later."""
        wanted = CancelOrderRequest(samples.header(reference=""), self.reference, "300", "No longer required")
        with clock.at(at):
            cancellations.receive(wanted, buyer=samples.buyer())
        run_until(at + MINUTE)
        self.partner_cancels(at + MINUTE)

    # --- the partner ------------------------------------------------------------------------------------------
    def partner_cancels(self, at: datetime) -> None:
        self._change_job(self.visit.job, at, JobEvent.CANCELLED, state=JobState.CANCELLED)

    def close(self, at: datetime, code: str, *, closed_at: datetime | None = None) -> None:
        """The engineer closes the visit, after SP with a provisioned ONT; `closed_at`: earlier than it is reported."""
        job = self.visit.job
        if code == "SP":
            provision(job)
        self._change_job(
            job, at, JobEvent.CLOSED, state=JobState.CLOSED, closure_code=code, closed_at=closed_at
        )

    def _change_job(self, job: Job, at: datetime, event: JobEvent, **values: Any) -> None:
        run_until(at)
        with clock.at(at), transaction.atomic():
            Job.objects.filter(pk=job.pk).update(**values)
            job.refresh_from_db()
            job_changed.send(sender=Job, job=job, event=event)

    # --- the seller -------------------------------------------------------------------------------------------
    def seller_cancels(self, at: datetime) -> None:
        run_until(at)
        with clock.at(at), transaction.atomic():
            order = lifecycle.lock(self.reference)
            cancellations.end(order, OrderEventKind.SELLER_CANCELLED, NOT_SERVICEABLE.as_members())


def provision(job: Job) -> None:
    """An ONT is scanned, and its result arrives."""
    scan_id, fsan = str(uuid4()), f"ALCL{job.pk:08X}"
    InboundMessage.objects.create(
        endpoint="A",
        operation="notifyJob",
        event="ontScanned",
        caller="partner",
        message_id=scan_id,
        thread=job.thread,
        body={"ont": {"fsan": fsan, "serialNumber": f"{job.pk:012}"}},
        holds_id=True,
    )
    provisioning.schedule_scan(job=job, scan_id=scan_id, fsan=fsan)
    provisioning.give_result(job=job, result=1)
    job.thread.outbound.update(state=OutboundState.DELIVERED)


def placed(slot: Slot) -> AppointedOrder:
    """Ordered now with a reserved appointment, not yet validated."""
    order = samples.pending(reservation_key=str(reserve(slot).key))
    return AppointedOrder(order.seller_order_reference)


def committed(*, days: int = 10) -> AppointedOrder:
    """Committed, with a visit planned for a morning so many days from now."""
    order = placed(morning(days))
    run_until(clock.now() + MINUTE)
    return order
