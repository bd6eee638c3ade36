"""The buyers that order: what they are permitted, where their traffic is handed over, their agreed projects."""

from django.db import models
from django.db.models import F, Q

from seller_sandbox.network.models.catalogue import AuxiliaryService, Product


class Buyer(models.Model):
    """An account; its certificate's common name is `subject`."""

    identifier = models.CharField(max_length=40, unique=True)
    name = models.CharField(max_length=100)
    subject = models.CharField(max_length=100, unique=True)
    is_active = models.BooleanField(default=True)
    # base addresses of its callback endpoints, tried in turn
    callback_urls = models.JSONField(default=list)
    products = models.ManyToManyField(Product, related_name="buyers")
    auxiliary_services = models.ManyToManyField(AuxiliaryService, related_name="buyers")
    # calendar days between a cease order and its date, or the whole period is charged
    notice_days = models.PositiveIntegerField(default=30)


class Nni(models.Model):
    """An ENNI of a buyer; without areas it takes National Access from everywhere, with areas Local Access of these."""

    identifier = models.CharField(max_length=40, unique=True)
    buyer = models.ForeignKey(Buyer, on_delete=models.CASCADE, related_name="nnis")
    areas = models.JSONField(default=list)

    class Meta:
        ordering = ["identifier"]


class Project(models.Model):
    """Agreed in advance between buyer and seller; both days belong to it."""

    buyer = models.ForeignKey(Buyer, on_delete=models.CASCADE, related_name="projects")
    reference = models.CharField(max_length=40)
    name = models.CharField(max_length=100)
    starts_on = models.DateField()
    ends_on = models.DateField()
    requirements = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["buyer", "reference"], name="project_reference_of_buyer"),
            models.CheckConstraint(
                condition=Q(ends_on__gte=F("starts_on")), name="project_ends_after_its_start"
            ),
        ]
