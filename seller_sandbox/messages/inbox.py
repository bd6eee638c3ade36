"""Messages that come twice: the first one that was accepted holds its id, and its answer is given again."""

from seller_sandbox.endpoints.exchange import Answer
from seller_sandbox.messages.models import InboundMessage


class MessageIdReused(Exception):
    """The id was used for another message of the same caller."""


def stored_answer(message: InboundMessage) -> Answer | None:
    """The answer to the message that holds this id, of which the new one becomes a duplicate.

    None when nobody holds it. Raises MessageIdReused when the digests differ.
    """
    same_id = InboundMessage.objects.filter(caller=message.caller, message_id=message.message_id)
    first = same_id.filter(holds_id=True).select_related("thread").first()
    if first is None:
        return None
    message.thread, message.duplicate_of = first.thread, first
    if first.digest != message.digest:
        raise MessageIdReused
    return Answer(first.answer_status, first.answer_body)
