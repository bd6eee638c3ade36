"""Lines of the seller's record, as it downloads."""

import json
from typing import Any

from django.utils import timezone

from seller_link.models import InboundMessage, OutboundMessage


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


def received_line(message: InboundMessage) -> dict[str, Any]:
    """A message of the seller's that we have accepted."""
    assert message.job is not None
    return {
        "at": message.received_at.isoformat(),
        "direction": "out",
        "sellerJobId": message.job.seller_job_id,
        "messageId": str(message.message_id),
        "operation": message.operation,
        "body": json.loads(message.body),
        "answer": {"status": message.response_status},
        "duplicate_of": None,
    }
