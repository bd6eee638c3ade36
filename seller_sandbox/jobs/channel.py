"""The messages about a job as the partner gets them, and what its answers change (job-messages.md)."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.conf import settings

from seller_sandbox import clock, due_actions
from seller_sandbox.compiled_queries import CompiledQuery, CompiledUpdate, Parameter
from seller_sandbox.due_actions import due_action
from seller_sandbox.jobs import job_states, locking
from seller_sandbox.jobs.expected_answers import USUAL_ANSWERS
from seller_sandbox.jobs.models import Job
from seller_sandbox.jobs.partner_answers import judge
from seller_sandbox.jobs.signals import JobEvent
from seller_sandbox.messages import outbox
from seller_sandbox.messages.channels import Channel
from seller_sandbox.messages.findings import Finding
from seller_sandbox.messages.models import MessageThread, OutboundMessage
from seller_sandbox.messages.verdicts import DeliveryOutcome, Verdict

# what the refusal of a cancelJob says (job-messages.md, cancelJob and Refusals)
REFUSED_CANCELS = {
    "installationStarted": JobEvent.CANCEL_REFUSED,
    "jobClosed": JobEvent.CANCEL_OVERTAKEN,
    # a job that the partner does not have is not visited
    "jobNotFound": JobEvent.CANCELLED,
}
CLOSURE_OVERDUE = "jobs.closure_overdue"
# so long we wait for the closeJob of a job that the partner says is closed
CLOSURE_WAIT = timedelta(hours=24)
_IDS_OF_THREAD = CompiledQuery(
    lambda: Job.objects.filter(thread=Parameter("thread")).values_list("seller_job_id", "provider_job_id")
)
_NAME_THREAD = CompiledUpdate(
    lambda: MessageThread.objects.filter(pk=Parameter("number")), recipient_reference=Parameter("reference")
)


def compose(message: OutboundMessage) -> dict[str, Any]:
    """The body of a message; createJob is where the partner gives its own id."""
    seller_job_id, provider_job_id = _job_ids(message)
    named = {} if message.operation == "createJob" else {"providerJobId": provider_job_id}
    return _enveloped(message, seller_job_id, named)


def compose_by_seller_id(message: OutboundMessage) -> dict[str, Any]:
    """A body that names the job by sellerJobId alone, as cancelJob may."""
    return _enveloped(message, _job_ids(message)[0], {})


def _job_ids(message: OutboundMessage) -> tuple[str, str]:
    """What we and what the partner call the message's job."""
    if ids := _IDS_OF_THREAD.row(thread=message.thread_id):
        return ids
    raise MessageThread.job.RelatedObjectDoesNotExist(f"no job has the thread {message.thread.reference}")


def _enveloped(message: OutboundMessage, seller_job_id: str, named: dict[str, str]) -> dict[str, Any]:
    return {
        "messageId": str(message.message_id),
        "sentAt": clock.now().isoformat(timespec="milliseconds"),
        "correlationId": str(uuid4()),
        "sellerJobId": seller_job_id,
        **named,
        **message.members,
    }


def addresses(message: OutboundMessage) -> list[str]:
    return [f"{url}/{message.operation}" for url in settings.PARTNER_URLS]


def apply_answer(message: OutboundMessage, verdict: Verdict) -> list[Finding]:
    """What a final answer changes at the job, and what it says against an earlier one."""
    # the row may have moved on while the message was on its way
    job = locking.lock(thread=message.thread_id)
    is_delivered = verdict.outcome == DeliveryOutcome.DELIVERED
    if message.operation == "createJob":
        return _apply_pack_answer(job, verdict, is_delivered=is_delivered)
    if message.operation == "cancelJob":
        refusal = REFUSED_CANCELS.get(verdict.fault, JobEvent.CANCEL_FAILED)
        _apply_cancel_answer(job, JobEvent.CANCELLED if is_delivered else refusal)
    return []


def _apply_cancel_answer(job: Job, event: JobEvent) -> None:
    facts = {"cancelled_at": clock.now()} if event == JobEvent.CANCELLED else {}
    if job_states.record(job, event, **facts) and event == JobEvent.CANCEL_OVERTAKEN:
        due_actions.schedule(CLOSURE_OVERDUE, at=clock.now() + CLOSURE_WAIT, subject=job.seller_job_id)


@due_action(CLOSURE_OVERDUE)
def give_up_closure(subject: str) -> None:
    """The partner has closed the job and does not say how: for us it is cancelled, so that what waits goes on."""
    job = locking.lock(seller_job_id=subject)
    job_states.record(job, JobEvent.CANCELLED, cancelled_at=clock.now())


def _apply_pack_answer(job: Job, verdict: Verdict, *, is_delivered: bool) -> list[Finding]:
    if job.provider_job_id:
        is_another = is_delivered and verdict.answer["providerJobId"] != job.provider_job_id
        return (
            [Finding("answerJobId", "/providerJobId", "The same pack got another job")] if is_another else []
        )
    if is_delivered:
        name_job(job, provider_job_id=verdict.answer["providerJobId"])
        job_states.record(job, JobEvent.ACCEPTED)
    else:
        # what comes after a pack that was refused is about a job that the partner does not have
        outbox.hold(job.thread)
        job_states.record(job, JobEvent.REFUSED)
    return []


def name_job(job: Job, *, provider_job_id: str) -> None:
    """Keep what the partner calls the job."""
    job.provider_job_id = provider_job_id
    job.save(update_fields=["provider_job_id"])
    _NAME_THREAD.run(number=job.thread_id, reference=provider_job_id)


CHANNEL = Channel(
    compose=compose,
    addresses=addresses,
    judge=judge,
    on_settled=apply_answer,
    content_type="application/json",
    usual_answers=USUAL_ANSWERS,
)
