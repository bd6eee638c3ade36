"""How many visits an area can take, and the appointments that use them."""

import uuid

from django.db import models
from django.db.models import F, Q

from seller_sandbox.compiled_saves import CompiledSave
from seller_sandbox.network.models.accounts import Buyer
from seller_sandbox.network.models.catalogue import Product
from seller_sandbox.network.models.sites import Location


class AppointmentType(models.TextChoices):
    """`install` is the usual one, three are the stages of a complex order, `repair` is a visit for a fault."""

    INSTALL = "install", "Installation"
    SURVEY = "orderSurvey", "Physical survey"
    EXTERNAL = "orderExternal", "Build to wall"
    INTERNAL = "orderInternal", "Standard install"
    REPAIR = "repair", "Repair"


class Half(models.TextChoices):
    AM = "am", "08:00–13:00"
    PM = "pm", "13:00–18:00"


class SlotCapacity(models.Model):
    """Visits that an area can take in one half day; a row with a day replaces the usual one on that day."""

    area = models.CharField(max_length=40)
    appointment_type = models.CharField(max_length=20, choices=AppointmentType)
    day = models.DateField(null=True)
    half = models.CharField(max_length=2, choices=Half)
    capacity = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["area", "appointment_type", "half"],
                condition=Q(day=None),
                name="usual_capacity_once",
            ),
            models.UniqueConstraint(
                fields=["area", "appointment_type", "half", "day"], name="capacity_of_day_once"
            ),
        ]


class AppointmentState(models.TextChoices):
    RESERVED = "reserved", "Reserved, not yet on an order"
    BOOKED = "booked", "Booked by an order"
    USED = "used", "The visit has been made"
    RELEASED = "released", "Given back"
    EXPIRED = "expired", "Not booked in time"


class AppointmentQuerySet(models.QuerySet["Appointment"]):
    def using_capacity(self) -> "AppointmentQuerySet":
        return self.filter(
            state__in=[AppointmentState.RESERVED, AppointmentState.BOOKED, AppointmentState.USED]
        )


class Appointment(CompiledSave):
    """A reserved half day; `key` is the reservation key of the interface."""

    key = models.UUIDField(unique=True, default=uuid.uuid4)
    buyer = models.ForeignKey(Buyer, on_delete=models.CASCADE, related_name="appointments")
    location = models.ForeignKey(Location, on_delete=models.CASCADE, related_name="appointments")
    product = models.ForeignKey(Product, on_delete=models.PROTECT, related_name="appointments")
    appointment_type = models.CharField(max_length=20, choices=AppointmentType)
    # the area whose capacity it uses
    area = models.CharField(max_length=40)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    reserved_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    state = models.CharField(
        max_length=10, choices=AppointmentState, default=AppointmentState.RESERVED, db_index=True
    )

    objects = AppointmentQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["area", "appointment_type", "starts_at"])]
        constraints = [
            models.CheckConstraint(condition=Q(ends_at__gt=F("starts_at")), name="appointment_has_length")
        ]
