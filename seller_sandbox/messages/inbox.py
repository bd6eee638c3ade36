"""Messages that come twice: the first one that was accepted holds its id, and its answer is given again."""

from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.endpoints.exchange import JSON, Answer, json_answer
from seller_sandbox.messages.models import InboundMessage

_HOLDER = CompiledQuery(
    lambda: InboundMessage.objects.select_related("thread").filter(
        caller=Parameter("caller"), message_id=Parameter("message_id"), holds_id=True
    )
)


class MessageIdReused(Exception):
    """The id was used for another message of the same caller."""


def stored_answer(message: InboundMessage) -> Answer | None:
    """The answer to the message that holds this id, of which the new one becomes a duplicate.

    None when nobody holds it. Raises MessageIdReused when the digests differ.
    """
    first = _HOLDER.first(caller=message.caller, message_id=message.message_id)
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
