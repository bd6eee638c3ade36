"""Locks a job until the transaction ends; its order's row is locked before it (the order of locks: transactions.py)."""

from functools import cache
from typing import Any

from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.jobs.models import Job
from seller_sandbox.jobs.signals import job_to_be_locked


def lock(**lookup: Any) -> Job:
    """The job, read when it is locked. Raises Job.DoesNotExist."""
    found = _found_by(*lookup).get(**lookup)
    job_to_be_locked.send(sender=Job, job=found)
    return _LOCKED.get(number=found.pk)


@cache
def _found_by(*names: str) -> CompiledQuery[Job]:
    wanted = {name: Parameter(name) for name in names}
    return CompiledQuery(lambda: Job.objects.only("pk", "order_reference").filter(**wanted).order_by("pk"))


_LOCKED = CompiledQuery(
    lambda: (
        Job.objects.select_for_update(of=("self",)).select_related("thread").filter(pk=Parameter("number"))
    )
)
