"""Sent when the seller's knowledge of a job changes, inside the transaction that keeps the change.

Receivers of `job_changed` get the locked `job`, `event`, a JobEvent, and `message`, the partner's InboundMessage that
says so or None; it is not stored yet, with its answer it will be. One that raises undoes the change.
Receivers of `job_to_be_locked` get the `job` before that, and lock what is locked before a job (transactions.py).
"""

from enum import StrEnum

from django.dispatch import Signal


class JobEvent(StrEnum):
    """The partner's answers and messages, and our results, as far as they change a job."""

    SENT_AGAIN = "sentAgain"
    REFUSED = "refused"
    ACCEPTED = "accepted"
    ENGINEER_ASSIGNED = "engineerAssigned"
    EN_ROUTE = "enRoute"
    ON_SITE = "onSite"
    ONT_SCANNED = "ontScanned"
    PROVISIONED = "provisioned"
    PROVISIONING_FAILED = "provisioningFailed"
    CLOSED = "closed"
    CANCELLED = "cancelled"
    # the engineer is on site
    CANCEL_REFUSED = "cancelRefused"
    # the partner has closed the job: its closeJob is on the way
    CANCEL_OVERTAKEN = "cancelOvertaken"
    # refused for another reason, which a person has to look into
    CANCEL_FAILED = "cancelFailed"


job_changed = Signal()
job_to_be_locked = Signal()
