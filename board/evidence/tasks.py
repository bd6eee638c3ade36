"""The worker makes evidence packs: reading all photos of a job takes too long for a web process."""

import tempfile
from collections.abc import Callable
from typing import IO

from board.evidence.pack_archive import write_archive
from board.evidence.pack_document import write_document
from closures import evidence_packs
from closures.models import EvidencePack, PackKind
from dispatch.models import Job
from monitoring import task_queue

WRITERS: dict[str, Callable[[Job, IO[bytes]], None]] = {
    PackKind.ZIP: write_archive,
    PackKind.PDF: write_document,
}


@task_queue.task
def make_pack(pack_id: str) -> None:
    """May run twice: a pack that is made stays as it is, and one that was deleted is not made."""
    pack = EvidencePack.objects.select_related("job").filter(pk=pack_id, made_at=None).first()
    if pack is None:
        return
    try:
        with tempfile.TemporaryFile() as handle:
            WRITERS[pack.kind](pack.job, handle)
            evidence_packs.save_pack(pack, handle)
    except Exception:
        # whoever waits for it is shown that it failed
        evidence_packs.record_failure(pack)
        raise
