"""Lines of the seller's record, as it downloads."""

from typing import Any

from django.utils import timezone

from seller_link.models import OutboundMessage


def line(message: OutboundMessage, **changes: Any) -> dict[str, Any]:
    """A message of ours that the seller has accepted."""
    return {
        "at": timezone.now().isoformat(),
        "direction": "in",
        "sellerJobId": message.job.seller_job_id,
        "messageId": str(message.message_id),
        "operation": message.operation,
        "body": message.body,
        "answer": {"status": 200},
        "duplicate_of": None,
        **changes,
    }
