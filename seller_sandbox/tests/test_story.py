"""The whole way of a job: pack out, notifications in, provisioning out, closure in, as real processes."""

import time

from seller_sandbox.jobs.dispatching import Batch, send_batch
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.messages.models import InboundMessage
from seller_sandbox.tests import make
from seller_sandbox.tests.partner import Partner
from seller_sandbox.tests.processes import Caller, start


def wait_until(true: object, *, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_job_runs_from_pack_to_closure(caller: Caller, partner: Partner, folder) -> None:
    send_batch(Batch(count=1, day=make.DAY, types=["installation"], seed=4, provisioning_plans=[[2]]))
    worker = start("work", log=folder / "worker.log")
    try:
        wait_until(lambda: Job.objects.get().provider_job_id)
        job = Job.objects.get()
        messages = [
            make.assigned(job),
            make.on_the_way(job),
            make.on_the_way(job, "onSite"),
            make.scanned(job),
        ]
        answers = [caller.post("notifyJob", body) for body in messages]
        wait_until(lambda: len(partner.received) == 2)
        closing = caller.post("closeJob", make.completed(job))
    finally:
        stopped = worker.stop()

    assert stopped == 0
    assert [answer.status for answer in answers] == [200] * 4
    assert closing.status == 200
    path, result = partner.received[1]
    assert path == "/seller/notifyJob"
    assert result["result"] == {"id": 2, "success": True, "details": "ONT Install Successful"}
    assert result["scanId"] == messages[3]["scanId"]
    assert Job.objects.get().state == JobState.CLOSED
    assert list(InboundMessage.objects.values_list("breaches", "remarks")) == [([], [])] * 5
