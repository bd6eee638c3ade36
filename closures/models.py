"""What was found and proved at the premises: answers, photos, and the closure of a job."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from dispatch.models import Job
from engineers.models import Engineer, User


class AnswerQuerySet(models.QuerySet["Answer"]):
    def active(self) -> AnswerQuerySet:
        return self.filter(withdrawn_at=None)


class Answer(models.Model):
    """One answer with the text that was shown; a new answer withdraws the old one, which stays as history."""

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="answers")
    question_code = models.CharField(max_length=40)
    question_text = models.TextField()
    kind = models.CharField(max_length=10)
    value = models.JSONField()
    answer_text = models.TextField()
    matrix_edition = models.CharField(max_length=60)
    answered_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    by = models.ForeignKey(Engineer, on_delete=models.PROTECT, null=True, related_name="+")
    withdrawn_at = models.DateTimeField(null=True)
    # when an event of the job first carried it to the seller; null: it goes with the closing
    reported_at = models.DateTimeField(null=True)

    objects = AnswerQuerySet.as_manager()

    class Meta:
        ordering = ["answered_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["job", "question_code"], condition=Q(withdrawn_at=None), name="one_standing_answer"
            )
        ]

    def __str__(self) -> str:
        return f"{self.question_code}: {self.answer_text}"


class PhotoSource(models.TextChoices):
    CAMERA = "camera", _("Camera")
    GALLERY = "gallery", _("Gallery")
    UNKNOWN = "unknown", _("Unknown")


class PhotoQuerySet(models.QuerySet["Photo"]):
    def stored(self) -> PhotoQuerySet:
        return self.filter(stored_at__isnull=False, purged_at=None)

    def missing(self) -> PhotoQuerySet:
        """Announced by a phone, not arrived yet."""
        return self.filter(stored_at=None)


class Photo(models.Model):
    """One picture as evidence of one question. The id is the phone's; `stored_at` is set once it is safe."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="photos")
    question_code = models.CharField(max_length=40)
    # of the bytes as the phone has them; the file that is kept is turned upright and has its own
    sha256 = models.CharField(max_length=64, blank=True)
    stored_sha256 = models.CharField(max_length=64, blank=True)
    content_type = models.CharField(max_length=40, blank=True)
    size_bytes = models.PositiveIntegerField(null=True)
    width = models.PositiveIntegerField(null=True)
    height = models.PositiveIntegerField(null=True)
    taken_at = models.DateTimeField()
    latitude = models.FloatField(null=True)
    longitude = models.FloatField(null=True)
    accuracy_metres = models.FloatField(null=True)
    source = models.CharField(max_length=10, choices=PhotoSource, default=PhotoSource.UNKNOWN)
    # what the phone found wrong with it: {blur, dark, unreadable, used_anyway}
    checks = models.JSONField(default=dict, blank=True)
    # of the picture before something was drawn on it
    original_sha256 = models.CharField(max_length=64, blank=True)
    # who signed, on the picture of a signature
    signer = models.CharField(max_length=120, blank=True)
    by = models.ForeignKey(Engineer, on_delete=models.PROTECT, null=True, related_name="+")
    recorded_at = models.DateTimeField()
    stored_at = models.DateTimeField(null=True)
    # until its thumbnail is made or given up (closures.photos.thumbnails): the sweep reads these few by their index
    awaits_thumbnail = models.BooleanField(default=True)
    # since when the file is gone by rule or on request (closures.retention); hashes, size and times stay
    purged_at = models.DateTimeField(null=True)

    objects = PhotoQuerySet.as_manager()

    class Meta:
        ordering = ["taken_at", "pk"]
        indexes = [
            models.Index(fields=["job", "question_code"], name="photo_by_question"),
            # the same file on another job
            models.Index(fields=["stored_sha256"], name="photo_by_file"),
            models.Index(
                fields=["stored_at"], condition=Q(awaits_thumbnail=True), name="photo_awaiting_thumbnail"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question_code} {self.pk}"

    @property
    def is_available(self) -> bool:
        """Its file can be shown: it arrived and was not purged."""
        return self.stored_at is not None and self.purged_at is None

    @property
    def hashes(self) -> list[str]:
        """Those that are known: of the picture as it was sent, before something was drawn on it, and as it is kept."""
        return [sha256 for sha256 in (self.sha256, self.original_sha256, self.stored_sha256) if sha256]


class ThumbnailQuerySet(models.QuerySet["Thumbnail"]):
    def over(self) -> ThumbnailQuerySet:
        """Made, or given up: these are not retried automatically."""
        return self.exclude(made_at=None, failed_at=None)


class Thumbnail(models.Model):
    """The small picture of a photo. `attempts` counts before each one: a photo that ends its worker becomes known."""

    photo = models.OneToOneField(Photo, on_delete=models.CASCADE, primary_key=True, related_name="thumbnail")
    attempts = models.PositiveSmallIntegerField(default=0)
    made_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)

    objects = ThumbnailQuerySet.as_manager()

    def __str__(self) -> str:
        return f"small {self.photo_id}"


class PhotoFingerprint(models.Model):
    """What a photo looks like, in four parts of 16 bits (closures.photos.photo_similarity)."""

    photo = models.OneToOneField(
        Photo, on_delete=models.CASCADE, primary_key=True, related_name="fingerprint"
    )
    band_1 = models.PositiveIntegerField(db_index=True)
    band_2 = models.PositiveIntegerField(db_index=True)
    band_3 = models.PositiveIntegerField(db_index=True)
    band_4 = models.PositiveIntegerField(db_index=True)

    def __str__(self) -> str:
        return f"fingerprint {self.photo_id}"


class Closure(models.Model):
    """How a job ended; written in the same transaction as the event that closes it."""

    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="closure")
    code = models.CharField(max_length=40)
    description = models.TextField()
    secondary_code = models.CharField(max_length=40, blank=True)
    secondary_description = models.TextField(blank=True)
    remarks = models.TextField(blank=True)
    closed_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    engineer = models.ForeignKey(Engineer, on_delete=models.PROTECT, null=True, related_name="+")
    by_name = models.CharField(max_length=310)
    without_visit = models.BooleanField(default=False)
    # answers that do not match the outcome and were ticked as checked: question, text and answer of each
    checked_answers = models.JSONField(default=list)

    class Meta:
        indexes = [models.Index(fields=["closed_at"], name="closure_by_time")]

    def __str__(self) -> str:
        return f"{self.job}: {self.code}"


class PackKind(models.TextChoices):
    ZIP = "zip", _("ZIP")
    PDF = "pdf", _("PDF")


class EvidencePack(models.Model):
    """A file with all the evidence of a job that somebody asked for; it is made by the worker and deleted after a
    day (closures.evidence_packs). Who downloaded it is in the audit log."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="evidence_packs")
    kind = models.CharField(max_length=3, choices=PackKind)
    requested_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    requested_at = models.DateTimeField(db_index=True)
    made_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    size_bytes = models.PositiveIntegerField(null=True)
    sha256 = models.CharField(max_length=64, blank=True)

    def __str__(self) -> str:
        return f"{self.kind} of {self.job}"


class MatrixEdition(models.Model):
    """An edition of the question matrix that a supervisor imported (closures.question_matrix.matrix_editions). It is
    never changed or deleted: a job keeps the edition that it began with."""

    edition = models.CharField(max_length=60, unique=True)
    name = models.TextField()
    # as a matrix file has it
    content = models.TextField()
    starts_at = models.DateTimeField()
    imported_at = models.DateTimeField()
    imported_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["-starts_at", "-pk"]

    def __str__(self) -> str:
        return self.edition
