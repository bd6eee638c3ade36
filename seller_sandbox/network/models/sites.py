"""Premises and the cabinets that feed them (order-provisioning.md, Location)."""

from datetime import date

from django.db import models
from django.db.models import Q

from seller_sandbox.compiled_saves import CompiledSave
from seller_sandbox.network.models.catalogue import ProductGroup

FTTH = "FTTH"


class RfsStatus(models.TextChoices):
    """Ready For Service status; the document names RFS_1 to RFS_4 and NOT_RFS_2, the others cannot be ordered."""

    RFS_0 = "RFS_0", "Not ready for service"
    RFS_1 = "RFS_1", "Ready, no ONT"
    RFS_2 = "RFS_2", "Ready, in a shared building, no ONT"
    RFS_3 = "RFS_3", "ONT installed, no service"
    RFS_4 = "RFS_4", "ONT installed, live service"
    NOT_RFS_1 = "NOT_RFS_1", "Planned"
    NOT_RFS_2 = "NOT_RFS_2", "Being built"


class DrStatus(models.TextChoices):
    """How far the build of premises that are not ready is away; DR3 or below may be pre-ordered."""

    DR1 = "DR1"
    DR2 = "DR2"
    DR3 = "DR3"
    DR4 = "DR4"
    DR5 = "DR5"


class Classification(models.TextChoices):
    RESIDENTIAL = "Residential"
    BUSINESS = "Business"
    OTHER = "Other"


class Cabinet(models.Model):
    """`release_on` is the day it goes live, null as long as there is no date; `release_set_on` when that was said."""

    name = models.CharField(max_length=40, unique=True)
    release_on = models.DateField(null=True)
    release_set_on = models.DateField(null=True)

    def is_live(self, today: date) -> bool:
        """Whether its day has come; one that had passed already when it was given says nothing of the build."""
        set_on, due_on = self.release_set_on, self.release_on
        return set_on is not None and due_on is not None and set_on <= due_on <= today


class Location(CompiledSave):
    """One premises; `lines`, `loc_codes` are lists of texts, the position is in WGS 84 degrees."""

    uprn = models.CharField(max_length=12, unique=True)
    lines = models.JSONField()
    town = models.CharField(max_length=60)
    # upper case with one space before the last three characters
    postcode = models.CharField(max_length=8, db_index=True)
    latitude = models.FloatField()
    longitude = models.FloatField()
    # where engineers' slots are counted
    area = models.CharField(max_length=40)
    property_type = models.CharField(max_length=20, default=FTTH)
    classification = models.CharField(
        max_length=20, choices=Classification, default=Classification.RESIDENTIAL
    )
    rfs_status = models.CharField(max_length=10, choices=RfsStatus)
    cabinet = models.ForeignKey(Cabinet, on_delete=models.PROTECT, related_name="locations")
    loc_codes = models.JSONField(default=list)
    # empty once the premises are ready
    dr_status = models.CharField(max_length=3, choices=DrStatus, blank=True)
    product_group = models.ForeignKey(ProductGroup, on_delete=models.PROTECT, related_name="locations")
    # what fixed test premises are for; empty in a made town
    situation = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(uprn__regex=r"^[1-9][0-9]{0,11}$"), name="uprn_is_a_number")
        ]
