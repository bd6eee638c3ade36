"""What a process that is killed while it writes a photo leaves in the storage's folder, and who deletes it."""

import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.core.files.base import ContentFile
from django.utils import timezone
from pytest_django import Settings

from background import erasure, tasks
from config.storage import DurableFileStorage, evidence_storage
from dispatch.models import Job
from dispatch.states import JobState
from seller_link.models import OutboundMessage, OutboundState
from tests import make
from tests.conventions.sources import ROOT

# killed when all bytes are on the disk and the file has no name yet
KILLED_WRITER = """
import os, signal, sys
from django.core.files.base import ContentFile
from config.storage import DurableFileStorage

os.fsync = lambda _file: os.kill(os.getpid(), signal.SIGKILL)
DurableFileStorage(sys.argv[1]).save(sys.argv[2], ContentFile(b"a signature"))
"""
DAY = timedelta(days=1)


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{tmp_path}")}
    return tmp_path


def leave_unfinished(folder: Path) -> None:
    command = [sys.executable, "-c", KILLED_WRITER, str(folder), "jobs/J-1/SIG01/photo.jpg"]
    settings_module = {"DJANGO_SETTINGS_MODULE": "config.settings"}
    killed = subprocess.run(command, cwd=ROOT, env={**os.environ, **settings_module}, check=False)
    assert killed.returncode == -signal.SIGKILL


def leave_as_before(folder: Path, job: str) -> Path:
    """Where an earlier version wrote it."""
    unfinished = folder / "jobs" / job / "SIG01" / ".incoming-k3x_1"
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    unfinished.write_bytes(b"a signature")
    return unfinished


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.django_db
def test_unfinished_file_is_deleted_after_a_day(folder: Path) -> None:
    leave_unfinished(folder)
    leave_as_before(folder, "J-2")
    DurableFileStorage(str(folder)).save("jobs/J-1/PHO01/photo.jpg", ContentFile(b"a photo"))
    assert len(files(folder)) == 3

    with time_machine.travel(timezone.now() + DAY / 2):
        tasks.clean_up()
    assert len(files(folder)) == 3
    with time_machine.travel(timezone.now() + DAY * 1.1):
        tasks.clean_up()

    assert files(folder) == [folder / "jobs/J-1/PHO01/photo.jpg"]


def test_unfinished_file_is_in_no_folder_of_a_job(folder: Path) -> None:
    leave_unfinished(folder)

    assert [path.parent for path in files(folder)] == [folder / ".incoming"]


@pytest.mark.django_db(transaction=True)
def test_erasure_leaves_no_unfinished_file_of_the_customer_s_jobs(folder: Path) -> None:
    job, other = make.job(at_state=JobState.EN_ROUTE), make.job()
    make.close_without_visit(job)
    OutboundMessage.objects.update(state=OutboundState.SENT)
    unfinished = [leave_as_before(folder, each.provider_job_id) for each in (job, other)]

    erasure.erase_customer(job.provider_job_id)

    assert files(folder) == unfinished[1:]
    assert Job.objects.count() == 2
