"""Which message carried an answer first, by what our messages say. A person may have corrected or stopped one since."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Exists, OuterRef

from dispatch.models import Job
from seller_link.models import DeliveryAttempt, OutboundMessage, OutboundState
from seller_link.wire import outgoing
from seller_link.wire.v1.outgoing import AnswerKey

# of a job's messages
COLUMNS = ("operation", "state", "body", "purged_at")


def carried_answers(messages: Iterable[Mapping[str, Any]]) -> set[AnswerKey]:
    """By events that the seller has, or is to get. Each of the job's messages with its COLUMNS."""
    keys = [
        # a body is masked while its job goes on where an engineer was erased
        outgoing.answer_keys(message["body"], is_masked=message["purged_at"] is not None)
        for message in messages
        if message["operation"] == outgoing.NOTIFY and message["state"] != OutboundState.STOPPED
    ]
    return set().union(*keys)


def correct_unsent_closing(job: Job) -> None:
    """After a correction or a stop: the sources in a closing that nobody has tried to send. It keeps its id.

    One with a lease, even one that is over, may have reached the seller: a relay that ended on the way wrote no
    attempt. The same holds for one that failed by a fault of ours.
    """
    tried = DeliveryAttempt.objects.filter(message=OuterRef("pk"))
    ready = OutboundMessage.objects.filter(job=job, operation=outgoing.CLOSE, state=OutboundState.READY)
    closings = ready.filter(~Exists(tried), lease_expires_at=None, failures=0)
    for closing in closings.select_for_update(of=("self",)):
        carried = carried_answers(job.outbound_messages.values(*COLUMNS))
        entries = outgoing.with_first_sources(closing.body["questions_answers"], carried=carried)
        closing.body = {**closing.body, "questions_answers": entries}
        closing.save(update_fields=["body"])
