"""A device that a job has provisioned comes up on the line of its premises."""

from seller_sandbox.diagnostics import line_states
from seller_sandbox.jobs import provisioning
from seller_sandbox.jobs.models import Job
from seller_sandbox.jobs.signals import JobEvent


def on_job_changed(*, job: Job, event: JobEvent, **_: object) -> None:
    """A job has changed: results 1 and 2 mean that the scanned ONT has its configuration.

    A result by hand without a scan is about no device, and an odd pack may have no premises.
    """
    if event != JobEvent.PROVISIONED:
        return
    fsan = provisioning.last_try(job).fsan
    if fsan and job.uprn:
        line_states.record_provisioned(job, fsan=fsan)
