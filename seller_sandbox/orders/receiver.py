"""Takes a buyer's message: stored, its effect and its answer in one transaction (docs/order-messages.md).

The same message sent again gets the stored answer and has no second effect.
"""

import structlog
from django.conf import settings
from django.db import IntegrityError, transaction

from seller_sandbox import clock
from seller_sandbox.endpoints.exchange import Answer, Request
from seller_sandbox.messages import message_log
from seller_sandbox.messages.models import InboundMessage, MessageThread
from seller_sandbox.network import buyers
from seller_sandbox.orders import answers
from seller_sandbox.orders.wire import parsing, paths
from seller_sandbox.orders.wire.namespaces import INTERFACE
from seller_sandbox.soap import arrivals, seller_names, soap_faults
from seller_sandbox.soap.problems import InvalidMessage, NotXml

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
    # one reading of the clock: everything that follows from a message happens at the same moment
    with clock.at(clock.now()):
        message = arrivals.arrived(request, operation=request.operation or "order")
        try:
            with transaction.atomic():
                answer = _take(request, message)
        except (NotXml, InvalidMessage) as problem:
            fault = soap_faults.of_message(problem, INTERFACE, status=settings.SOAP_FAULT_STATUS)
            answer = arrivals.fault_answer(fault)
            arrivals.keep_refused(message, answer)
    return message, answer


def note_unserved(request: Request, answer: Answer | None, switch: str) -> None:
    """Record a message that the fault switch did not let through."""
    message = arrivals.arrived(request, operation=request.operation or "order", switch=switch)
    message_log.record_arrival(message, answer)


def _take(request: Request, message: InboundMessage) -> Answer:
    content = request.body or b""
    parsed = parsing.parse(content)
    paths.check(request.operation, parsed)
    name = parsing.name_of(parsed)
    seller_names.check(parsed.header.seller_identifier, message=name)
    operation = paths.operation_of(parsed)
    arrivals.identify(message, operation=operation, message_id=parsed.header.message_id, content=content)
    buyer = buyers.find_by_subject(request.subject or "")
    is_own = buyer is not None and buyer.identifier == parsed.header.buyer_identifier

    def handle() -> tuple[bytes, MessageThread | None]:
        content, order = answers.handle(parsed, buyer=buyer)
        return content, order.thread if order else None

    id_path = f"{name}/{parsed.header.ID_PATH}"
    return arrivals.answer_once(message, id_path=id_path, is_callers_own=is_own, handle=handle)
