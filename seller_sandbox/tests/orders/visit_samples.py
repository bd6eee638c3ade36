"""What the partner does with a visit of an order, told to the seller the way its own messages tell it."""

from uuid import uuid4

from seller_sandbox import clock, due_actions
from seller_sandbox.jobs import job_states, provisioning
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.messages.models import InboundMessage, OutboundState
from seller_sandbox.network.models import Appointment, SlotCapacity
from seller_sandbox.orders.models import Order, VisitPurpose
from seller_sandbox.orders.visits import plan
from seller_sandbox.tests.orders import samples

FSAN, SERIAL_NUMBER = "ALCL12AB34CD", "000123456789"


def change(job: Job, what: JobEvent, **facts: object) -> None:
    """The seller learns this about a job."""
    job.refresh_from_db()
    assert job_states.record(job, what, **facts), f"{what} changes nothing of a job that is {job.state}"


def provisioned(job: Job, *, result: int = 1, fsan: str = FSAN) -> None:
    """The ONT is scanned and the partner has got this result."""
    scan = {"event": "ontScanned", "ont": {"fsan": fsan, "serialNumber": SERIAL_NUMBER}}
    InboundMessage.objects.create(
        endpoint="A",
        operation="notifyJob",
        event="ontScanned",
        caller="partner",
        message_id=str(uuid4()),
        holds_id=True,
        thread=job.thread,
        body=scan,
    )
    change(job, JobEvent.ONT_SCANNED)
    provisioning.schedule_scan(job=job, scan_id=str(uuid4()), fsan=fsan)
    message = provisioning.give_result(job=job, result=result)
    message.state = OutboundState.DELIVERED
    message.save()


def close(order: Order, code: str, *, secondary: str = "") -> Order:
    """The order after its planned visit was closed with this code."""
    job = order.visits.filter(ended_at=None).get().job
    change(job, JobEvent.CLOSED, closure_code=code, secondary_code=secondary, closed_at=clock.now())
    return samples.fresh(order)


def visited(*, result: int | None = 1, **members: object) -> Order:
    """A committed order whose engineer is there, with this provisioning result (None: nothing was scanned)."""
    order = samples.appointed(**members)
    job = samples.accepted(order)
    order = samples.until(order, order.appointment.starts_at)
    if result is not None:
        provisioned(job, result=result)
    return samples.fresh(order)


def complex_visit(purpose: VisitPurpose) -> Order:
    """An acknowledged complex order with the visit of a stage, accepted by the partner."""
    order = samples.placed(uprn=samples.uprn(6), product_name=samples.COMPLEX)
    kind = "orderExternal" if purpose == VisitPurpose.CIVILS else purpose.value
    order.appointment = samples.reserve(at=samples.uprn(6), product=samples.COMPLEX, appointment_type=kind)
    order.save()
    plan(order, purpose=purpose, appointment=order.appointment)
    samples.accepted(order)
    return samples.fresh(order)


def flags(order: Order) -> list[str]:
    """The property flags of the newest job pack."""
    return order.visits.last().job.pack["property"]["flags"]


def due_names(order: Order) -> set[str]:
    """What of an order is still to be done by the clock."""
    open_actions = due_actions.DueAction.objects.open().filter(subject=order.seller_order_reference)
    return set(open_actions.values_list("name", flat=True))


def count_due(order: Order, name: str) -> int:
    open_actions = due_actions.DueAction.objects.open().filter(subject=order.seller_order_reference)
    return open_actions.filter(name=name).count()


def take_all_slots(order: Order) -> None:
    """Nobody is free in the order's area any more."""
    SlotCapacity.objects.filter(area=order.location.area).update(capacity=0)


def job_of(order: Order) -> Job:
    """The job of the newest visit."""
    return order.visits.last().job


def refuse_pack(order: Order) -> Order:
    """The order after the partner has refused its newest createJob."""
    change(job_of(order), JobEvent.REFUSED)
    return samples.fresh(order)


def tell(order: Order, what: JobEvent) -> Order:
    """The order after the partner has told this of its newest job."""
    change(job_of(order), what)
    return samples.fresh(order)


def is_cancel_queued(job: Job) -> bool:
    return job.thread.outbound.filter(operation="cancelJob").exists()


def partner_cancels(order: Order) -> Order:
    """The order after the partner has cancelled the job of its planned visit, if it was asked to."""
    visit = order.visits.filter(ended_at=None).first()
    if visit and is_cancel_queued(visit.job):
        samples.tell(visit.job, "cancelled")
    return samples.fresh(order)


def used_slots(order: Order) -> int:
    """How many visits are reserved, booked or used at the premises."""
    return Appointment.objects.using_capacity().filter(location=order.location).count()


def close_unseen(order: Order, code: str) -> Order:
    """The order after the job of its planned visit was accepted and closed, whatever came between."""
    job = samples.accepted(order)
    job.state, job.closure_code = JobState.CLOSED, code
    job.save()
    samples.tell(job, "closed")
    return samples.fresh(order)
