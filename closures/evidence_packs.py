"""Files with all the evidence of a job: asked for by a person, made by the worker, deleted after a day.

A pack is a copy. Everything in it stays where it was, so that nothing is lost when it is deleted.
"""

import hashlib
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import IO, Any

from django.core.files import File
from django.utils import timezone

from closures.models import EvidencePack, PackKind
from closures.photos import direct_upload, evidence
from dispatch.models import Job
from engineers.models import User

RETENTION = timedelta(days=1)
# then the worker is not running, or the task was lost
OVERDUE = timedelta(minutes=2)
CHUNK_BYTES = 2**20
BATCH_SIZE = 100
# then it is the whole storage, not a file
MAX_FAILURES = 3


class PacksNotDeleted(Exception):
    """Files of these packs could not be deleted; others were."""


def request_pack(*, job: Job, kind: PackKind, by: User) -> EvidencePack:
    """The row of a new pack; whoever calls this queues the task that makes it."""
    return EvidencePack.objects.create(job=job, kind=kind, requested_by=by, requested_at=timezone.now())


def object_path(pack: EvidencePack) -> str:
    """`packs/<id>.zip`: where it lies in the storage."""
    return f"packs/{pack.pk}.{pack.kind}"


def save_pack(pack: EvidencePack, content: IO[bytes]) -> None:
    """Store the file, then say so in the row. Raises whatever a storage that is away raises."""
    content.seek(0)
    digest, size = hashlib.sha256(), 0
    while chunk := content.read(CHUNK_BYTES):
        digest.update(chunk)
        size += len(chunk)
    content.seek(0)
    evidence.storage().save(object_path(pack), File(content))
    is_saved = EvidencePack.objects.filter(pk=pack.pk).update(
        made_at=timezone.now(), failed_at=None, size_bytes=size, sha256=digest.hexdigest()
    )
    if not is_saved:
        # deleted while it was made: nothing would ever find the file again
        evidence.storage().delete(object_path(pack))


def record_failure(pack: EvidencePack) -> None:
    EvidencePack.objects.filter(pk=pack.pk, made_at=None).update(failed_at=timezone.now())


def open_pack(pack: EvidencePack) -> IO[Any]:
    """The file. Raises FileNotFoundError when it was deleted."""
    return evidence.storage().open(object_path(pack))


def is_overdue(pack: EvidencePack, *, now: datetime) -> bool:
    return pack.made_at is None and pack.failed_at is None and now - pack.requested_at > OVERDUE


def purge_expired(now: datetime) -> int:
    """Delete packs that are older than RETENTION, as `delete_packs`; how many."""
    expired = EvidencePack.objects.filter(requested_at__lt=now - RETENTION)
    # in any order, so that those that cannot be deleted are not always the first
    return delete_packs(expired.order_by("?")[:BATCH_SIZE])


def delete_packs(packs: Iterable[EvidencePack]) -> int:
    """Delete the files and then the rows; how many. Raises PacksNotDeleted, after all others were deleted or where the
    storage seems to be away."""
    deleted, problems = 0, list[str]()
    for pack in packs:
        try:
            evidence.storage().delete(object_path(pack))
        except direct_upload.STORAGE_ERRORS as problem:
            problems.append(f"{pack.pk}: {type(problem).__name__}")
            if len(problems) == MAX_FAILURES:
                break
            continue
        pack.delete()
        deleted += 1
    if problems:
        raise PacksNotDeleted(f"evidence packs could not be deleted: {', '.join(problems)}")
    return deleted
