"""The devices that engineers scan, and what the seller answered to them."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _

from dispatch.models.jobs_and_visits import Job


class ScanSource(models.TextChoices):
    TYPED = "typed", _("Entered manually")
    CAMERA = "camera", _("Camera")


class OntScan(models.Model):
    """One device read at the premises; the id is the phone's. Its results are in `results`."""

    scan_id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="scans")
    fsan = models.CharField(max_length=12)
    serial_number = models.CharField(max_length=40, blank=True)
    source = models.CharField(max_length=10, choices=ScanSource, default=ScanSource.TYPED)
    scanned_at = models.DateTimeField()
    recorded_at = models.DateTimeField()

    class Meta:
        ordering = ["recorded_at"]
        indexes = [models.Index(fields=["fsan"], name="scan_by_fsan")]

    def __str__(self) -> str:
        return self.fsan


class ProvisioningResult(models.Model):
    """What the seller answered to a scan (installation-jobs.md, ONT provisioning results, 1 to 7)."""

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="results")
    scan = models.ForeignKey(OntScan, on_delete=models.PROTECT, null=True, related_name="results")
    result_id = models.PositiveSmallIntegerField()
    success = models.BooleanField()
    details = models.TextField(blank=True)
    occurred_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    # by which the newest is found (ont_scans.result_counts_from)
    counts_from = models.DateTimeField()

    class Meta:
        ordering = ["recorded_at", "pk"]
        indexes = [models.Index(fields=["recorded_at"], name="result_by_time")]

    def __str__(self) -> str:
        return f"{self.job}: result {self.result_id}"
