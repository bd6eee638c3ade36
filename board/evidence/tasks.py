"""The worker makes evidence packs: reading all photos of a job takes too long for a web process."""

import tempfile

from django.utils import translation
from django.utils.module_loading import import_string

from closures import evidence_packs
from closures.models import EvidencePack, PackKind
from monitoring import task_queue

# by name: each process registers the task, and only a worker that makes a pack needs all that the board shows of a job
WRITERS: dict[str, str] = {
    PackKind.ZIP: "board.evidence.pack_archive.write_archive",
    PackKind.PDF: "board.evidence.pack_document.write_document",
}


@task_queue.task
def make_pack(pack_id: str, language: str) -> None:
    """In the language of whoever asked for it. May run twice: a pack that is made stays as it is, and one that was
    deleted is not made."""
    pack = EvidencePack.objects.select_related("job").filter(pk=pack_id, made_at=None).first()
    if pack is None:
        return
    try:
        with tempfile.TemporaryFile() as handle:
            write = import_string(WRITERS[pack.kind])
            with translation.override(language):
                write(pack.job, handle)
            evidence_packs.save_pack(pack, handle)
    except Exception:
        # whoever waits for it is shown that it failed
        evidence_packs.record_failure(pack)
        raise
