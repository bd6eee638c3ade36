"""Messages about a job as real operators send them: doubled, late, contradictory, unknown, each with its answer."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.db import transaction

from seller_sandbox import clock
from seller_sandbox.jobs import channel, codes
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.jobs.expected_answers import invalid
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.messages import outbox
from seller_sandbox.messages.expectations import ACCEPTED, Expected
from seller_sandbox.messages.models import OutboundMessage

Members = dict[str, Any]
OLDER = timedelta(minutes=4)


@dataclass(frozen=True)
class OddMessage:
    """`make` gives the members; `names_seller_job_only` leaves providerJobId out."""

    name: str
    description: str
    operation: str
    make: Callable[[Job], Members]
    expected: Expected = ACCEPTED
    names_seller_job_only: bool = False


@transaction.atomic
def send_odd(job: Job, *, name: str) -> OutboundMessage:
    """Queue the message of this case."""
    if not job.provider_job_id:
        raise ActionNotPossible(
            "The partner has not accepted this pack, so nothing odd can be sent about it."
        )
    case = ODD_MESSAGES[name]
    message = outbox.enqueue(
        thread=job.thread, operation=case.operation, members=case.make(job), expected=case.expected
    )
    if case.names_seller_job_only:
        message.body = channel.compose_by_seller_id(message)
        message.save(update_fields=["body"])
    return message


def _result(job: Job, number: int, *, minus: timedelta = timedelta(), **changed: Any) -> Members:
    """A result for the ONT scanned last."""
    last = job.tries.order_by("id").last()
    wire = (
        codes.results()[number].as_wire() if number in codes.results() else {"success": False, "details": "?"}
    )
    return {
        "event": "ontProvisioned",
        "occurredAt": (_newest_result(job) - minus).isoformat(timespec="milliseconds"),
        "result": {**wire, "id": number, **changed},
        "scanId": str(last.scan_id) if last and last.scan_id else None,
    }


def _newest_result(job: Job) -> datetime:
    newest = _newest_members(job)
    return datetime.fromisoformat(newest["occurredAt"]) if newest else clock.now()


def _newest_members(job: Job) -> Members | None:
    """Those of the result that happened last, whenever it went out."""
    results = job.thread.outbound.filter(members__has_key="result").values_list("members", flat=True)
    return max(results, key=lambda members: datetime.fromisoformat(members["occurredAt"]), default=None)


def _again(job: Job) -> Members:
    """The newest result once more, in a message of its own."""
    return _newest_members(job) or _result(job, 1)


def _pack_changed(job: Job) -> Members:
    return {**job.pack, "serviceIdentifier": f"FBR{uuid4().hex[:9]}"}


def _pack_after_cancel(job: Job) -> Members:
    if job.state != JobState.CANCELLED:
        raise ActionNotPossible("Cancel the job first: this case creates a cancelled job again.")
    return dict(job.pack)


def _result_case(
    name: str, description: str, make: Callable[[Job], Members], expected: Expected = ACCEPTED
) -> OddMessage:
    return OddMessage(name, description, "notifyJob", make, expected)


def _older(number: int) -> Callable[[Job], Members]:
    return lambda job: _result(job, number, minus=OLDER)


def _false(number: int, *, success: bool) -> Callable[[Job], Members]:
    return lambda job: _result(job, number, success=success)


def _foreign_scan(job: Job) -> Members:
    return {**_result(job, 6), "scanId": str(uuid4())}


def _unknown_event(job: Job) -> Members:
    return {**_result(job, 1), "event": "teaBreak"}


def _whole_pack(job: Job) -> Members:
    return dict(job.pack)


CONTRADICTION = invalid("/result/success")
CASES = (
    _result_case("result_again", "the newest result in another message", _again),
    _result_case("older_failure", "a failure that happened before", _older(3)),
    _result_case("older_retry", "a result 4 that happened before", _older(4)),
    _result_case("foreign_scan", "a failure for a scan that never was", _foreign_scan),
    _result_case("false_success", "a result 1 without success", _false(1, success=False), CONTRADICTION),
    _result_case("false_failure", "a result 3 with success", _false(3, success=True), CONTRADICTION),
    _result_case("result_8", "an unknown result", lambda job: _result(job, 8), invalid("/result/id")),
    _result_case("unknown_event", "an unknown event", _unknown_event, invalid("/event")),
    OddMessage("pack_again", "the same pack with another messageId", "createJob", _whole_pack),
    OddMessage(
        name="pack_changed",
        description="the pack with other content",
        operation="createJob",
        make=_pack_changed,
        expected=Expected(409, "duplicateJob"),
    ),
    OddMessage(
        name="pack_after_cancel",
        description="the pack of a cancelled job",
        operation="createJob",
        make=_pack_after_cancel,
        expected=Expected(409, "jobCancelled"),
    ),
    OddMessage(
        name="cancel_by_seller_id",
        description="a cancellation by sellerJobId alone, without a reason",
        operation="cancelJob",
        make=lambda _: {"reason": None},
        names_seller_job_only=True,
    ),
)
ODD_MESSAGES = {case.name: case for case in CASES}
