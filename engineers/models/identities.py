"""By which account of the company's provider somebody signs in."""

from django.db import models

from engineers.models.people import User


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
