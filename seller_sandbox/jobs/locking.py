"""Locks a job until the transaction ends; its order's row is locked before it (the order of locks: transactions.py)."""

from typing import Any

from seller_sandbox.jobs.models import Job
from seller_sandbox.jobs.signals import job_to_be_locked


def lock(**lookup: Any) -> Job:
    """The job, read when it is locked. Raises Job.DoesNotExist."""
    found = Job.objects.only("pk", "order_reference").filter(**lookup).order_by("pk").first()
    if found is None:
        raise Job.DoesNotExist
    job_to_be_locked.send(sender=Job, job=found)
    return Job.objects.select_for_update(of=("self",)).select_related("thread").get(pk=found.pk)
