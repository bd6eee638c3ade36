"""Fault reports of buyers (faults-and-diagnostics.md, Fault report)."""

from typing import Any

from django.db import models
from django.db.models import Q

from seller_sandbox.faults.states import OPEN, FaultState
from seller_sandbox.messages.models import MessageThread
from seller_sandbox.network.models import Appointment, Buyer, Service
from seller_sandbox.stored_values import StoredValues


class FaultType(models.TextChoices):
    """faultDetails.type; Service Outage is the document's TLOS (total loss of service)."""

    SERVICE_OUTAGE = "Service Outage"
    IMPAIRED_SERVICE = "Impaired Service"
    PERFORMANCE_ISSUE = "Performance Issue"


class ClosureCode(models.TextChoices):
    """The eleven of the document (Ticket closure codes)."""

    FR = "FR", "Fault Resolved"
    FNR = "FNR", "Fault Not Resolved"
    HAZ = "HAZ", "Site Unsafe"
    NA = "NA", "No access"
    NAPUV = "NAPUV", "No Access Possible Hazard"
    ASQ = "ASQ", "Sales Query"
    NDT = "NDT", "No dial tone"
    UNF = "UNF", "Unforeseen Circumstance"
    MBORC = "MBORC", "Matters Beyond Reasonable Control"
    FTA = "FTA", "Failed to Attend"
    SREQ = "SREQ", "Service Request"


class FaultReportQuerySet(models.QuerySet["FaultReport"]):
    def open(self) -> "FaultReportQuerySet":
        return self.filter(state__in=OPEN)


class FaultReport(StoredValues):
    """One ticket; `state` is written by faults/lifecycle.py only. Texts are as they came."""

    thread = models.OneToOneField(MessageThread, on_delete=models.CASCADE, related_name="fault_report")
    # ours from the start; the buyer learns it when the report is accepted
    maintainer_fault_reference = models.CharField(max_length=36, unique=True)
    buyer = models.ForeignKey(Buyer, on_delete=models.PROTECT, related_name="fault_reports")
    buyer_fault_reference = models.TextField(blank=True, db_index=True)
    parent_fault_reference = models.TextField(blank=True)
    state = models.CharField(max_length=20, choices=FaultState, default=FaultState.PENDING, db_index=True)
    report_date_time = models.DateTimeField(null=True)
    # the parts of {name, phone, email} that were sent
    reporter_contact_details = models.JSONField(default=dict)
    end_user_contact_details = models.JSONField(default=dict)
    # not indexed: PostgreSQL cannot index the longest text
    service_affected = models.TextField(blank=True)
    # null until the report is accepted
    service = models.ForeignKey(Service, on_delete=models.PROTECT, null=True, related_name="fault_reports")
    fault_type = models.CharField(max_length=20, choices=FaultType, blank=True)
    description = models.TextField(blank=True)
    fault_start_time = models.DateTimeField(null=True)
    fault_location = models.TextField(blank=True)
    site_access_details = models.TextField(blank=True)
    site_access_contact_details = models.JSONField(default=dict)
    # what the buyer says that it did before
    triage_complete = models.BooleanField(null=True)
    triage_findings = models.TextField(blank=True)
    appointment_reservation_key = models.TextField(blank=True)
    appointment = models.ForeignKey(
        Appointment, on_delete=models.SET_NULL, null=True, related_name="fault_reports"
    )
    # whether triage or the operator wants an engineer there: a key may be amended in (D4)
    is_visit_needed = models.BooleanField(default=False)
    # the supplier's own: {code, findings, decision, at}
    triage = models.JSONField(default=dict)
    hold_reason = models.TextField(blank=True)
    rejection_reasons = models.JSONField(default=list)
    closure_code = models.CharField(max_length=10, choices=ClosureCode, blank=True)
    resolution = models.TextField(blank=True)
    cancellation_reason = models.TextField(blank=True)
    had_diagnostics = models.BooleanField(default=False)
    is_chargeable = models.BooleanField(default=False)
    received_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    resolved_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    objects = FaultReportQuerySet.as_manager()
    # what lifecycle.lock has found, so that nothing is asked of rows that are not there
    has_additions = True
    has_visits = True
    # what additions.py has read of it
    additions: Any = None
    # what lifecycle.py has read and written of its events
    known_events: "list[Any] | None" = None
    # the LineTest of the triage that goes on
    line_test: Any = None

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["buyer", "buyer_fault_reference"],
                condition=~Q(buyer_fault_reference=""),
                name="fault_reference_of_buyer_once",
            )
        ]

    @property
    def is_open(self) -> bool:
        return self.state in OPEN

    @property
    def is_outage(self) -> bool:
        return self.fault_type == FaultType.SERVICE_OUTAGE


class TicketSwitch(models.Model):
    """One row: what was chosen on the console about new fault reports."""

    rejects_at_once = models.BooleanField(default=False)
