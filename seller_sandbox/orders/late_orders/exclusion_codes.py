"""Why days of a delay are not the seller's (order-provisioning.md, Exclusion reason codes)."""

from django.db import models


class ExclusionCode(models.TextChoices):
    """All ten, with the document's texts."""

    LATE_CANCELLATION = (
        "RC001",
        "End customer or buyer requested cancellation"
        " (late cancellation, so the job was provided then ceased)",
    )
    DAMAGE = "RC002", "End customer or agent damaged equipment or wiring"
    ACCESS = (
        "RC003",
        "End customer access issues (no access, no suitable person, wayleave refused, hazard)",
    )
    NOT_TOTAL_LOSS = "RC010", "Not total loss of service"
    MBORC = "RC012", "MBORC"
    SITE_DETAILS = "RC014", "Buyer access or site details unavailable or incorrect"
    TEMPORARY_SERVICE = (
        "RC016",
        "Temporary service provided, further work needed for permanent service",
    )
    DATE_AMENDED = (
        "RC036",
        "Delivery date amended by the buyer to a new date,"
        " or the buyer did not choose the earliest date offered",
    )
    NOT_EARLIEST = "RC037", "Buyer did not choose the earliest date offered"
    SITE_UNSAFE = "RC043a", "Site unsafe"


# closure codes of a visit that did not succeed; the others leave the delay with the seller
BY_CLOSURE = {
    "RNA/NA": ExclusionCode.ACCESS,
    "MBORC": ExclusionCode.MBORC,
    "HAZ": ExclusionCode.SITE_UNSAFE,
}
