"""Appointments in which nobody came: by the clock, or as a person at the seller says (Missed Appointment, rule 6).

A partner that is silent has missed the slot: no engineer on site by its end is the seller's miss, as for a revisit
(fault-decisions.md, D15). A report that comes later and says otherwise takes it back as long as the job exists.
"""

from django.conf import settings

from seller_sandbox import clock, due_actions
from seller_sandbox.due_actions import due_action
from seller_sandbox.jobs import dispatching, partner_reports
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.jobs.models import Job
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.messages.models import InboundMessage
from seller_sandbox.orders import lifecycle, reasons, steps, visit_results, visits
from seller_sandbox.orders.appointments import missed_appointments, reappointments
from seller_sandbox.orders.closure_outcomes import ClosureOutcome, OutcomeKind, outcome_of
from seller_sandbox.orders.complex import complex_orders
from seller_sandbox.orders.late_orders import delays
from seller_sandbox.orders.models import MissedAppointment, Order, OrderVisit

# closure codes of a missed appointment: by the seller, by the end user, beyond reasonable control
MISSED = (visit_results.FAILED_TO_ATTEND, "RNA/NA", "MBORC")


@due_action(steps.SLOT_ENDED)
def end_slot(subject: str, visit: int) -> None:
    """The seller has missed an appointment if nobody was on site; one that is being cancelled waits for the answer.

    A visit that was agreed outside the slot may come later.
    """
    order = lifecycle.lock(subject)
    planned = visits.planned(order)
    if planned is None or planned.pk != visit or not order.is_in_flight:
        return
    if visits.has_begun(planned) or dispatching.is_being_cancelled(planned.job):
        return
    until = missed_appointments.agreed_until(order, planned.appointment)
    if until and clock.now() < until:
        due_actions.schedule(steps.SLOT_ENDED, at=until, subject=subject, visit=visit)
        return
    if planned.appointment_id == order.appointment_id:
        _give_up(order, planned, code=visit_results.FAILED_TO_ATTEND)
    else:
        # the partner has not cancelled it, and nobody came: neither the seller's next appointment nor the buyer's next
        # key need wait for it
        visits.end(order, planned, outcome=reappointments.CANCELLED)
        reappointments.continue_after_cancellation(order)


@due_action(steps.BUILD_SLOT_ENDED)
def end_build_slot(subject: str, appointment: int) -> None:
    """The seller has missed the slot of a build to wall whose civils are not done; they stay planned."""
    order = lifecycle.lock(subject)
    civils = visits.planned(order)
    if civils is None or civils.appointment or order.appointment_id != appointment:
        return
    if not dispatching.is_being_cancelled(civils.job):
        complex_orders.miss_build(order)


def miss(order: Order, *, code: str) -> None:
    """Nobody could work in the slot: as if the planned visit were closed with this code (MISSED), its job cancelled.

    After a slot that passed in silence a person says by this whose doing it was. Raises ActionNotPossible.
    """
    if _say_who_missed(order, outcome_of(code)):
        return
    visit = visits.planned(order)
    appointment = visit.appointment if visit else None
    if visit is None or appointment is None or order.appointment_id != appointment.pk:
        raise ActionNotPossible("No visit with an appointment is planned, so none can be missed.")
    if visits.has_begun(visit):
        raise ActionNotPossible(
            "An engineer is on site, so the appointment is not missed. Wait for the partner's closeJob."
        )
    if clock.now() < appointment.starts_at:
        start = appointment.starts_at.astimezone(settings.LOCAL_ZONE)
        raise ActionNotPossible(
            f"The slot has not begun. Move the clock to its start first: {start.isoformat(timespec='minutes')}."
        )
    _give_up(order, visit, code=code)


def counted_as_missed(order: Order) -> MissedAppointment | None:
    """The last slot, if it counts as missed, its flags are not settled, and no other appointment was made since."""
    if order.appointment or not order.is_in_flight:
        return None
    return order.missed_appointments.open().exclude(missed_by="").select_related("appointment").last()


def _say_who_missed(order: Order, outcome: ClosureOutcome) -> bool:
    """Whether it was for a person to say."""
    missed = counted_as_missed(order)
    if missed is None:
        return False
    missed_appointments.record_missed(
        order,
        missed.appointment,
        moment=missed.occurred_at,
        by_seller=outcome.kind != OutcomeKind.MISSED_BY_END_USER,
        is_mborc=outcome.kind == OutcomeKind.MISSED_BEYOND_CONTROL,
    )
    # until now it was the seller's
    delays.end_if_open(order, reasons.DELAY_SELLER)
    delays.wait_for_new_appointment(order, outcome.reason)
    return True


def _give_up(order: Order, visit: OrderVisit, *, code: str) -> None:
    if not visits.request_cancellation(order, code="MISSED", message="The appointment was missed"):
        # the partner had refused its pack
        delays.end_if_open(order, reasons.DELAY_PARTNER)
    visit_results.apply_outcome(order, visit, outcome_of(code))


def agree_visit(order: Order, visit: OrderVisit) -> None:
    """The end customer has agreed to a visit outside its slot: a slot that passed without it was not missed (rule 3).

    It is missed when nobody has come until its flags are settled. Raises ActionNotPossible.
    """
    if missed_appointments.record_agreed_visit(order, visit):
        notes = "The end customer has agreed to a visit outside the slot: the appointment was not missed."
        reappointments.keep_appointment(order, visit, notes=notes)
    if visit.ended_at is None:
        visits.watch_again(order, visit)


# --- somebody was there after all -------------------------------------------------------------------------------
def on_job_changed(*, job: Job, event: JobEvent, message: InboundMessage | None = None, **_: object) -> None:
    """An engineer is on site, or was: the report may have taken its time."""
    if event != JobEvent.ON_SITE:
        return
    visit = OrderVisit.objects.select_related("appointment", "job").filter(job=job, ended_at=None).first()
    if visit is None or visit.arrived_at:
        return
    order = lifecycle.read(job.order_reference)
    visit.arrived_at = partner_reports.occurred_at(message)
    visit.save(update_fields=["arrived_at"])
    if order.is_in_flight and missed_appointments.take_back_miss(order, visit):
        notes = "The engineer was on site in the slot: the appointment was not missed."
        reappointments.keep_appointment(order, visit, notes=notes)
