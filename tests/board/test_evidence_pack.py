"""Evidence packs: everything in one file, the same bytes each time, made in the background, and who took it."""

import hashlib
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.template.loader import render_to_string
from django.utils import timezone
from django_q.models import OrmQ
from pytest_django import Settings

from board.evidence import pdf_process, tasks
from board.evidence.pack_archive import write_archive
from board.evidence.pack_document import EvidenceDocument
from board.jobs.job_presenter import build_job_page
from closures import evidence_packs
from closures import tasks as closure_tasks
from closures.evidence_packs import PacksNotDeleted
from closures.models import EvidencePack, PackKind
from closures.photos import evidence
from config.storage import evidence_storage
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import AuditEntry
from monitoring.task_queue import REGISTERED
from seller_link import delivery_attempts, inbox
from seller_link.caller_authorization import Peer
from seller_link.inbox import InboundRequest
from seller_link.models import DeliveryAttempt
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Settings) -> Iterator[Path]:
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{tmp_path}")}
    yield tmp_path


def worked_job() -> Job:
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)
    make.result(job, 1)
    make.answer_all(job)
    return Job.objects.get(pk=job.pk)


def archive_of(job: Job) -> bytes:
    handle = io.BytesIO()
    write_archive(job, handle)
    return handle.getvalue()


def made(job: Job, kind: PackKind) -> EvidencePack:
    pack = evidence_packs.request_pack(job=job, kind=kind, by=make.dispatcher())
    tasks.make_pack(str(pack.pk), "en")
    pack.refresh_from_db()
    return pack


def test_archive_names_the_hash_of_every_file_and_is_the_same_each_time() -> None:
    job = worked_job()

    raw = archive_of(job)
    with time_machine.travel(timezone.now() + timedelta(hours=3)):
        later = archive_of(Job.objects.get(pk=job.pk))

    assert raw == later
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(contents["manifest.json"])
    listed = {entry["path"]: entry["sha256"] for entry in manifest["files"]}
    hashes = {path: hashlib.sha256(content).hexdigest() for path, content in contents.items()}
    assert listed == {path: hashes[path] for path in hashes if path not in {"manifest.json", "SHA256SUMS"}}
    assert f"{hashes['manifest.json']}  manifest.json" in contents["SHA256SUMS"].decode().splitlines()
    photos = json.loads(contents["photos.json"])
    assert {photo["matches_stored_sha256"] for photo in photos} == {True}
    assert {hashes[photo["file"]] for photo in photos} == {photo["stored_sha256"] for photo in photos}


def test_archive_has_exact_messages_and_the_three_times_of_each_step() -> None:
    job = worked_job()
    sent_at = timezone.now()
    job.outbound_messages.filter(seq=1).update(state="sent", sent_at=sent_at, claims=2)

    with zipfile.ZipFile(io.BytesIO(archive_of(job))) as archive:
        messages = [
            json.loads(archive.read(name)) for name in archive.namelist() if name.startswith("messages/")
        ]
        history = json.loads(archive.read("history.json"))

    bodies = [message["body"] for message in messages]
    assert bodies == [message.body for message in job.outbound_messages.order_by("seq")]
    # claimed twice, and nobody knows of a try
    assert (messages[0]["claims"], messages[0]["attempts"]) == (2, [])
    assigned, en_route = history[1], history[2]
    assert assigned["reported_at"][:19] == sent_at.isoformat()[:19]
    assert en_route["distance_from_premises_metres"] == 1291


def test_archive_has_the_newest_attempts_of_a_message_and_counts_the_rest() -> None:
    job = worked_job()
    first = job.outbound_messages.order_by("seq")[0]
    for minute in range(delivery_attempts.MOST_ATTEMPTS + 3):
        DeliveryAttempt.objects.create(
            message=first,
            endpoint="https://a.example",
            started_at=make.now() + timedelta(minutes=minute),
            milliseconds=minute,
            response="busy",
        )

    with zipfile.ZipFile(io.BytesIO(archive_of(job))) as archive:
        sent = [json.loads(archive.read(name)) for name in archive.namelist() if "to-seller" in name]

    tries = sent[0]["attempts"]
    assert [attempt["milliseconds"] for attempt in tries] == list(
        range(3, delivery_attempts.MOST_ATTEMPTS + 3)
    )
    assert {attempt["response"] for attempt in tries} == {"busy"}
    assert [message["older_attempts_left_out"] for message in sent] == [3] + [0] * (len(sent) - 1)


def test_refused_message_with_half_a_character_is_in_the_archive() -> None:
    job = worked_job()
    body = f'{{"providerJobId": "{job.provider_job_id}", "reason": "\\ud800"}}'
    (refusal,) = inbox.receive([InboundRequest("cancelJob", body.encode(), Peer("seller", "127.0.0.1"))])

    with zipfile.ZipFile(io.BytesIO(archive_of(job))) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("from-seller.json")]
        stored = json.loads(archive.read(name))

    assert (refusal.status, stored["body"]) == (400, json.loads(body))


def test_damaged_file_is_named_in_the_archive() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    photo = make.photo(job, question_code="PHO01")
    evidence.write(evidence.object_path(photo), make.jpeg(colour="red"))

    with zipfile.ZipFile(io.BytesIO(archive_of(job))) as archive:
        (entry,) = json.loads(archive.read("photos.json"))

    assert entry["matches_stored_sha256"] is False


def test_document_is_a_pdf_with_the_photos() -> None:
    pack = made(worked_job(), PackKind.PDF)

    with evidence_packs.open_pack(pack) as stored:
        raw = stored.read()
    assert raw.startswith(b"%PDF-")
    assert raw.count(b"/Subtype /Image") >= 1
    assert hashlib.sha256(raw).hexdigest() == pack.sha256


def test_document_names_everybody_who_attended() -> None:
    job = worked_job()
    second = make.engineer()
    job.visits.update(second_engineer=second)

    document = EvidenceDocument(build_job_page(job, now=timezone.now()), [], [], "")
    html = render_to_string("board/evidence/document.html", {"document": document})

    first = job.visits.get().engineer
    people = f"{first.name} {first.staff_number}<br>{second.name} {second.staff_number} (second engineer)"
    assert f"<dt>{people}</dt>" in html


def test_document_has_the_language_in_which_it_was_asked_for() -> None:
    job, client = worked_job(), signed_in()

    client.post(
        f"/board/jobs/{job.provider_job_id}/evidence-pack/",
        {"kind": "pdf"},
        headers={"Accept-Language": "de"},
    )
    (queued,) = [row.task for row in OrmQ.objects.all() if row.task["func"].endswith("make_pack")]
    tasks.make_pack(*queued["args"])

    with evidence_packs.open_pack(EvidencePack.objects.get()) as stored:
        streams = re.findall(rb"stream\n(.*?)\nendstream", stored.read(), re.DOTALL)
    assert any(b"/Lang (de)" in zlib.decompress(stream) for stream in streams if stream.startswith(b"\x78"))


def test_document_opens_no_file_outside_its_folder(tmp_path: Path) -> None:
    secret = tmp_path / "secret.css"
    secret.write_text("p { color: red }")
    (tmp_path / "own").mkdir()

    with pytest.raises(ValueError, match="not a file of this document"):
        pdf_process.FolderOnly(tmp_path / "own").fetch(secret.as_uri())


def test_pack_is_asked_for_made_and_downloaded_and_the_taker_is_recorded() -> None:
    job, client = worked_job(), signed_in()

    waiting = client.post(f"/board/jobs/{job.provider_job_id}/evidence-pack/", {"kind": "zip"}, follow=True)
    pack = EvidencePack.objects.get()
    early = client.get(f"/board/evidence-packs/{pack.pk}/download")
    tasks.make_pack(str(pack.pk), "en")
    ready = client.get(f"/board/evidence-packs/{pack.pk}/")
    answer = client.get(f"/board/evidence-packs/{pack.pk}/download")

    assert (waiting.context["page"].state, early.status_code, ready.context["page"].state) == (
        "waiting",
        404,
        "made",
    )
    # not in megabytes, of which it has none
    assert re.search(r"Ready \(\d+\.\d\sKB\)", ready.content.decode())
    raw = b"".join(answer.streaming_content)
    assert zipfile.ZipFile(io.BytesIO(raw)).testzip() is None
    assert f"evidence-{job.provider_job_id}.zip" in answer.headers["Content-Disposition"]
    entry = AuditEntry.objects.get(action="evidence_taken")
    assert (entry.subject, entry.after["sha256"]) == (f"zip of {job}", hashlib.sha256(raw).hexdigest())


def test_pack_that_could_not_be_made_says_so(folder: Path) -> None:
    job = worked_job()
    pack = evidence_packs.request_pack(job=job, kind=PackKind.ZIP, by=make.dispatcher())
    # a storage that takes no new files
    (folder / "packs").write_text("in the way")

    with pytest.raises(OSError, match="packs"):
        tasks.make_pack(str(pack.pk), "en")

    assert signed_in().get(f"/board/evidence-packs/{pack.pk}/").context["page"].state == "failed"


def test_making_twice_changes_nothing_and_a_day_later_it_is_deleted(folder: Path) -> None:
    pack = made(worked_job(), PackKind.ZIP)
    tasks.make_pack(str(pack.pk), "en")

    assert evidence_packs.purge_expired(timezone.now()) == 0
    assert evidence_packs.purge_expired(timezone.now() + evidence_packs.RETENTION + timedelta(minutes=1)) == 1
    assert (list((folder / "packs").iterdir()), EvidencePack.objects.count()) == ([], 0)


def test_pack_that_cannot_be_deleted_stops_neither_others_nor_thumbnails(folder: Path) -> None:
    job = worked_job()
    stuck, *others = [made(job, PackKind.ZIP) for _ in range(3)]
    obstruct(folder, stuck)
    OrmQ.objects.all().delete()

    later = timezone.now() + evidence_packs.RETENTION + timedelta(minutes=1)
    with time_machine.travel(later), pytest.raises(PacksNotDeleted, match=str(stuck.pk)):
        closure_tasks.sweep()

    assert [pack.pk for pack in EvidencePack.objects.all()] == [stuck.pk]
    assert [evidence.storage().exists(evidence_packs.object_path(pack)) for pack in others] == [False, False]
    assert OrmQ.objects.count() == job.photos.count()


def obstruct(folder: Path, pack: EvidencePack) -> None:
    """What stands where its file was cannot be deleted as a file."""
    path = folder / evidence_packs.object_path(pack)
    path.unlink()
    (path / "something").mkdir(parents=True)


def test_worker_may_run_the_task() -> None:
    assert "board.evidence.tasks.make_pack" in REGISTERED
