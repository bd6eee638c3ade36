"""Visits of the partner for an order: a job pack goes out, or its job is cancelled (job-messages.md, createJob).

What the partner answers and reports is read in visit_results.py.
"""

from datetime import datetime, timedelta

from seller_sandbox import clock, due_actions
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.jobs import dispatching, job_states
from seller_sandbox.jobs.job_states import NOT_WITH_PARTNER
from seller_sandbox.jobs.models import JobType
from seller_sandbox.network.models import Appointment
from seller_sandbox.network.slots import Slot
from seller_sandbox.orders import lifecycle, order_packs, steps
from seller_sandbox.orders.models import Order, OrderVisit, VisitPurpose
from seller_sandbox.orders.states import OrderEventKind

JOB_TYPES = {
    VisitPurpose.INSTALL: JobType.INSTALLATION,
    VisitPurpose.INTERNAL: JobType.INSTALLATION,
    VisitPurpose.SURVEY: JobType.EXTERNAL,
    VisitPurpose.EXTERNAL: JobType.EXTERNAL,
    VisitPurpose.CIVILS: JobType.CIVILS,
}
# so long we wait for the report of an engineer who has started, as the partner answers to a cancelJob
REPORT_WAIT = timedelta(hours=24)
_PLANNED = CompiledQuery(
    lambda: (
        OrderVisit.objects.filter(order=Parameter("order"), ended_at=None)
        .select_related("job", "appointment")
        .order_by("-id")[:1]
    )
)


def plan(
    order: Order, *, purpose: VisitPurpose, appointment: Appointment, window: Slot | None = None
) -> OrderVisit:
    """Queue the job pack of one visit of a locked order.

    `window` is that of civils, which have no appointment of their own and precede this one.
    """
    slot = window or Slot(appointment.starts_at, appointment.ends_at)
    job_type = JOB_TYPES[purpose]
    pack = order_packs.build(order, job_type=job_type, purpose=purpose, key=appointment.key, slot=slot)
    job = dispatching.send_pack(
        job_type=job_type,
        pack=pack,
        starts_at=slot.starts_at,
        ends_at=slot.ends_at,
        order_reference=order.seller_order_reference,
    )
    visit = order.visits.create(
        purpose=purpose, appointment=None if window else appointment, job=job, planned_at=clock.now()
    )
    if visit.appointment:
        _watch_slot(order, visit)
    else:
        watch_build_slot(order, appointment)
    lifecycle.record(
        order,
        OrderEventKind.VISIT_PLANNED,
        details={"job": job.seller_job_id, "purpose": purpose.value},
    )
    return visit


def _watch_slot(order: Order, visit: OrderVisit, *, at: datetime | None = None) -> None:
    """Nobody on site by its end, or by this moment, has missed it (missed_visits.py)."""
    due_actions.schedule(
        steps.SLOT_ENDED,
        at=at or visit.appointment.ends_at,
        subject=order.seller_order_reference,
        visit=visit.pk,
    )


def watch_again(order: Order, visit: OrderVisit, *, has_started: bool = False) -> None:
    """A planned visit that was to be cancelled stands: its slot may have ended meanwhile, unnoticed.

    One that has started, as the partner answers, is missed when no report of it follows.
    """
    if visit.appointment:
        due_actions.cancel(steps.SLOT_ENDED, subject=order.seller_order_reference)
        soonest = clock.now() + REPORT_WAIT if has_started else clock.now()
        _watch_slot(order, visit, at=max(soonest, visit.appointment.ends_at))
    elif order.appointment:
        watch_build_slot(order, order.appointment)


def watch_build_slot(order: Order, appointment: Appointment) -> None:
    """Civils have no slot that was promised; that of the build which they precede is missed when they are not done."""
    reference = order.seller_order_reference
    due_actions.cancel(steps.BUILD_SLOT_ENDED, subject=reference)
    due_actions.schedule(
        steps.BUILD_SLOT_ENDED, at=appointment.ends_at, subject=reference, appointment=appointment.pk
    )


def planned(order: Order) -> OrderVisit | None:
    """The visit that has not ended; an order has one at a time."""
    return _PLANNED.first(order=order.pk)


def has_engineer_on_site(order: Order) -> bool:
    """Whether the planned visit has begun: what the engineer came for can no longer be cancelled or moved (D14)."""
    visit = planned(order)
    return visit is not None and has_begun(visit)


def has_begun(visit: OrderVisit) -> bool:
    return job_states.has_visit_begun(visit.job, arrived_at=visit.arrived_at)


def request_cancellation(order: Order, *, code: str, message: str) -> bool:
    """Ask the partner to cancel the planned visit; False when there is none, so nobody has to be waited for."""
    visit = planned(order)
    if visit is None:
        return False
    if visit.job.state in NOT_WITH_PARTNER:
        end(order, visit, outcome=visit.job.state)
        return False
    if not dispatching.is_being_cancelled(visit.job):
        dispatching.cancel(visit.job, code=code, message=message)
    return True


def end(order: Order, visit: OrderVisit, *, outcome: str, at: datetime | None = None) -> None:
    """The planned visit of a locked order is over, `at` this moment or now."""
    due_actions.cancel(steps.SLOT_ENDED, steps.BUILD_SLOT_ENDED, subject=order.seller_order_reference)
    visit.outcome, visit.ended_at = outcome, at or clock.now()
    visit.save(update_fields=["outcome", "ended_at"])
