"""How far a complex order is: what its surveys found, and what the buyer has answered."""

from django.db import models

from seller_sandbox.orders.models.orders import Order


class ComplexStage(models.TextChoices):
    """The values go to the buyer; the document names five of them, the others are ours (docs/order-messages.md)."""

    DESKTOP_SURVEY = "Desktop Survey"
    DESKTOP_SURVEY_COMPLETED = "Desktop Survey Completed"
    PHYSICAL_SURVEY = "Physical Survey"
    PHYSICAL_SURVEY_COMPLETED = "Physical Survey Completed"
    COST_FINALISED = "Cost Finalised"
    CIVILS = "Civils"
    CIVILS_COMPLETED = "Civils Completed"
    BUILD_TO_WALL = "Build to Wall"
    BUILD_TO_WALL_COMPLETED = "Build to Wall Completed"
    STANDARD_INSTALL = "Standard Install"


class ComplexOrder(models.Model):
    """The course of one complex order. Amounts are in pence; days are local (order-provisioning.md, complexOrder)."""

    order = models.OneToOneField(Order, on_delete=models.CASCADE, related_name="complex_order")
    stage = models.CharField(max_length=30, choices=ComplexStage, default=ComplexStage.DESKTOP_SURVEY)
    # [{"name": "Desktop Survey Completed", "at": "2026-11-23T09:00:00+00:00"}], oldest first
    milestones = models.JSONField(default=list)
    # the desktop survey
    is_desktop_survey_skipped = models.BooleanField(default=False)
    estimate_pence = models.PositiveIntegerField(null=True)
    estimate_accepted_at = models.DateTimeField(null=True)
    # lower bounds, and the day for which a survey is booked
    earliest_survey_date = models.DateField(null=True)
    confirmed_survey_date = models.DateField(null=True)
    earliest_appointment_date = models.DateField(null=True)
    # the physical survey: the finalised cost of the installation, and what the survey itself cost
    cost_pence = models.PositiveIntegerField(null=True)
    cost_accepted_at = models.DateTimeField(null=True)
    needs_civils = models.BooleanField(default=False)
    survey_cost_pence = models.PositiveIntegerField(default=0)
    # what the buyer of a cancelled order owes: no wire field, shown in console and control interface (D20)
    survey_liability_pence = models.PositiveIntegerField(default=0)
