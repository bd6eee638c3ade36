"""Jobs as the seller knows them, the files of their closures, and the provisioning tries."""

from django.db import models
from django.db.models import Count, F, Q

from seller_sandbox import sandbox_time
from seller_sandbox.compiled_saves import CompiledSave
from seller_sandbox.messages.models import InboundMessage, MessageThread


class JobType(models.TextChoices):
    INSTALLATION = "installation", "Installation"
    REVISIT = "revisit", "Revisit"
    EXTERNAL = "external", "External"
    CIVILS = "civils", "Civils"


class JobState(models.TextChoices):
    """What the seller knows; the labels are the console's."""

    QUEUED = "queued", "Pack not yet answered"
    REFUSED = "refused", "Pack refused by the partner"
    ACCEPTED = "accepted", "Accepted, no engineer yet"
    ASSIGNED = "assigned", "Engineer assigned"
    EN_ROUTE = "en_route", "Engineer en route"
    ON_SITE = "on_site", "Engineer on site"
    SCANNED = "scanned", "ONT scanned"
    PROVISIONED = "provisioned", "ONT provisioned"
    PROVISIONING_FAILED = "provisioning_failed", "ONT provisioning failed"
    CLOSED = "closed", "Closed"
    CANCELLED = "cancelled", "Cancelled"


class JobQuerySet(models.QuerySet["Job"]):
    def with_breaches(self) -> "JobQuerySet":
        """Each job with `breach_total`: its messages, or answers to ours, that broke the contract."""
        return self.annotate(breach_total=Count("thread__entries", filter=Q(thread__entries__is_breach=True)))


class Job(CompiledSave):
    """One job pack and what became of it."""

    thread = models.OneToOneField(MessageThread, on_delete=models.CASCADE, related_name="job")
    seller_job_id = models.CharField(max_length=36, unique=True)
    provider_job_id = models.CharField(max_length=36, blank=True, db_index=True)
    # the seller's order that it belongs to; empty for a pack that nobody ordered
    order_reference = models.CharField(max_length=36, blank=True, db_index=True)
    job_type = models.CharField(max_length=20, choices=JobType)
    state = models.CharField(max_length=20, choices=JobState, default=JobState.QUEUED)
    pack = models.JSONField()
    uprn = models.CharField(max_length=12, db_index=True)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    # whom the partner named last; enRoute and onSite must name the same person
    engineer_id = models.TextField(blank=True)
    closure_code = models.CharField(max_length=40, blank=True)
    secondary_code = models.CharField(max_length=40, blank=True)
    secondary_description = models.TextField(blank=True)
    closed_at = models.DateTimeField(null=True)
    cancelled_at = models.DateTimeField(null=True)
    # the case of an odd pack (packs/odd.py), empty for a usual one
    oddity = models.CharField(max_length=40, blank=True)
    # odd messages (odd_messages.py) that go out with the job's next result
    odd_results = models.JSONField(default=list)
    provisioning_by_hand = models.BooleanField(default=False)
    # result ids, one per try; after the last one the general rule decides
    provisioning_plan = models.JSONField(default=list)
    created_at = models.DateTimeField(default=sandbox_time.now)

    objects = JobQuerySet.as_manager()

    @property
    def is_over(self) -> bool:
        return self.state in {JobState.CLOSED, JobState.CANCELLED}


class EvidenceState(models.TextChoices):
    WAITING = "waiting", "To be fetched"
    VERIFIED = "verified", "As the message says"
    DIFFERS = "differs", "Differs from the message"


class EvidenceQuerySet(models.QuerySet["EvidenceFile"]):
    def waiting(self) -> "EvidenceQuerySet":
        return self.filter(state=EvidenceState.WAITING)


class EvidenceFile(models.Model):
    """A file that a closeJob names, and what fetching it gave; `pointer` is its place in the message."""

    message = models.ForeignKey(InboundMessage, on_delete=models.CASCADE, related_name="evidence")
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="evidence")
    pointer = models.CharField(max_length=100)
    name = models.TextField()
    media_type = models.TextField()
    object_path = models.TextField()
    # of object_path, for the index: an address has no longest length, and PostgreSQL cannot index a long one
    object_path_sha256 = models.CharField(max_length=64, db_index=True)
    url = models.TextField()
    state = models.CharField(max_length=10, choices=EvidenceState, default=EvidenceState.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    # by the sandbox clock
    next_attempt_at = models.DateTimeField()
    size_bytes = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True, db_index=True)

    objects = EvidenceQuerySet.as_manager()

    class Meta:
        ordering = ["id"]


class Checking(models.Model):
    """One row: what was chosen on the console about strictness; null leaves it to the settings."""

    is_strict = models.BooleanField(null=True)
    positions_refused = models.BooleanField(null=True)


class TryState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    DONE = "done", "Result sent"
    SUPERSEDED = "superseded", "Replaced by a newer scan"


class TryQuerySet(models.QuerySet["ProvisioningTry"]):
    def waiting(self) -> "TryQuerySet":
        return self.filter(state=TryState.WAITING)

    def by_due(self) -> "TryQuerySet":
        return self.order_by(F("due_at").asc(nulls_last=True), "id")


class ProvisioningTry(CompiledSave):
    """One attempt to push the configuration to a scanned ONT."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="tries")
    scan_id = models.UUIDField(null=True)
    fsan = models.CharField(max_length=100, blank=True)
    # by the sandbox clock; null waits for somebody to choose the result
    due_at = models.DateTimeField(null=True)
    state = models.CharField(max_length=10, choices=TryState, default=TryState.WAITING)
    result = models.PositiveSmallIntegerField(null=True)
    created_at = models.DateTimeField(default=sandbox_time.now)

    objects = TryQuerySet.as_manager()

    class Meta:
        ordering = ["id"]


class RuleMode(models.TextChoices):
    FIXED = "fixed", "Always the same result"
    CHECKED = "checked", "By what was scanned"
    BY_HAND = "by_hand", "By hand"


class ProvisioningRule(models.Model):
    """One row: how scans are answered where a job has no plan of its own."""

    mode = models.CharField(max_length=10, choices=RuleMode, default=RuleMode.FIXED)
    result = models.PositiveSmallIntegerField(default=1)
    seconds = models.PositiveIntegerField(default=3)
    # plans for new jobs, taken in turn
    plan_cycle = models.JSONField(default=list)
    position = models.PositiveIntegerField(default=0)
