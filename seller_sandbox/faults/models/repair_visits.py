"""Visits of the partner for fault reports."""

from django.db import models

from seller_sandbox.compiled_saves import CompiledSave
from seller_sandbox.faults.models.reports import ClosureCode, FaultReport
from seller_sandbox.jobs.models import Job
from seller_sandbox.network.models import Appointment


class VisitKind(models.TextChoices):
    REPAIR = "repair", "Repair"
    FOLLOW_UP = "follow_up", "Follow-up repair"


class TicketVisitQuerySet(models.QuerySet["TicketVisit"]):
    def planned(self) -> "TicketVisitQuerySet":
        return self.filter(ended_at=None)


class TicketVisit(CompiledSave):
    """One visit of the partner for a ticket: its appointment, its job and what came of it."""

    report = models.ForeignKey(FaultReport, on_delete=models.CASCADE, related_name="visits")
    kind = models.CharField(max_length=20, choices=VisitKind, default=VisitKind.REPAIR)
    appointment = models.ForeignKey(
        Appointment, on_delete=models.SET_NULL, null=True, related_name="ticket_visits"
    )
    job = models.OneToOneField(Job, on_delete=models.CASCADE, related_name="ticket_visit")
    # a closure code of the partner, or the job's state where nobody closed it
    outcome = models.CharField(max_length=40, blank=True)
    # FTA or MBORC where nobody was on site by the end of the slot; the compensation follows from it
    missed_code = models.CharField(max_length=10, choices=ClosureCode, blank=True)
    # what the next visit needs: a cherry picker, two engineers, an ONT in the pack
    needs = models.JSONField(default=list)
    arrived_at = models.DateTimeField(null=True)
    planned_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    objects = TicketVisitQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
