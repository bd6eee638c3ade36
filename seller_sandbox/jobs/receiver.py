"""Takes notifyJob and closeJob: stores the message, its effect and the answer in one transaction.

The same message sent again gets the stored answer and has no second effect (job-messages.md, messageId).
"""

from typing import Any
from uuid import UUID

import structlog
from django.db import IntegrityError, transaction

from seller_sandbox.endpoints.exchange import Answer, Problem, Request, json_answer, refuse, try_again
from seller_sandbox.jobs import effects, evidence, locking
from seller_sandbox.jobs.envelope import UnreadableBody, canonical_digest, read_object
from seller_sandbox.jobs.models import Job
from seller_sandbox.jobs.refusals import Refusal, breaches_of
from seller_sandbox.jobs.schemas import problems, without_nulls
from seller_sandbox.messages import inbox, message_log
from seller_sandbox.messages.models import InboundMessage, MessageThread, OutboundMessage, ThreadKind

log = structlog.get_logger("sandbox.receiver")


def receive(request: Request) -> Answer:
    """Take a message once and give its answer; a refused one is kept for the message log and does not hold its id."""
    try:
        message, answer = _receive(request)
    except IntegrityError:
        # the same message came twice at once, and the other one was faster: now its answer is there
        message, answer = _receive(request)
    log.info(
        "received",
        operation=request.operation,
        endpoint=request.endpoint,
        job=message.thread.reference if message.thread else None,
        message=message.message_id,
        status=answer.status,
        breaches=[breach["code"] for breach in message.breaches],
    )
    return answer


def _receive(request: Request) -> tuple[InboundMessage, Answer]:
    message = _message_of(request)
    try:
        with transaction.atomic():
            return message, _take(request, message)
    except Refusal as refusal:
        _keep_refused(request, message, refusal.answer)
        return message, refusal.answer


def note_unserved(request: Request, answer: Answer | None, switch: str) -> None:
    """Record a message that was not read: the fault switch did not let it through, or it was none."""
    message = _message_of(request, switch=switch)
    try:
        _identify(message, read_object(request.body or b""))
    except UnreadableBody:
        message.raw_body = message_log.printable(request.body)
    message.thread = _thread_named_in(message.body)
    if answer and not switch:
        message.breaches = breaches_of(answer)
    message_log.record_arrival(message, answer)


def _message_of(request: Request, *, switch: str = "") -> InboundMessage:
    return InboundMessage(
        endpoint=request.endpoint,
        operation=request.operation,
        caller=request.subject,
        role=request.role,
        switch=switch,
    )


def _take(request: Request, message: InboundMessage) -> Answer:
    body = _read(request)
    _identify(message, body)
    members = without_nulls(body)
    if found := _problems(request.operation, members):
        raise Refusal(refuse(422, "invalidMessage", "The message breaks the profile", found))
    message.digest = canonical_digest(request.operation, body)
    if answer := _answer_to_repeat(message):
        return answer
    job = _find_job(members)
    # the same message may have been taken while this one waited for the job
    if answer := _answer_to_repeat(message):
        return answer
    message.thread, message.holds_id = job.thread, True
    effects.APPLY[request.operation](job, message, members)
    answer = _accepted(members)
    message_log.record_arrival(message, answer)
    if request.operation == "closeJob":
        evidence.enqueue_files(message, members)
    return answer


def _read(request: Request) -> dict[str, Any]:
    try:
        return read_object(request.body or b"")
    except UnreadableBody as problem:
        raise Refusal(refuse(400, "invalidBody", str(problem))) from problem


def _identify(message: InboundMessage, body: dict[str, Any]) -> None:
    message.body = body
    # on a closeJob, `event` is an unknown member
    event = body.get("event") if message.operation == "notifyJob" else None
    message.event = event[:40] if isinstance(event, str) else ""
    try:
        message.message_id = str(UUID(body["messageId"]))
    except (KeyError, ValueError, AttributeError, TypeError):
        message.message_id = ""


def _problems(operation: str, body: dict[str, Any]) -> list[Problem]:
    found = problems(operation, body)
    if operation == "notifyJob" and body.get("event") == "ontProvisioned":
        # the one event that only the seller sends
        found.append(Problem("/event", "invalidValue", "ontProvisioned goes from seller to partner"))
    return found


def _answer_to_repeat(message: InboundMessage) -> Answer | None:
    try:
        answer = inbox.stored_answer(message)
    except inbox.MessageIdReused as problem:
        text = "This messageId was used for another message"
        raise Refusal(refuse(409, "messageIdReused", text)) from problem
    if answer:
        message_log.record_arrival(message, answer)
    return answer


def _find_job(body: dict[str, Any]) -> Job:
    provider_id, seller_id = body["providerJobId"], body.get("sellerJobId")
    # messages about one job take effect one after the other, at whichever endpoint they arrive
    try:
        job = locking.lock(provider_job_id=provider_id)
    except Job.DoesNotExist:
        raise Refusal(_unknown_job()) from None
    if seller_id not in {None, job.seller_job_id}:
        problem = Problem("/sellerJobId", "invalidValue", "This is not the seller's id of that job")
        raise Refusal(refuse(422, "invalidMessage", "The message breaks the profile", [problem]))
    return job


def _unknown_job() -> Answer:
    # an answer to createJob may have been lost: the id may become known with the next attempt
    unanswered = OutboundMessage.objects.waiting().filter(
        thread__kind=ThreadKind.JOB, operation="createJob", attempts__gt=0
    )
    if unanswered.exists():
        return try_again()
    problem = Problem("/providerJobId", "jobNotFound", "No job has this providerJobId")
    return refuse(404, "jobNotFound", "There is no such job", [problem])


def _accepted(body: dict[str, Any]) -> Answer:
    echoed = ("messageId", "correlationId", "providerJobId")
    return json_answer(200, {name: body[name] for name in echoed if name in body})


@transaction.atomic
def _keep_refused(request: Request, message: InboundMessage, answer: Answer) -> None:
    message.holds_id = False
    if message.body is None:
        message.raw_body = message_log.printable(request.body)
    if message.thread is None:
        message.thread = _thread_named_in(message.body)
    if answer.status < 500 and not message.breaches:
        message.breaches = breaches_of(answer)
    message_log.record_arrival(message, answer)


def _thread_named_in(body: dict[str, Any] | None) -> MessageThread | None:
    provider_id = (body or {}).get("providerJobId")
    if not isinstance(provider_id, str) or not provider_id:
        return None
    return MessageThread.objects.filter(kind=ThreadKind.JOB, recipient_reference=provider_id).first()
