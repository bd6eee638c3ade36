"""What is installed and live at premises: ONTs and services."""

from django.db import models
from django.db.models import F, Q

from seller_sandbox.compiled_saves import CompiledSave
from seller_sandbox.network.models.accounts import Buyer
from seller_sandbox.network.models.catalogue import AuxiliaryService, OntModel, Product
from seller_sandbox.network.models.sites import Location


class Ont(CompiledSave):
    """An installed device; a swap removes it and leaves the row."""

    location = models.ForeignKey(Location, on_delete=models.CASCADE, related_name="onts")
    ont_model = models.ForeignKey(OntModel, on_delete=models.PROTECT, related_name="onts")
    fsan = models.CharField(max_length=12)
    serial_number = models.CharField(max_length=40)
    removed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["location"], condition=Q(removed_at=None), name="one_ont_at_premises"
            ),
            models.UniqueConstraint(
                fields=["fsan"], condition=Q(removed_at=None), name="fsan_installed_once"
            ),
        ]


class Service(CompiledSave):
    """A buyer's service on a port of an ONT, live while `ended_at` is null."""

    service_identifier = models.CharField(max_length=20, unique=True)
    location = models.ForeignKey(Location, on_delete=models.CASCADE, related_name="services")
    ont = models.ForeignKey(Ont, on_delete=models.PROTECT, related_name="services")
    ont_port = models.PositiveSmallIntegerField(default=1)
    buyer = models.ForeignKey(Buyer, on_delete=models.PROTECT, related_name="services")
    product = models.ForeignKey(Product, on_delete=models.PROTECT, related_name="services")
    nni_identifier = models.CharField(max_length=40)
    s_vlan = models.PositiveSmallIntegerField()
    c_vlan = models.PositiveSmallIntegerField()
    line_profile = models.CharField(max_length=40)
    agent_remote_id = models.CharField(max_length=64, blank=True)
    authentication_protocol = models.CharField(max_length=40, blank=True)
    auxiliary_services = models.ManyToManyField(AuxiliaryService, related_name="services")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["location"], condition=Q(ended_at=None), name="one_live_service_at_premises"
            ),
            models.CheckConstraint(
                condition=Q(s_vlan__range=(1, 4094), c_vlan__range=(1, 4094)), name="vlans_of_service"
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None) | Q(ended_at__gte=F("started_at")),
                name="service_ends_after_its_start",
            ),
        ]
