"""The states of a fault report and every event that it can have, as one table (faults-and-diagnostics.md, States).

Transitions that the document leaves out, and their reasons: docs/fault-messages.md (Decisions).
"""

from dataclasses import dataclass

from django.db import models


class FaultState(models.TextChoices):
    """The labels are the words of the wire."""

    PENDING = "pending", "Pending"
    ACCEPTED = "accepted", "Accepted"
    REJECTED = "rejected", "Rejected"
    IN_PROGRESS = "in_progress", "In Progress"
    ON_HOLD = "on_hold", "On Hold"
    RESOLVED = "resolved", "Resolved"
    RE_OPENED = "re_opened", "Re-Opened"
    CLOSED = "closed", "Closed"
    CANCELLED = "cancelled", "Cancelled"


class FaultNotificationKind(models.TextChoices):
    """Each is a path of its own at the buyer (Endpoints); the thirteenth carries everything else."""

    ACCEPTED = "notifyAccepted", "Fault report accepted"
    REJECTED = "notifyRejected", "Fault report rejected, when and why"
    IN_PROGRESS = "notifyInProgress", "Progress started"
    ON_HOLD = "notifyOnHold", "Fault report put on hold"
    RESOLVED = "notifyResolved", "Resolution of a ticket"
    CLOSED = "notifyClosed", "Fault report closed"
    CANCELLED = "notifyCancelled", "Fault report cancelled"
    AMENDED = "notifyAmended", "Amendments made to the fault report"
    APPOINTMENT_CONFIRMATION = "notifyAppointmentConfirmation", "Confirmation status of an appointment"
    APPOINTMENT_CANCELLED = "notifyAppointmentCancelled", "Appointment cancelled"
    APPOINTMENT_COMPLETED = "notifyAppointmentCompleted", "When and how an appointment was completed"
    MISSED_APPOINTMENT = "notifyMissedAppointment", "When and why an appointment was missed"
    UPDATE = "notifyFaultReportUpdate", "Full update of the fault report"


class FaultEventKind(models.TextChoices):
    RECEIVED = "received", "Fault report received"
    VALIDATED = "validated", "Validation passed"
    REJECTED = "rejected", "Validation failed"
    TRIAGE_STARTED = "triage_started", "Triage started"
    TRIAGED = "triaged", "Triage completed"
    HELD = "held", "Put on hold"
    CONTACT_ATTEMPTED = "contact_attempted", "End user contacted"
    CONTACT_EXHAUSTED = "contact_exhausted", "End user not reached"
    INFORMATION_RECEIVED = "information_received", "Information received"
    APPOINTMENT_BOOKED = "appointment_booked", "Appointment booked"
    RESOLVED = "resolved", "Fault deemed resolved"
    RESOLUTION_ACCEPTED = "resolution_accepted", "Resolution accepted by the buyer"
    RESOLUTION_REJECTED = "resolution_rejected", "Resolution rejected by the buyer"
    CLOSED_BY_SILENCE = "closed_by_silence", "No reply for 48 hours"
    CANCELLED = "cancelled", "Cancelled by the operator"
    AMENDED = "amended", "Amended by the buyer"
    UPDATED = "updated", "Information added"
    UPDATE_REQUESTED = "update_requested", "Update requested by the buyer"
    APPOINTMENT_CONFIRMED = "appointment_confirmed", "Appointment confirmed"
    APPOINTMENT_CANCELLED = "appointment_cancelled", "Appointment cancelled"
    APPOINTMENT_COMPLETED = "appointment_completed", "Appointment completed"
    APPOINTMENT_MISSED = "appointment_missed", "Appointment missed"
    VISIT_PLANNED = "visit_planned", "Job pack sent to the partner"
    VISIT_REFUSED = "visit_refused", "Job pack refused by the partner"
    VISIT_PROGRESSED = "visit_progressed", "Engineer's step reported"
    VISIT_ENDED = "visit_ended", "Visit ended"
    VISIT_CANCELLED = "visit_cancelled", "Visit cancelled"
    NOTED = "noted", "Note"


_S, _E, _N = FaultState, FaultEventKind, FaultNotificationKind
# neither answered nor ended: an amendment, a resolution and a cancellation are possible (D4 to D6)
OPEN = frozenset({_S.ACCEPTED, _S.IN_PROGRESS, _S.ON_HOLD, _S.RE_OPENED})
ENDED = frozenset({_S.REJECTED, _S.CLOSED, _S.CANCELLED})
ACCEPTED_ONCE = frozenset(_S) - {_S.PENDING, _S.REJECTED}
# the SLA clock runs in these (D8)
ON_THE_CLOCK = OPEN - {_S.ON_HOLD}
_PENDING = frozenset({_S.PENDING})
_ON_HOLD = frozenset({_S.ON_HOLD})
_RESOLVED = frozenset({_S.RESOLVED})


@dataclass(frozen=True)
class FaultTransition:
    """From which states an event is possible, the state after it (None: unchanged) and what the buyer is sent.

    An empty `sources` is a fault report that does not exist yet.
    """

    sources: frozenset[FaultState]
    target: FaultState | None = None
    notification: FaultNotificationKind | None = None


TRANSITIONS: dict[FaultEventKind, FaultTransition] = {
    _E.RECEIVED: FaultTransition(frozenset(), _S.PENDING),
    _E.VALIDATED: FaultTransition(_PENDING, _S.ACCEPTED, _N.ACCEPTED),
    _E.REJECTED: FaultTransition(_PENDING, _S.REJECTED, _N.REJECTED),
    _E.TRIAGE_STARTED: FaultTransition(
        frozenset({_S.ACCEPTED, _S.RE_OPENED}), _S.IN_PROGRESS, _N.IN_PROGRESS
    ),
    _E.TRIAGED: FaultTransition(frozenset({_S.IN_PROGRESS}), None, _N.UPDATE),
    _E.HELD: FaultTransition(frozenset({_S.IN_PROGRESS}), _S.ON_HOLD, _N.ON_HOLD),
    _E.CONTACT_ATTEMPTED: FaultTransition(_ON_HOLD, None, _N.UPDATE),
    _E.CONTACT_EXHAUSTED: FaultTransition(_ON_HOLD, None, _N.UPDATE),
    _E.INFORMATION_RECEIVED: FaultTransition(_ON_HOLD, _S.IN_PROGRESS, _N.IN_PROGRESS),
    _E.APPOINTMENT_BOOKED: FaultTransition(_ON_HOLD, _S.IN_PROGRESS, _N.IN_PROGRESS),
    _E.RESOLVED: FaultTransition(OPEN, _S.RESOLVED, _N.RESOLVED),
    _E.RESOLUTION_ACCEPTED: FaultTransition(_RESOLVED, _S.CLOSED, _N.CLOSED),
    # there is no notifyReopened: the full update says it (D5)
    _E.RESOLUTION_REJECTED: FaultTransition(_RESOLVED, _S.RE_OPENED, _N.UPDATE),
    _E.CLOSED_BY_SILENCE: FaultTransition(_RESOLVED, _S.CLOSED, _N.CLOSED),
    _E.CANCELLED: FaultTransition(OPEN, _S.CANCELLED, _N.CANCELLED),
    _E.AMENDED: FaultTransition(OPEN, None, _N.AMENDED),
    _E.UPDATED: FaultTransition(OPEN | _RESOLVED, None, _N.UPDATE),
    _E.UPDATE_REQUESTED: FaultTransition(ACCEPTED_ONCE, None, _N.UPDATE),
    _E.APPOINTMENT_CONFIRMED: FaultTransition(OPEN, None, _N.APPOINTMENT_CONFIRMATION),
    _E.APPOINTMENT_CANCELLED: FaultTransition(ACCEPTED_ONCE, None, _N.APPOINTMENT_CANCELLED),
    _E.APPOINTMENT_COMPLETED: FaultTransition(ACCEPTED_ONCE, None, _N.APPOINTMENT_COMPLETED),
    _E.APPOINTMENT_MISSED: FaultTransition(ACCEPTED_ONCE, None, _N.MISSED_APPOINTMENT),
    _E.VISIT_PLANNED: FaultTransition(OPEN),
    _E.VISIT_REFUSED: FaultTransition(OPEN),
    _E.VISIT_PROGRESSED: FaultTransition(ACCEPTED_ONCE, None, _N.UPDATE),
    _E.VISIT_ENDED: FaultTransition(ACCEPTED_ONCE),
    _E.VISIT_CANCELLED: FaultTransition(ACCEPTED_ONCE),
    _E.NOTED: FaultTransition(frozenset(_S)),
}
