"""The life of a job as one table, keyed by the event.

The interface document names no states, it names events ("The journey is given as message events"), so the
table answers by event: where it is legal and what the job becomes. docs/states.md is generated from here.
"""

from collections.abc import Set
from dataclasses import dataclass

from django.db import models
from django.utils.translation import gettext_lazy as _


class JobType(models.TextChoices):
    INSTALLATION = "installation", _("Installation")
    REVISIT = "revisit", _("Revisit")
    EXTERNAL = "external", _("External")
    CIVILS = "civils", _("Civils")


# installation-jobs.md has no lengths; ours, until a partner's own closed jobs give better figures
DEFAULT_MINUTES = {JobType.INSTALLATION: 120, JobType.REVISIT: 60, JobType.EXTERNAL: 90, JobType.CIVILS: 150}
WITH_ONT_SCAN = frozenset({JobType.INSTALLATION, JobType.REVISIT})


class JobState(models.TextChoices):
    UNASSIGNED = "unassigned", _("Unassigned")
    ASSIGNED = "assigned", _("Assigned")
    EN_ROUTE = "en_route", _("En route")
    ON_SITE = "on_site", _("On site")
    IN_REVIEW = "in_review", _("In review")
    CLOSED = "closed", _("Closed")
    CANCELLED = "cancelled", _("Cancelled")


class Owner(models.TextChoices):
    """Who must act next."""

    DISPATCHER = "dispatcher", _("Dispatcher")
    ENGINEER = "engineer", _("Engineer")
    NOBODY = "nobody", _("Nobody")


class Actor(models.TextChoices):
    """Who did it."""

    SELLER = "seller", _("Seller")
    DISPATCHER = "dispatcher", _("Dispatcher")
    ENGINEER = "engineer", _("Engineer")
    SYSTEM = "system", _("System")


class EventKind(models.TextChoices):
    RECEIVED = "received", _("Job pack received")
    LOCATED = "located", _("Location set")
    ENGINEER_ASSIGNED = "engineer_assigned", _("Engineer assigned")
    RESCHEDULED = "rescheduled", _("Visit rescheduled")
    SECOND_ENGINEER_CHANGED = "second_changed", _("Second engineer changed")
    UNASSIGNED = "unassigned", _("Job unassigned")
    EN_ROUTE = "en_route", _("En route")
    ON_SITE = "on_site", _("On site")
    HANDOVER_REQUESTED = "handover_requested", _("Handover requested")
    ONT_SCANNED = "ont_scanned", _("ONT scanned")
    ONT_PROVISIONED = "ont_provisioned", _("Provisioning result")
    SUBMITTED = "submitted", _("Submitted for review")
    SENT_BACK = "sent_back", _("Sent back to the engineer")
    CLOSED = "closed", _("Closed")
    CANCELLED = "cancelled", _("Cancelled by the seller")
    PUT_ON_HOLD = "held", _("Put on hold")
    RELEASED = "released", _("Released")
    PINNED = "pinned", _("Pinned")
    UNPINNED = "unpinned", _("Unpinned")
    NOTE_ADDED = "note_added", _("Note")
    LINE_CHECKED = "line_checked", _("Line checked")
    REPORTED_LATE = "reported_late", _("Sync conflict")


UNASSIGNED, ASSIGNED, EN_ROUTE = JobState.UNASSIGNED, JobState.ASSIGNED, JobState.EN_ROUTE
ON_SITE, IN_REVIEW = JobState.ON_SITE, JobState.IN_REVIEW
CLOSED, CANCELLED = JobState.CLOSED, JobState.CANCELLED
ANY = frozenset(JobState)
# the job is over in these: nobody has anything to do any more
ENDED_STATES = frozenset({CLOSED, CANCELLED})
# nobody has arrived yet
BEFORE_ARRIVAL = frozenset({UNASSIGNED, ASSIGNED, EN_ROUTE})
# somebody is on the way or there
UNDER_WAY = frozenset({EN_ROUTE, ON_SITE})
OPEN_STATES = tuple(state for state in JobState if state not in ENDED_STATES)
NOTHING_YET: frozenset[JobState] = frozenset()


@dataclass(frozen=True)
class Transition:
    """`legal_in` no state at all means: before the job exists. `becomes` None: a fact, not a move."""

    legal_in: Set[JobState]
    becomes: JobState | None


EVENTS: dict[EventKind, Transition] = {
    EventKind.RECEIVED: Transition(NOTHING_YET, UNASSIGNED),
    EventKind.LOCATED: Transition({UNASSIGNED, ASSIGNED, EN_ROUTE, ON_SITE}, None),
    # a half-done job may go to a colleague, who sets off and arrives in turn
    EventKind.ENGINEER_ASSIGNED: Transition({UNASSIGNED, ASSIGNED, EN_ROUTE, ON_SITE}, ASSIGNED),
    EventKind.RESCHEDULED: Transition({ASSIGNED}, None),
    EventKind.SECOND_ENGINEER_CHANGED: Transition({ASSIGNED, EN_ROUTE, ON_SITE}, None),
    EventKind.UNASSIGNED: Transition({ASSIGNED, EN_ROUTE}, UNASSIGNED),
    EventKind.EN_ROUTE: Transition({ASSIGNED}, EN_ROUTE),
    EventKind.ON_SITE: Transition({ASSIGNED, EN_ROUTE}, ON_SITE),  # the tap before may be forgotten
    EventKind.HANDOVER_REQUESTED: Transition({EN_ROUTE, ON_SITE}, None),
    EventKind.ONT_SCANNED: Transition({ON_SITE}, None),
    # the answer to a scan may come while a colleague is on the way to go on with the job
    EventKind.ONT_PROVISIONED: Transition({ASSIGNED, EN_ROUTE, ON_SITE, IN_REVIEW}, None),
    # with CLOSURE_REVIEW: for the seller the engineer is on site until the office has approved the closure
    EventKind.SUBMITTED: Transition({ON_SITE}, IN_REVIEW),
    EventKind.SENT_BACK: Transition({IN_REVIEW}, ON_SITE),
    EventKind.CLOSED: Transition({UNASSIGNED, ASSIGNED, EN_ROUTE, ON_SITE, IN_REVIEW}, CLOSED),
    EventKind.CANCELLED: Transition({UNASSIGNED, ASSIGNED, EN_ROUTE}, CANCELLED),
    EventKind.PUT_ON_HOLD: Transition({UNASSIGNED, ASSIGNED, EN_ROUTE}, None),
    # an engineer who was en route may have arrived in spite of it, and have done the work
    EventKind.RELEASED: Transition({UNASSIGNED, ASSIGNED, EN_ROUTE, ON_SITE, IN_REVIEW}, None),
    EventKind.PINNED: Transition({ASSIGNED}, None),
    EventKind.UNPINNED: Transition({ASSIGNED}, None),
    EventKind.NOTE_ADDED: Transition(ANY, None),
    # the job may have ended while the seller tested its line
    EventKind.LINE_CHECKED: Transition(ANY, None),
    EventKind.REPORTED_LATE: Transition(ANY, None),
}

_OWNERS = {
    UNASSIGNED: Owner.DISPATCHER,
    ASSIGNED: Owner.ENGINEER,
    EN_ROUTE: Owner.ENGINEER,
    ON_SITE: Owner.ENGINEER,
    IN_REVIEW: Owner.DISPATCHER,
    CLOSED: Owner.NOBODY,
    CANCELLED: Owner.NOBODY,
}


def owner_of(state: JobState) -> Owner:
    return _OWNERS[state]


def is_legal(kind: EventKind, *, state: JobState | None) -> bool:
    """May this event happen to a job in this state (None: no job yet)?"""
    legal_in = EVENTS[kind].legal_in
    return not legal_in if state is None else state in legal_in
