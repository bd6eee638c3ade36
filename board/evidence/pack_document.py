"""An evidence pack as a PDF to read and print: the job page's sections with the photos and the exact messages."""

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone

from board import formatting
from board.evidence import pack_files
from board.jobs.evidence_presenter import PhotoLine
from board.jobs.job_presenter import JobPage, build_job_page
from board.messages.job_messages import format_json
from closures.models import Photo
from dispatch.models import Job

STYLES = ("tokens.css", "board/evidence/document.css")
# never imported: it loads a library of hundreds of modules
PROCESS = Path(__file__).with_name("pdf_process.py")
# before the worker itself is stopped
SLACK_SECONDS = 5


class DocumentFailed(Exception):
    """The PDF could not be made: its process did not live to the end."""


@dataclass(frozen=True)
class PrintedPhoto:
    """`file` is empty where there is no picture to print."""

    line: PhotoLine
    file: str


@dataclass(frozen=True)
class PrintedMessage:
    name: str
    body: str


@dataclass(frozen=True)
class EvidenceDocument:
    page: JobPage
    photos: list[PrintedPhoto]
    messages: list[PrintedMessage]
    as_of: str


def write_document(job: Job, handle: IO[bytes]) -> None:
    """Write the PDF to a file opened for writing. Raises DocumentFailed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for style in STYLES:
            shutil.copy(settings.BASE_DIR / "static" / "css" / style, folder / Path(style).name)
        html = render_to_string("board/evidence/document.html", {"document": _document(job, folder)})
        handle.write(_run(html, folder))


def _document(job: Job, folder: Path) -> EvidenceDocument:
    now = timezone.now()
    page = build_job_page(job, now=now)
    files = {
        f"photo-{photo.pk}": _copy(photo, folder)
        for photo in Photo.objects.filter(job=job).select_related("job")
    }
    return EvidenceDocument(
        page=page,
        photos=[PrintedPhoto(line, files.get(line.anchor, "")) for line in page.photos],
        messages=[PrintedMessage(name, format_json(body["body"])) for name, body in pack_files.messages(job)],
        as_of=formatting.format_exact_moment(now),
    )


def _copy(photo: Photo, folder: Path) -> str:
    content = pack_files.read_photo(photo)
    if not content:
        return ""
    (folder / f"{photo.pk}.jpg").write_bytes(content)
    return f"{photo.pk}.jpg"


def _run(html: str, folder: Path) -> bytes:
    command = [sys.executable, "-I", str(PROCESS), str(folder)]
    try:
        done = subprocess.run(  # noqa: S603  # our own command
            command,
            input=html.encode(),
            capture_output=True,
            timeout=max(settings.WORKER_TASK_SECONDS - SLACK_SECONDS, 1),
            check=False,
        )
    except subprocess.TimeoutExpired as problem:
        raise DocumentFailed("took too long") from problem
    if done.returncode != 0:
        raise DocumentFailed(done.stderr.decode(errors="replace").strip().rpartition("\n")[2][:200])
    return done.stdout
