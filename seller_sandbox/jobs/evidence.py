"""Files of closed jobs: each is fetched after the answer and compared with what closeJob says (docs/adr/0014).

The worker fetches, never the receiver: the partner waits a limited time for its answer, and a file server that is
slow or away is no reason to refuse a closure. What differs becomes a breach of the message that named the file.

What lies behind an object_path: files on disk are read from `SANDBOX_EVIDENCE_FOLDER` when it begins with
`SANDBOX_EVIDENCE_PREFIX`; anything else is asked for by a plain GET, which a private bucket refuses.
"""

from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import unquote

import structlog
from django.conf import settings
from django.db import OperationalError, close_old_connections, transaction

from seller_sandbox import clock
from seller_sandbox.jobs import closure_rules
from seller_sandbox.jobs.evidence_rules import Fetched, compare
from seller_sandbox.jobs.fetching import MAX_FILE_BYTES, fetch
from seller_sandbox.jobs.models import EvidenceFile, EvidenceState, Job
from seller_sandbox.messages import message_log
from seller_sandbox.messages.findings import Finding, as_row
from seller_sandbox.messages.models import InboundMessage, MessageLogEntry


def read_object(object_path: str) -> Fetched:
    """The stored bytes, or the status with which they were refused."""
    prefix = settings.EVIDENCE_PREFIX
    if not prefix or not object_path.startswith(prefix):
        return fetch(object_path)
    return _read_file(unquote(object_path.removeprefix(prefix)))


def _read_file(key: str) -> Fetched:
    folder: Path = settings.EVIDENCE_FOLDER
    path = (folder / key.lstrip("/")).resolve()
    if not path.is_relative_to(folder) or not path.is_file():
        return Fetched(status=404)
    if path.stat().st_size > MAX_FILE_BYTES:
        return Fetched(status=413)
    return Fetched(status=200, content=path.read_bytes())


MAX_ATTEMPTS = 5
LOOK_EVERY_SECONDS = 0.3

Body = dict[str, Any]
log = structlog.get_logger("sandbox.evidence")


def used_elsewhere(job: Job, body: Body) -> list[Finding]:
    """A file belongs to one answer of one job only."""
    paths = dict(closure_rules.object_paths(body["questions_answers"]))
    digests = map(_digest, paths.values())
    others = EvidenceFile.objects.filter(object_path_sha256__in=digests).exclude(job=job)
    used_paths = set(others.values_list("object_path", flat=True))
    return [
        Finding("fileTwice", f"{where}/object_path", "This file belongs to another job")
        for where, path in paths.items()
        if path in used_paths
    ]


def enqueue_files(message: InboundMessage, body: Body) -> None:
    """Have every file of an accepted closeJob fetched."""
    for number, entry in enumerate(body["questions_answers"]):
        files = entry.get("files") if isinstance(entry, dict) else None
        for file_number, file in enumerate(files if isinstance(files, list) else []):
            if isinstance(file, dict):
                _enqueue(message, file, where=f"/questions_answers/{number}/files/{file_number}")


def _digest(path: str) -> str:
    return sha256(path.encode()).hexdigest()


def _enqueue(message: InboundMessage, file: dict[str, Any], *, where: str) -> None:
    fields = {name: str(file.get(name, "")) for name in ("name", "type", "object_path", "url")}
    EvidenceFile.objects.create(
        message=message,
        job=message.thread.job,
        pointer=where,
        name=fields["name"],
        media_type=fields["type"],
        object_path=fields["object_path"],
        object_path_sha256=_digest(fields["object_path"]),
        url=fields["url"],
        next_attempt_at=clock.now(),
    )


def verify_next() -> bool:
    """Fetch and compare the file that is due first; says whether there was one.

    One for which that fails through a fault of ours waits longer each time, and those behind it go on.
    """
    file = EvidenceFile.objects.waiting().filter(next_attempt_at__lte=clock.now()).order_by("id").first()
    if file is None:
        return False
    try:
        _verify(file)
    except OperationalError:
        raise
    except Exception:
        log.exception("file not verified", file=file.pk)
        _try_again(file)
    return True


def run(stop: Event) -> None:
    """Verify until stopped."""
    while not stop.is_set():
        try:
            busy = verify_next()
        except Exception:
            # a full disk, a long lock: the file is still due
            log.exception("trouble at verifying")
            busy = False
        finally:
            close_old_connections()
        if not busy:
            stop.wait(LOOK_EVERY_SECONDS)


def _verify(file: EvidenceFile) -> None:
    content = fetch(file.url or file.object_path)
    if content.is_worth_another_try and file.attempts + 1 < MAX_ATTEMPTS:
        _try_again(file)
        return
    stored = read_object(file.object_path)
    _settle(file, content, compare(file, content, stored))


def _try_again(file: EvidenceFile) -> None:
    file.attempts += 1
    file.next_attempt_at = clock.now() + timedelta(seconds=2 ** (file.attempts - 1))
    file.save(update_fields=["attempts", "next_attempt_at"])


@transaction.atomic
def _settle(file: EvidenceFile, content: Fetched, found: list[Finding]) -> None:
    if content.content and (double := _same_bytes(file, content)):
        found = [*found, double]
    breaches = [as_row(finding) for finding in found if not finding.is_remark]
    file.attempts += 1
    file.state = EvidenceState.DIFFERS if breaches else EvidenceState.VERIFIED
    file.size_bytes, file.sha256 = len(content.content), content.sha256
    file.save()
    _add_findings(file.message_id, breaches, [as_row(finding) for finding in found if finding.is_remark])
    log.info(
        "evidence", job=file.job.seller_job_id, state=file.state, findings=[finding.code for finding in found]
    )


def _same_bytes(file: EvidenceFile, content: Fetched) -> Finding | None:
    """One picture proves one answer: a breach within a job. Two jobs may be at one cabinet: a remark."""
    answer = f"{file.pointer.rpartition('/files/')[0]}/files/"
    others = EvidenceFile.objects.filter(sha256=content.sha256).exclude(pk=file.pk)
    if others.filter(message=file.message_id).exclude(pointer__startswith=answer).exists():
        return Finding("sameBytes", file.pointer, "Another answer of the job has the same picture")
    if others.exclude(job=file.job_id).exists():
        return Finding("sameBytes", file.pointer, "Another job has the same picture", is_remark=True)
    return None


def _add_findings(message_id: int, breaches: list[dict[str, str]], remarks: list[dict[str, str]]) -> None:
    if not breaches and not remarks:
        return
    message = InboundMessage.objects.select_for_update().get(pk=message_id)
    # they may quote what the file server has sent
    message.breaches += message_log.storable(breaches)
    message.remarks += message_log.storable(remarks)
    message.save(update_fields=["breaches", "remarks"])
    MessageLogEntry.objects.filter(inbound=message).update(is_breach=bool(message.breaches))
