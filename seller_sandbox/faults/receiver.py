"""Takes a buyer's message about faults: stored, its effect and its answer in one transaction.

The same message sent again gets the stored answer and has no second effect (docs/fault-messages.md). What is wrong by
schema or rule is a 400 with responseCode and errorMessage, what is no XML or no envelope a SOAP fault (D18).
"""

from functools import partial

import structlog
from django.db import IntegrityError, transaction
from lxml import etree

from seller_sandbox import clock
from seller_sandbox.endpoints.exchange import Answer, Request
from seller_sandbox.faults import answers, silence
from seller_sandbox.faults.refusals import TicketRefused
from seller_sandbox.faults.wire import parsing, responses
from seller_sandbox.faults.wire.namespaces import INTERFACE
from seller_sandbox.faults.wire.responses import FaultResponseCode
from seller_sandbox.messages import message_log
from seller_sandbox.messages.models import InboundMessage, MessageThread
from seller_sandbox.network import buyers
from seller_sandbox.orders.wire.requests import Header
from seller_sandbox.soap import arrivals, envelope, seller_names, soap_faults
from seller_sandbox.soap.media_type import CONTENT_TYPE
from seller_sandbox.soap.problems import InvalidMessage, NotXml

MAX_MESSAGE = 2000

log = structlog.get_logger("sandbox.faults.receiver")


def receive(request: Request) -> Answer:
    """The answer to a buyer's POST."""
    try:
        message, answer = _receive(request)
    except IntegrityError:
        # the same message, or the same reference, came twice at once, and the other one was faster
        message, answer = _receive(request)
    log.info("received", operation=message.operation, caller=message.caller, status=answer.status)
    return answer


def note_unserved(request: Request, answer: Answer | None, switch: str) -> None:
    """Record a message that the fault switch did not let through."""
    message = arrivals.arrived(request, operation=_path_of(request), switch=switch)
    message_log.record_arrival(message, answer)


def _path_of(request: Request) -> str:
    return request.operation.rpartition("/")[2]


def _receive(request: Request) -> tuple[InboundMessage, Answer]:
    message = arrivals.arrived(request, operation=_path_of(request))
    try:
        element = envelope.open_envelope(request.body or b"")
    except (NotXml, InvalidMessage) as problem:
        answer = arrivals.fault_answer(soap_faults.of_message(problem, INTERFACE))
        arrivals.keep_refused(message, answer)
        return message, answer
    # what fell due before this message came is done before it is read (D9)
    silence.close_overdue()
    try:
        # one reading of the clock: everything that follows from a message happens at the same moment
        with transaction.atomic(), clock.at(clock.now()):
            answer = _take(request, message, element)
    except InvalidMessage as problem:
        code = FaultResponseCode.MESSAGE_ID_REUSED if message.duplicate_of_id else FaultResponseCode.INVALID
        answer = _refusal(request, message, element, code=code, text=_text(problem))
    except TicketRefused as problem:
        answer = _refusal(request, message, element, code=problem.code, text=problem.message)
    return message, answer


def _take(request: Request, message: InboundMessage, element: etree._Element) -> Answer:
    path, content = _path_of(request), request.body or b""
    parsed = parsing.read(element, path=path)
    if isinstance(parsed.header, Header):
        # the two appointment calls; tickets have no seller in their header (FN 6.1)
        seller_names.check(parsed.header.seller_identifier, message=path)
    arrivals.identify(message, operation=path, message_id=parsed.header.message_id, content=content)
    buyer = buyers.find_by_subject(request.subject or "")
    is_own = buyer is not None and buyer.identifier == parsed.header.buyer_identifier

    def handle() -> tuple[bytes, MessageThread | None]:
        content, report = answers.handle(parsed, buyer=buyer)
        return content, report.thread if report else None

    id_path = f"{path}/{parsed.header.ID_PATH}"
    return arrivals.answer_once(
        message,
        id_path=id_path,
        is_callers_own=is_own,
        handle=handle,
        refuse=partial(arrivals.refuse, interface=INTERFACE),
    )


def _refusal(
    request: Request, message: InboundMessage, element: etree._Element, *, code: FaultResponseCode, text: str
) -> Answer:
    content = responses.refusal(_path_of(request), element, code=code, message=text[:MAX_MESSAGE])
    answer = Answer(400, content, content_type=CONTENT_TYPE)
    arrivals.keep_refused(message, answer)
    return answer


def _text(problem: InvalidMessage) -> str:
    """All problems, each with its path and remedy."""
    return "\n".join(f"{row.path}: {row.message}. {row.remedy}" for row in problem.problems)
