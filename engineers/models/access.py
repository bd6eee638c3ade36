"""Ways in without a password: the one-time sign-in link, the calendar feed, the account of the company's provider."""

from __future__ import annotations

from datetime import datetime

from django.db import models

from engineers.models.people import Engineer, User


class SignInLinkQuerySet(models.QuerySet["SignInLink"]):
    def usable(self, now: datetime) -> SignInLinkQuerySet:
        return self.filter(used_at=None, expires_at__gt=now, user__is_active=True)


class SignInLink(models.Model):
    """With this link a person chooses a password and is signed in, once. We keep only a hash of its secret."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="sign_in_links")
    secret_sha256 = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    objects = SignInLinkQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.user} until {self.expires_at:%d %b %H:%M}"


class CalendarFeed(models.Model):
    """The secret address at which a calendar application reads an engineer's visits. Deleted when it is revoked."""

    engineer = models.OneToOneField(Engineer, on_delete=models.CASCADE, related_name="calendar_feed")
    secret_sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    last_read_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.engineer} since {self.created_at:%d %b %H:%M}"


class CompanyIdentity(models.Model):
    """`subject` is the provider's name for the person, which never changes and is never given to another."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="company_identities")
    issuer = models.CharField(max_length=200)
    subject = models.CharField(max_length=255)
    linked_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint("issuer", "subject", name="company_identity_once"),
            models.UniqueConstraint("user", "issuer", name="one_company_identity_per_user"),
        ]

    def __str__(self) -> str:
        return f"{self.user} at {self.issuer}"
