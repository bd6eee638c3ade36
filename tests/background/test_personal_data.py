"""Personal data has an end: purged by rule, erased or exported on request, and nothing that must be proved is lost."""

import json
import threading
import zipfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf import settings as configured
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

import seller_link.retention
from background import erasure, personal_data
from closures.models import Answer, Closure, Photo
from closures.photos import evidence
from config.storage import evidence_storage
from dispatch.models import Job, JobEvent
from dispatch.states import JobState
from engineers.engineer_records import read_record, update_engineer
from engineers.models import AuditEntry, Engineer, PhoneMessage, Role, User
from seller_link import inbox, replays
from seller_link.caller_authorization import Peer
from seller_link.inbox import InboundRequest
from seller_link.message_log import HIDDEN
from seller_link.models import InboundMessage, OutboundMessage, OutboundState
from tests import make
from tests.board.office import signed_in
from tests.seller_link.wire import message, raw

pytestmark = pytest.mark.django_db(transaction=True)
PEER = Peer(subject="seller", address="127.0.0.1")
CONTACT = ("Pat Tester", "07700 900456", "pat@example.com")


@pytest.fixture(autouse=True)
def _evidence_in_a_folder(tmp_path: Path, settings: Settings) -> None:
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{tmp_path}/evidence")}


def received_job() -> Job:
    """A job that came over the wire, so that its message is kept too."""
    answer = inbox.receive([InboundRequest("createJob", raw(message("createJob")), PEER)])[0]
    return Job.objects.get(provider_job_id=answer.body["providerJobId"])


def closed_job() -> Job:
    """With a work photo, a signature, a free text and messages both ways, all delivered."""
    job = received_job()
    engineer = make.engineer()
    make.walk(job, at_state=JobState.ON_SITE, to=engineer)
    make.answer_all(job)
    make.photo(job, question_code="PHO01")
    Photo.objects.filter(pk=make.photo(job, question_code="SIG01").pk).update(signer="Pat Tester")
    PhoneMessage.objects.create(
        message_id=job.scans.model._meta.pk.get_default(),
        engineer=engineer,
        kind="answer",
        provider_job_id=job.provider_job_id,
        body={"body": {"value": "Pat Tester lets us in"}},
        body_sha256="x",
        occurred_at=make.now(),
        received_at=make.now(),
        outcome="applied",
        answer={"problems": []},
    )
    Job.objects.filter(pk=job.pk).update(state=JobState.CLOSED)
    JobEvent.objects.filter(job=job, kind="on_site").update(kind="closed")
    Closure.objects.create(
        job=job,
        code="SP",
        description="",
        remarks="Pat Tester was friendly",
        closed_at=make.now(),
        recorded_at=make.now(),
        engineer=engineer,
        by_name=engineer.name,
    )
    OutboundMessage.objects.update(state=OutboundState.SENT)
    job.refresh_from_db()
    return job


def everything_kept() -> str:
    """All rows of the tables with personal data, as one text to search in."""
    rows: list[Any] = []
    for model in (Job, JobEvent, Answer, Photo, Closure, InboundMessage, OutboundMessage, PhoneMessage):
        rows += [str(row) for row in model._default_manager.values()]
    return "\n".join(rows)


def test_nothing_is_purged_before_its_time() -> None:
    closed_job()

    counts = personal_data.purge(timezone.now() + timedelta(days=29))

    assert set(counts.values()) == {0}


def test_purge_empties_what_is_over_and_keeps_what_must_be_proved() -> None:
    job = closed_job()
    before = InboundMessage.objects.get().body_sha256
    files = [evidence.object_path(photo) for photo in Photo.objects.all()]

    counts = personal_data.purge(timezone.now() + timedelta(days=401))

    remaining = everything_kept()
    assert [
        text for text in (*CONTACT, "Chapel Row", "LS6 3AB", "friendly", "lets us in") if text in remaining
    ] == []
    job.refresh_from_db()
    assert (job.provider_job_id in remaining, job.seller_job_id in remaining) == (True, True)
    assert (job.contact_name, job.uprn, job.latitude, job.address) == ("", "", None, f"{job.town}, ")
    assert InboundMessage.objects.get().body_sha256 == before
    assert [path for path in files if evidence.storage().exists(path)] == []
    assert Photo.objects.filter(stored_sha256="").count() == 0
    assert (counts["job packs"], counts["messages from the seller"]) == (1, 1)


def test_purge_again_finds_nothing() -> None:
    closed_job()
    later = timezone.now() + timedelta(days=401)
    personal_data.purge(later)

    assert set(personal_data.purge(later).values()) == {0}


def test_open_job_keeps_everything_however_old() -> None:
    job = make.job(at_state=JobState.ON_SITE)

    counts = personal_data.purge(timezone.now() + timedelta(days=4000))

    job.refresh_from_db()
    assert (job.contact_name, counts["job packs"]) == ("Pat Tester", 0)


def test_dry_run_names_the_counts_and_changes_nothing(
    capsys: pytest.CaptureFixture[str], settings: Settings
) -> None:
    job = closed_job()
    old = timezone.now() - timedelta(days=500)
    Job.objects.update(received_at=old)
    JobEvent.objects.update(recorded_at=old)
    InboundMessage.objects.update(received_at=old)

    call_command("personal_data", "purge", "--dry-run")

    output = capsys.readouterr().out
    assert "       1 job packs\n" in output
    assert "       1 messages from the seller\n" in output
    job.refresh_from_db()
    assert (job.contact_name, InboundMessage.objects.get().purged_at) == ("Pat Tester", None)


def test_same_message_after_its_purge_still_gets_the_stored_answer() -> None:
    body = message("createJob")
    request = InboundRequest("createJob", raw(body), PEER)
    first = inbox.receive([request])[0]
    make.close_without_visit(Job.objects.get())
    OutboundMessage.objects.update(state=OutboundState.SENT)
    personal_data.purge(timezone.now() + timedelta(days=401))

    assert inbox.receive([request])[0] == first
    assert Job.objects.count() == 1


def test_masked_message_can_never_be_sent_again() -> None:
    closed_job()
    personal_data.purge(timezone.now() + timedelta(days=401))

    with pytest.raises(replays.NothingToReplay):
        replays.start_replay(
            messages=list(OutboundMessage.objects.all()), by=make.dispatcher(), reason="outage"
        )


def test_message_that_is_sent_again_while_it_is_chosen_is_not_masked() -> None:
    """A replay that commits between the choice of the rows and their masking wins: nobody ever sends a masked body."""
    closed_job()
    by, begun = make.dispatcher(), threading.Event()

    def replay() -> None:
        replays.start_replay(messages=list(OutboundMessage.objects.all()), by=by, reason="outage")
        connection.close()

    def replay_after_choice(execute: Any, sql: str, *rest: Any) -> Any:
        result = execute(sql, *rest)
        if not begun.is_set() and sql.startswith("SELECT") and OutboundMessage._meta.db_table in sql:
            begun.set()
            other = threading.Thread(target=replay)
            other.start()
            other.join()
        return result

    with connection.execute_wrapper(replay_after_choice):
        masked = seller_link.retention.mask_outbound(OutboundMessage.objects.all())

    rows = OutboundMessage.objects.all()
    assert (begun.is_set(), masked, {row.state for row in rows}) == (True, 0, {OutboundState.READY})
    assert {row.purged_at for row in rows} == {None}
    assert HIDDEN not in str([row.body for row in rows])


def test_phone_messages_of_an_open_job_stay_however_old() -> None:
    """A job that waits for months is still to be done."""
    job = closed_job()
    later = timezone.now() + timedelta(days=4000)
    Job.objects.filter(pk=job.pk).update(state=JobState.ON_SITE)

    assert personal_data.purge(later)["phone messages"] == 0
    assert "lets us in" in str(PhoneMessage.objects.get().body)

    Job.objects.filter(pk=job.pk).update(state=JobState.CLOSED)
    assert personal_data.purge(later)["phone messages"] == 1


def test_photo_stays_until_its_time_after_the_end_of_the_job(settings: Settings) -> None:
    """The seller's link to it begins with the closing, however long before it the photo came."""
    settings.RETENTION_PHOTO_DAYS = settings.RETENTION_SIGNATURE_DAYS = 90
    job, now = closed_job(), timezone.now()
    Photo.objects.update(stored_at=now - timedelta(days=80))
    JobEvent.objects.filter(job=job, kind="closed").update(recorded_at=now - timedelta(days=1))

    counts = personal_data.purge(now + timedelta(days=88))
    gone = personal_data.purge(now + timedelta(days=90))

    assert (counts["photos"], counts["signatures"], gone["signatures"]) == (0, 0, 2)
    assert gone["photos"] > 0


def test_photo_that_came_after_the_end_has_its_own_time(settings: Settings) -> None:
    settings.RETENTION_PHOTO_DAYS = settings.RETENTION_SIGNATURE_DAYS = 90
    closed_job()
    Photo.objects.update(stored_at=timezone.now() + timedelta(days=30))

    counts = personal_data.purge(timezone.now() + timedelta(days=100))

    assert (counts["photos"], counts["signatures"]) == (0, 0)


def test_erasing_a_customer_finds_the_telephone_number_however_it_is_written() -> None:
    job = closed_job()

    counts = erasure.erase_customer("07700-900 456")

    remaining = everything_kept()
    assert [text for text in (*CONTACT, "Chapel Row", "friendly") if text in remaining] == []
    # one answered the question for a signature, one names who signed
    assert (counts["signatures"], counts["job packs"]) == (2, 1)
    # work photos are evidence of the work until their own time is over
    work = Photo.objects.filter(job=job, question_code="PHO01").first()
    assert work is not None and evidence.storage().exists(evidence.object_path(work))
    assert AuditEntry.objects.get(action="erased_customer").after == {"jobs": [job.provider_job_id]}


@pytest.mark.parametrize(
    "contact",
    ["+44 7700 900456", "+44 (0)7700 900456", "0044 7700 900456", "07700900456", "Tel. 07700 900456"],
)
def test_customer_is_found_with_and_without_country_code(contact: str) -> None:
    job = closed_job()

    assert list(erasure.jobs_of_customer(contact)) == [job]


def test_customer_of_an_open_job_is_not_erased() -> None:
    job = make.job(at_state=JobState.ON_SITE)

    with pytest.raises(erasure.JobStillOpen) as refusal:
        erasure.erase_customer("pat@example.com")

    assert job.provider_job_id in refusal.value.problems[0].message
    assert Job.objects.get().contact_name == "Pat Tester"


@pytest.mark.parametrize("contact", ["", " ", "Pat Tester", "nobody@example.com", "-", "07700 90045", "+44"])
def test_unknown_customer_is_refused(contact: str) -> None:
    closed_job()

    with pytest.raises(erasure.PersonNotFound):
        erasure.erase_customer(contact)


def test_former_engineer_keeps_only_the_staff_number() -> None:
    job = closed_job()
    engineer = Engineer.objects.get()
    job.visits.update(ended_at=make.now())
    username = engineer.user.username

    erasure.erase_engineer(engineer.staff_number)

    engineer.refresh_from_db()
    user = User.objects.get(pk=engineer.user_id)
    assert (engineer.phone, engineer.home_latitude, user.is_active, user.email) == ("", None, False, "")
    remaining = everything_kept() + str(list(User.objects.values())) + str(list(AuditEntry.objects.values()))
    assert [text for text in ("Erin", f"'{username}'") if text in remaining] == []
    assert engineer.staff_number in remaining


def rename(engineer: Engineer, username: str) -> None:
    stored = read_record(engineer)
    record = replace(stored, username=username)
    update_engineer(engineer=engineer, record=record, version=stored.version, by=make.dispatcher())


def test_lines_about_others_who_had_or_have_a_name_of_the_engineer_stay() -> None:
    with time_machine.travel(make.at("08:00")) as clock:
        rename(make.engineer(username="anna"), "anna.old")
        clock.shift(timedelta(hours=1))
        anna = make.engineer(username="anna")
        rename(anna, "anna.b")
        clock.shift(timedelta(hours=1))
        make.engineer(username="anna")
        erasure.erase_engineer(anna.staff_number)

    former = f"former-{anna.staff_number}"
    lines = AuditEntry.objects.order_by("pk").filter(action__in=("hired", "person_changed"))
    subjects = lines.exclude(subject__startswith="dispatcher").values_list("subject", flat=True)
    assert list(subjects) == ["anna", "anna.old", former, former, "anna"]


@pytest.mark.parametrize(
    ("language", "former"), [("en-gb", "Former engineer"), ("de", "Ehemaliger Techniker")]
)
def test_former_engineer_is_named_in_the_language_of_the_reader(language: str, former: str) -> None:
    job = closed_job()
    job.visits.update(ended_at=make.now())
    number = Engineer.objects.get().staff_number
    client = signed_in()
    client.cookies[configured.LANGUAGE_COOKIE_NAME] = language

    erasure.erase_engineer(number)

    assert "ormer" not in str(list(User.objects.filter(role=Role.ENGINEER).values("first_name", "last_name")))
    reports = "/board/reports/?first=2026-11-01&last=2026-11-30&by=engineer"
    for path in (reports, f"/board/jobs/{job}/", "/board/people/?state=suspended"):
        assert f"{former} {number}" in client.get(path).content.decode(), path


def test_engineer_with_a_job_to_do_is_not_erased() -> None:
    make.job(at_state=JobState.ASSIGNED)
    number = Engineer.objects.get().staff_number

    with pytest.raises(CommandError, match="Reassign these jobs first"):
        call_command("personal_data", "erase", "--engineer", number, "--yes")

    assert Engineer.objects.get().user.is_active


def test_export_of_a_customer_holds_rows_and_pictures_for_its_owner_only(tmp_path: Path) -> None:
    job = closed_job()
    target = tmp_path / "pat.zip"

    call_command("personal_data", "export", "--customer", job.provider_job_id.lower(), str(target))

    with zipfile.ZipFile(target) as zipped:
        data = json.loads(zipped.read("data.json"))
        pictures = [name for name in zipped.namelist() if name.startswith("photos/")]
    assert data["jobs"][0]["contact_phone"] == "07700 900456"
    assert len(data["OutboundMessage"]) == OutboundMessage.objects.count() > 0
    assert len(pictures) == Photo.objects.count() > 0
    assert target.stat().st_mode & 0o777 == 0o600


def test_export_never_overwrites_a_file(tmp_path: Path) -> None:
    make.job()
    target = tmp_path / "there.zip"
    target.write_text("precious")

    with pytest.raises(CommandError, match="already exists"):
        call_command("personal_data", "export", "--customer", "pat@example.com", str(target))

    assert target.read_text() == "precious"


def test_export_of_an_engineer_holds_no_password(tmp_path: Path) -> None:
    closed_job()
    target = tmp_path / "engineer.zip"

    call_command("personal_data", "export", "--engineer", Engineer.objects.get().staff_number, str(target))

    with zipfile.ZipFile(target) as zipped:
        data = json.loads(zipped.read("data.json"))
    assert data["account"]["first_name"] == "Erin"
    assert "password" not in data["account"]
    assert len(data["phone_messages"]) == 1
