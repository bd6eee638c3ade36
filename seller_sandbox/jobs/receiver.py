"""Takes notifyJob and closeJob: stores the message, its effect and the answer in one transaction.

The same message sent again gets the stored answer and has no second effect (job-messages.md, messageId).
"""

from typing import Any
from uuid import UUID

import structlog
from django.db import transaction

from seller_sandbox.endpoints.asgi import Operation
from seller_sandbox.endpoints.exchange import Answer, Problem, Request, refuse, try_again
from seller_sandbox.jobs import effects, evidence, message_log
from seller_sandbox.jobs.envelope import (
    UnreadableBody,
    canonical_digest,
    read_object,
    refusal_before_reading,
)
from seller_sandbox.jobs.models import InboundMessage, Job, OutboundMessage
from seller_sandbox.jobs.refusals import Refusal
from seller_sandbox.jobs.schemas import problems, without_nulls

log = structlog.get_logger("sandbox.receiver")


def receive(request: Request) -> Answer:
    """Take a message once and give its answer; a refused one is kept for the message log and does not hold its id."""
    message = InboundMessage(endpoint=request.endpoint, operation=request.operation)
    try:
        with transaction.atomic():
            answer = _take(request, message)
    except Refusal as refusal:
        answer = refusal.answer
        _keep_refused(request, message, answer)
    log.info(
        "received",
        operation=request.operation,
        endpoint=request.endpoint,
        job=message.job.seller_job_id if message.job else None,
        message=str(message.message_id),
        status=answer.status,
        breaches=[breach["code"] for breach in message.breaches],
    )
    return answer


def note_unserved(request: Request, answer: Answer | None, switch: str) -> None:
    """Record a message in the message log that the fault switch did not let through."""
    message = InboundMessage(endpoint=request.endpoint, operation=request.operation, switch=switch)
    try:
        _identify(message, read_object(request.body or b""))
    except UnreadableBody:
        message.raw_body = message_log.printable(request.body)
    message.job = Job.objects.filter(provider_job_id=_provider_id(message.body) or None).first()
    message_log.record_arrival(message, answer)


def _take(request: Request, message: InboundMessage) -> Answer:
    body = _read(request)
    _identify(message, body)
    members = without_nulls(body)
    if found := _problems(request.operation, members):
        raise Refusal(refuse(422, "invalidMessage", "The message breaks the profile", found))
    message.digest = canonical_digest(request.operation, body)
    if answer := _answer_to_repeat(message):
        return answer
    message.job = _find_job(members)
    message.holds_id = True
    effects.APPLY[request.operation](message, members)
    answer = _accepted(members)
    message_log.record_arrival(message, answer)
    if request.operation == "closeJob":
        evidence.enqueue_files(message, members)
    return answer


def _read(request: Request) -> dict[str, Any]:
    if refusal := refusal_before_reading(request):
        raise Refusal(refusal)
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
        message.message_id = UUID(body["messageId"])
    except (KeyError, ValueError, AttributeError, TypeError):
        message.message_id = None


def _problems(operation: str, body: dict[str, Any]) -> list[Problem]:
    found = problems(operation, body)
    if operation == "notifyJob" and body.get("event") == "ontProvisioned":
        # the one event that only the seller sends
        found.append(Problem("/event", "invalidValue", "ontProvisioned goes from seller to partner"))
    return found


def _answer_to_repeat(message: InboundMessage) -> Answer | None:
    first = InboundMessage.objects.filter(message_id=message.message_id, holds_id=True).first()
    if first is None:
        return None
    message.job, message.duplicate_of = first.job, first
    if first.digest != message.digest:
        raise Refusal(refuse(409, "messageIdReused", "This messageId was used for another message"))
    answer = Answer(first.answer_status, first.answer_body)
    message_log.record_arrival(message, answer)
    return answer


def _find_job(body: dict[str, Any]) -> Job:
    provider_id, seller_id = body["providerJobId"], body.get("sellerJobId")
    job = Job.objects.filter(provider_job_id=provider_id).first()
    if job is None:
        raise Refusal(_unknown_job())
    if seller_id not in {None, job.seller_job_id}:
        problem = Problem("/sellerJobId", "invalidValue", "This is not the seller's id of that job")
        raise Refusal(refuse(422, "invalidMessage", "The message breaks the profile", [problem]))
    return job


def _unknown_job() -> Answer:
    # an answer to createJob may have been lost: the id may become known with the next attempt
    unanswered = OutboundMessage.objects.waiting().filter(operation="createJob", attempts__gt=0)
    if unanswered.exists():
        return try_again()
    problem = Problem("/providerJobId", "jobNotFound", "No job has this providerJobId")
    return refuse(404, "jobNotFound", "There is no such job", [problem])


def _accepted(body: dict[str, Any]) -> Answer:
    echoed = ("messageId", "correlationId", "providerJobId")
    return Answer(200, {name: body[name] for name in echoed if name in body})


@transaction.atomic
def _keep_refused(request: Request, message: InboundMessage, answer: Answer) -> None:
    message.holds_id = False
    if message.body is None:
        message.raw_body = message_log.printable(request.body)
    if message.job is None and message.body is not None:
        message.job = Job.objects.filter(provider_job_id=_provider_id(message.body) or None).first()
    if answer.status < 500 and not message.breaches:
        message.breaches = message_log.breaches_of_refusal(answer)
    message_log.record_arrival(message, answer)


def _provider_id(body: dict[str, Any] | None) -> str:
    provider_id = (body or {}).get("providerJobId")
    return provider_id if isinstance(provider_id, str) else ""


OPERATIONS = {name: Operation(receive, note_unserved) for name in effects.APPLY}
