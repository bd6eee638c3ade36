"""What can be ordered: products, auxiliary services, line profiles, and the ONT types that carry them."""

from django.db import models


class Access(models.TextChoices):
    LOCAL = "Local", "Handed over at an ENNI of the premises' own area"
    NATIONAL = "National", "Handed over at an ENNI for the whole country"


class LineProfile(models.Model):
    name = models.CharField(max_length=40, unique=True)


class AuxiliaryService(models.Model):
    code = models.CharField(max_length=40, unique=True)
    title = models.CharField(max_length=100)


class Product(models.Model):
    """`name` is the product identifier of the interface; the first of `line_profiles` is the usual one."""

    name = models.CharField(max_length=80, unique=True)
    title = models.CharField(max_length=200)
    access = models.CharField(max_length=10, choices=Access, blank=True)
    speed_mbps = models.PositiveIntegerField()
    is_ftth = models.BooleanField(default=True)
    is_complex = models.BooleanField(default=False)
    is_business = models.BooleanField(default=False)
    # activated remotely always: no engineer can be booked for it
    is_remote_only = models.BooleanField(default=False)
    # names of LineProfile rows
    line_profiles = models.JSONField(default=list)
    auxiliary_services = models.ManyToManyField(AuxiliaryService, related_name="products")


class ProductGroup(models.Model):
    """The products that premises of one kind may have."""

    name = models.CharField(max_length=40, unique=True)
    products = models.ManyToManyField(Product, related_name="groups")


class OntModel(models.Model):
    """An ONT type; its FSANs begin with the vendor's four letters."""

    vendor = models.CharField(max_length=40)
    model = models.CharField(max_length=40)
    fsan_prefix = models.CharField(max_length=4)
    ports = models.PositiveSmallIntegerField(default=1)
    products = models.ManyToManyField(Product, related_name="ont_models")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["vendor", "model"], name="ont_model_once")]
