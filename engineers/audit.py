"""The audit line for what is not about a job: rota, people, replayed messages."""

from typing import Any

from django.utils import timezone

from engineers.models import AuditEntry, User


def record(
    *, actor: User | None, action: str, subject: str, before: Any = None, after: Any = None
) -> AuditEntry:
    """Append one line; call it inside the transaction of the change itself."""
    return AuditEntry.objects.create(
        actor=actor, action=action, subject=subject, before=before, after=after, recorded_at=timezone.now()
    )
