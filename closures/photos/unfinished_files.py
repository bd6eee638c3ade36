"""Parts of files in the evidence storage that killed processes left."""

import math
from datetime import datetime, timedelta
from typing import Protocol, runtime_checkable

from django.utils import timezone

from closures.photos import evidence
from dispatch.models import Job

# nobody writes one file for so long
UNFINISHED_AGE = timedelta(days=1)


@runtime_checkable
class StagingStorage(Protocol):
    """A storage that writes a file elsewhere first (config.storage): a folder does, a bucket does not."""

    def delete_unfinished(self, before: datetime, *, folder: str = "", seconds: float = math.inf) -> None: ...


def purge_old(now: datetime, *, seconds: float) -> None:
    _delete(now - UNFINISHED_AGE, seconds=seconds)


def purge_of_job(job: Job) -> None:
    """However new; a phone that still has the photo sends it again."""
    _delete(timezone.now(), folder=evidence.job_folder(job))


def _delete(before: datetime, *, folder: str = "", seconds: float = math.inf) -> None:
    storage = evidence.storage()
    if isinstance(storage, StagingStorage):
        storage.delete_unfinished(before, folder=folder, seconds=seconds)
