"""Takes a buyer's message: stored, its effect and its answer in one transaction (docs/order-messages.md).

The same message sent again gets the stored answer and has no second effect.
"""

from hashlib import sha256

import structlog
from django.conf import settings
from django.db import IntegrityError, transaction

from seller_sandbox import clock
from seller_sandbox.endpoints.exchange import Answer, Request
from seller_sandbox.messages import inbox, message_log
from seller_sandbox.messages.inbox import MessageIdReused
from seller_sandbox.messages.models import InboundMessage
from seller_sandbox.network import buyers
from seller_sandbox.orders import answers
from seller_sandbox.orders.wire import parsing, paths
from seller_sandbox.orders.wire.namespaces import INTERFACE
from seller_sandbox.orders.wire.requests import ParsedRequest
from seller_sandbox.soap import soap_faults
from seller_sandbox.soap.media_type import CONTENT_TYPE
from seller_sandbox.soap.problems import InvalidMessage, MessageProblem, NotXml
from seller_sandbox.soap.soap_faults import SoapFault

# what is stored of a message that could not be read
MAX_STORED = 100_000

log = structlog.get_logger("sandbox.orders.receiver")


def receive(request: Request) -> Answer:
    """The answer to a buyer's POST: a response, or a SOAP fault with all problems."""
    try:
        message, answer = _receive(request)
    except IntegrityError:
        # the same message came twice at once, and the other one was faster: now its answer is there
        message, answer = _receive(request)
    log.info("received", operation=message.operation, caller=message.caller, status=answer.status)
    return answer


def _receive(request: Request) -> tuple[InboundMessage, Answer]:
    message = _arrived(request)
    try:
        # one reading of the clock: everything that follows from a message happens at the same moment
        with transaction.atomic(), clock.at(clock.now()):
            answer = _take(request, message)
    except (NotXml, InvalidMessage) as problem:
        answer = _fault(soap_faults.of_message(problem, INTERFACE, status=settings.SOAP_FAULT_STATUS))
        _keep_refused(message, answer)
    return message, answer


def note_unserved(request: Request, answer: Answer | None, switch: str) -> None:
    """Record a message that the fault switch did not let through."""
    message_log.record_arrival(_arrived(request, switch=switch), answer)


def _arrived(request: Request, *, switch: str = "") -> InboundMessage:
    """A message before anything is known of it; what cannot be read is kept as text that any database takes."""
    content = (request.body or b"")[:MAX_STORED].decode(errors="backslashreplace")
    return InboundMessage(
        endpoint=request.endpoint,
        operation=request.operation or "order",
        caller=request.subject or "",
        raw_body=content.replace("\0", "\\x00"),
        switch=switch,
    )


def refuse(status: int, _code: str, sentence: str) -> Answer:
    """A refusal of the transport as a SOAP fault."""
    return _fault(soap_faults.of_status(status, sentence))


def _take(request: Request, message: InboundMessage) -> Answer:
    parsed = parsing.parse(request.body or b"")
    paths.check(request.operation, parsed)
    message.operation = paths.operation_of(parsed)
    message.message_id = parsed.header.message_id
    message.digest = sha256(message.operation.encode() + b" " + request.body).hexdigest()
    buyer = buyers.find_by_subject(request.subject or "")
    if buyer is None or buyer.identifier != parsed.header.buyer_identifier:
        answer = refuse(403, "accessDenied", "The buyerIdentifier is not that of this certificate")
        message_log.record_arrival(message, answer)
        return answer
    if answer := _answer_to_repeat(message, parsed):
        return answer
    content, order = answers.handle(parsed, buyer=buyer)
    message.thread = order.thread if order else None
    message.holds_id = True
    answer = Answer(200, content, content_type=CONTENT_TYPE)
    message_log.record_arrival(message, answer)
    return answer


def _answer_to_repeat(message: InboundMessage, parsed: ParsedRequest) -> Answer | None:
    try:
        answer = inbox.stored_answer(message)
    except MessageIdReused as problem:
        raise InvalidMessage(
            MessageProblem(
                "header/messageId",
                f"The messageId {parsed.header.message_id} was used for another message",
                "Give each new message an id of its own; repeat a message byte for byte.",
            )
        ) from problem
    if answer:
        message_log.record_arrival(message, answer)
    return answer


@transaction.atomic
def _keep_refused(message: InboundMessage, answer: Answer) -> None:
    message.holds_id, message.pk = False, None
    message_log.record_arrival(message, answer)


def _fault(fault: SoapFault) -> Answer:
    return Answer(fault.status, fault.content, content_type=CONTENT_TYPE)
