"""Messages that come twice: the first one that was accepted holds its id, and its answer is given again."""

from seller_sandbox.endpoints.exchange import JSON, Answer, json_answer
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
    return _answer_of(first)


def _answer_of(message: InboundMessage) -> Answer:
    if message.answer_content_type == JSON:
        return json_answer(message.answer_status, message.answer_body)
    return Answer(message.answer_status, message.answer_body.encode(), message.answer_content_type)
