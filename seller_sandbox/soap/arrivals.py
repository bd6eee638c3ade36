"""Messages of buyers as rows: what came, whether it came before, and what was answered."""

from collections.abc import Callable
from hashlib import sha256

from django.db import transaction

from seller_sandbox.endpoints.exchange import Answer, Request
from seller_sandbox.messages import inbox, message_log
from seller_sandbox.messages.inbox import MessageIdReused
from seller_sandbox.messages.models import InboundMessage, MessageThread
from seller_sandbox.soap import soap_faults
from seller_sandbox.soap.interfaces import Interface
from seller_sandbox.soap.media_type import CONTENT_TYPE
from seller_sandbox.soap.problems import InvalidMessage, MessageProblem
from seller_sandbox.soap.soap_faults import SoapFault

# does what a message asks for: the answer's content, and the thread of what it is about
Handle = Callable[[], tuple[bytes, MessageThread | None]]
# what is stored of a message that could not be read
MAX_STORED = 100_000


def arrived(request: Request, *, operation: str, switch: str = "") -> InboundMessage:
    """A message before anything is known of it; what cannot be read is kept as text that any database takes."""
    content = (request.body or b"")[:MAX_STORED].decode(errors="backslashreplace")
    return InboundMessage(
        endpoint=request.endpoint,
        operation=operation,
        caller=request.subject or "",
        raw_body=content.replace("\0", "\\x00"),
        switch=switch,
    )


def identify(message: InboundMessage, *, operation: str, message_id: str, content: bytes) -> None:
    message.operation, message.message_id = operation, message_id
    message.digest = sha256(operation.encode() + b" " + content).hexdigest()


def answer_to_repeat(message: InboundMessage, *, id_path: str) -> Answer | None:
    """The stored answer to a message that came before, recorded; raises InvalidMessage for an id used otherwise.

    `id_path`: where the id stands in this message, from its root.
    """
    try:
        answer = inbox.stored_answer(message)
    except MessageIdReused as problem:
        raise InvalidMessage(
            MessageProblem(
                id_path,
                f"The messageId {message.message_id} was used for another message",
                "Give each new message an id of its own; repeat a message byte for byte.",
            )
        ) from problem
    if answer:
        message_log.record_arrival(message, answer)
    return answer


def fault_answer(fault: SoapFault) -> Answer:
    return Answer(fault.status, fault.content, content_type=CONTENT_TYPE)


def refuse(status: int, code: str, sentence: str, *, interface: Interface | None = None) -> Answer:
    """A refusal of the transport as a SOAP fault; `interface` as in soap_faults.of_status."""
    return fault_answer(soap_faults.of_status(status, sentence, fault_code=code, interface=interface))


def answer_once(
    message: InboundMessage,
    *,
    id_path: str,
    is_callers_own: bool,
    handle: Handle,
    refuse: Callable[[int, str, str], Answer] = refuse,
) -> Answer:
    """The answer, stored with the message: a 403 to a foreign identifier, the stored one to a repeated message, or what
    `handle` does and gives."""
    if not is_callers_own:
        answer = refuse(403, "accessDenied", "The buyerIdentifier is not that of this certificate")
        message_log.record_arrival(message, answer)
        return answer
    if answer := answer_to_repeat(message, id_path=id_path):
        return answer
    content, message.thread = handle()
    message.holds_id = True
    answer = Answer(200, content, content_type=CONTENT_TYPE)
    message_log.record_arrival(message, answer)
    return answer


@transaction.atomic
def keep_refused(message: InboundMessage, answer: Answer) -> None:
    message.holds_id, message.pk = False, None
    message_log.record_arrival(message, answer)
