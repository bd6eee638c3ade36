"""`manage.py message_log`: every message that the seller and we sent, as JSON lines, for support and rehearsals."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand

from engineers.audit import record_audit
from engineers.input_values import write_json
from seller_link.models import InboundMessage, OutboundMessage


def log() -> Iterator[dict[str, Any]]:
    """Ours in the order of each job, then the seller's in the order of their arrival."""
    for sent in OutboundMessage.objects.select_related("job"):
        yield {
            "said_by": "us",
            "seller_job": sent.job.seller_job_id,
            "message_id": str(sent.message_id),
            "operation": sent.operation,
            "body": sent.body,
            "state": sent.state,
        }
    for inbound in InboundMessage.objects.select_related("job"):
        yield {
            "said_by": "seller",
            "seller_job": inbound.job.seller_job_id if inbound.job else "",
            "message_id": inbound.raw_message_id,
            "operation": inbound.operation,
            "body": inbound.body,
            "state": inbound.outcome,
        }


class Command(BaseCommand):
    help = "Print every message exchanged with the seller as JSON Lines (contains personal data)."

    def handle(self, *_args: Any, **_options: Any) -> None:
        record_audit(actor=None, action="message_log_printed", subject="all messages")
        for line in log():
            self.stdout.write(write_json(line))
