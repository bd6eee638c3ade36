"""Where customers were reached and what they were told: when it ends, and what stays (that and when)."""

from datetime import datetime

from django.db import models
from django.utils import timezone

from customer_messages.models import CustomerMessage
from dispatch.models import Job
from engineers.retention import in_batches


def expired_messages(before: datetime) -> models.QuerySet[CustomerMessage]:
    return CustomerMessage.objects.filter(purged_at=None, created_at__lt=before)


def messages_of(jobs: models.QuerySet[Job]) -> models.QuerySet[CustomerMessage]:
    return CustomerMessage.objects.filter(purged_at=None, job__in=jobs)


def purge_messages(messages: models.QuerySet[CustomerMessage]) -> int:
    """Empty recipient and text; how many."""
    return in_batches(
        messages,
        lambda some: some.update(recipient="", subject="", text="", purged_at=timezone.now()),
    )
