"""What the buyer is notified of because an appointment was missed or a service came late.

Compensation has no wire field: it is stored for the console and the control interface (order-decisions.md, D20).
"""

from django.db import models
from django.db.models import F, Q

from seller_sandbox.compiled_saves import CompiledSave
from seller_sandbox.network.models import Appointment
from seller_sandbox.orders.appointments.appointment_flags import AppointmentFacts, Party
from seller_sandbox.orders.late_orders.exclusion_codes import ExclusionCode
from seller_sandbox.orders.models.orders import Order

PARTIES = [(party.value, party.value) for party in Party]


class MissedAppointmentQuerySet(models.QuerySet["MissedAppointment"]):
    def open(self) -> "MissedAppointmentQuerySet":
        """Those whose flags may still change."""
        return self.filter(settled_at=None)


class MissedAppointment(CompiledSave):
    """An appointment that was missed, late amended or late cancelled, or a visit agreed outside its slot (KCI 2.1)."""

    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="missed_appointments")
    appointment = models.ForeignKey(Appointment, on_delete=models.CASCADE, related_name="+")
    # what happened, as far as known: appointment_flags.AppointmentFacts
    amended_by = models.CharField(max_length=10, choices=PARTIES, blank=True)
    cancelled_by = models.CharField(max_length=10, choices=PARTIES, blank=True)
    missed_by = models.CharField(max_length=10, choices=PARTIES, blank=True)
    is_visit_agreed = models.BooleanField(default=False)
    is_mborc = models.BooleanField(default=False)
    # by the sandbox clock
    occurred_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True)
    # null also when the visit completed the order after all: then nothing is sent
    notified_at = models.DateTimeField(null=True)
    # appointment_flags.AppointmentFlags, once settled
    flags = models.JSONField(default=dict)
    is_compensation_due = models.BooleanField(default=False)

    objects = MissedAppointmentQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["order", "appointment"], name="appointment_of_order_missed_once")
        ]

    @property
    def facts(self) -> AppointmentFacts:
        return AppointmentFacts(
            amended_by=self.amended_by,
            cancelled_by=self.cancelled_by,
            missed_by=self.missed_by,
            is_visit_agreed=self.is_visit_agreed,
            is_mborc=self.is_mborc,
        )

    @property
    def is_failure(self) -> bool:
        """Whether delivery fails by it: a miss, or a late change by the seller (D19)."""
        return bool(self.missed_by) or self.amended_by == Party.SELLER


class Exclusion(models.Model):
    """Days for which the seller is not responsible if they turn out to be days in delay; both ends count."""

    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="exclusions")
    code = models.CharField(max_length=10, choices=ExclusionCode)
    starts_on = models.DateField()
    ends_on = models.DateField()
    # entered by a person; otherwise it follows from the buyer's choice of a date
    is_by_seller = models.BooleanField(default=False)
    recorded_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(ends_on__gte=F("starts_on")), name="exclusion_ends_after_its_start"
            )
        ]


class LateProvision(models.Model):
    """A Late Provision Notification as it was sent; `exclusions` are its entries."""

    order = models.OneToOneField(Order, on_delete=models.CASCADE, related_name="late_provision")
    base_on = models.DateField()
    ended_on = models.DateField()
    total_days = models.PositiveIntegerField()
    seller_days = models.PositiveIntegerField()
    other_days = models.PositiveIntegerField()
    # of compensation: the seller's days and those of MBORC (D18)
    payable_days = models.PositiveIntegerField()
    exclusions = models.JSONField(default=list)
    notified_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(total_days__gt=0, total_days=F("seller_days") + F("other_days")),
                name="late_provision_days_add_up",
            )
        ]
