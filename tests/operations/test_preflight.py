"""manage.py preflight: every problem on a line of its own with what to do, and nothing is changed."""

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from pytest_django import Settings

from config.storage import evidence_storage
from dispatch.states import JobState
from monitoring import alarms, health_checks
from monitoring.coded_texts import coded_text
from monitoring.health_checks import TimeboxedCheck
from monitoring.models import AlarmKind, Heartbeat
from operations.backup_folders import backups
from seller_link.models import OutboundMessage, OutboundState
from tests import make
from tests.operations import installations

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]


def problems(*options: str) -> list[str]:
    output = StringIO()
    try:
        call_command("preflight", *options, stdout=output)
        code = 0
    except SystemExit as ended:
        code = int(str(ended.code))
    found = [line for line in output.getvalue().splitlines() if line.startswith("PROBLEM: ")]
    assert code == bool(found)
    return found


def with_text(text: str, *options: str) -> list[str]:
    return [line for line in problems(*options) if text in line]


def test_finding_of_the_deployment_checks_is_a_problem(settings: Settings) -> None:
    settings.REQUIRE_SECOND_FACTOR = False

    assert len(with_text("REQUIRE_SECOND_FACTOR")) == 1


def test_migration_that_only_adds_is_no_problem() -> None:
    assert with_text("igration") == []


def test_database_of_a_newer_version_is_a_problem() -> None:
    MigrationRecorder(connection).record_applied("dispatch", "0002_newer")
    try:
        (line,) = with_text("dispatch.0002_newer")
    finally:
        MigrationRecorder(connection).record_unapplied("dispatch", "0002_newer")

    assert line.endswith("Run the newer version, or restore a backup of this one.")


def test_full_disk_is_a_problem(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    # an answer is kept for two seconds
    fresh = {name: TimeboxedCheck(part) for name, part in health_checks.PARTS.items()}
    monkeypatch.setattr(health_checks, "CHECKS", fresh)
    settings.DISK_FREE_MB = 10**9

    assert len(with_text("Not ready: disk")) == 1


def test_full_disk_of_the_backups_is_a_problem(settings: Settings, tmp_path: Path) -> None:
    settings.DISK_FREE_MB = 10**9

    assert len(with_text(f"No backup can be made in {tmp_path}", "--backups", str(tmp_path))) == 1


def test_backups_that_are_away_are_a_problem(tmp_path: Path) -> None:
    assert len(with_text("cannot be read: File name too long", "--backups", str(tmp_path / ("x" * 300)))) == 1


def test_held_message_is_a_problem(our_certificates: None) -> None:
    make.job(at_state=JobState.ASSIGNED)
    OutboundMessage.objects.update(state=OutboundState.HELD)

    assert len(with_text("Messages held because the seller rejected them: 1")) == 1


def test_process_without_heartbeat_is_a_problem_once() -> None:
    Heartbeat.objects.create(process="worker", beat_at=timezone.now() - timedelta(days=1))
    Heartbeat.objects.create(process="relay host 1", beat_at=timezone.now())
    Heartbeat.objects.create(process="seller server host 1", beat_at=timezone.now())
    text = coded_text("process_stuck", process="worker", since_at=timezone.now())
    alarms.raise_alarm(AlarmKind.PROCESS_STUCK, "worker", text)

    (line,) = with_text("worker")

    assert line == "PROBLEM: No heartbeat of worker. Restart it, and read its log for the reason."


def test_only_alarms_about_the_installation_are_problems() -> None:
    alarms.raise_alarm(
        AlarmKind.DUTY_FAILING, "retention", coded_text("duty_failing", duty="retention", times=3)
    )
    alarms.raise_alarm(AlarmKind.JOB_LATE, "PJ1", coded_text("job_late"))

    assert len(with_text("Alarm ")) == len(with_text("duty_failing")) == 1


def test_certificate_that_expires_is_a_problem_once(settings: Settings, our_certificates: None) -> None:
    settings.SELLER_CLIENT_CERT = "/nonexistent/partner.pem"

    assert len(with_text("SELLER_CLIENT_CERT")) == 1


def test_newest_backup_must_be_young_and_whole(tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    assert len(with_text("has no backup", "--backups", str(folder))) == 1
    call_command("backup", folder, "--without-evidence", stdout=StringIO())
    assert with_text("ackup", "--backups", str(folder)) == []

    (manifest,) = (path / "manifest.json" for path in backups(folder))
    made_at = (timezone.now() - timedelta(hours=25)).isoformat()
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"made_at": made_at}))
    assert len(with_text("The newest backup is 25 hours old.", "--backups", str(folder))) == 1
    assert with_text("ackup", "--backups", str(folder), "--backup-hours", "26") == []

    (manifest.parent / "settings.env").write_text("changed")
    assert len(with_text("is missing or was changed", "--backups", str(folder))) == 1


def test_backups_are_looked_for_in_the_folder_of_the_setting(tmp_path: Path, settings: Settings) -> None:
    settings.BACKUP_FOLDER = str(tmp_path / "backups")

    assert len(with_text(f"{tmp_path / 'backups'} has no backup")) == 1
    assert len(with_text(f"{tmp_path / 'other'} has no backup", "--backups", str(tmp_path / "other"))) == 1


def test_backup_dated_in_the_future_is_a_problem_and_not_the_newest(tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    call_command("backup", folder, "--without-evidence", stdout=StringIO())
    (made,) = backups(folder)
    future = made.rename(folder / "2093-01-01T000000Z")

    assert len(with_text(f"{future} is dated in the future", "--backups", str(folder))) == 1
    assert len(with_text("has no backup", "--backups", str(folder))) == 1


def test_backup_folder_that_shares_the_evidence_storage_is_a_problem_once(
    tmp_path: Path, settings: Settings
) -> None:
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{tmp_path / 'evidence'}")}
    assert len(with_text("EVIDENCE_STORAGE_URL", "--backups", str(tmp_path))) == 1

    settings.BACKUP_FOLDER = str(tmp_path)
    assert len(with_text("EVIDENCE_STORAGE_URL")) == 1


def test_every_line_has_a_remedy_and_is_one_line() -> None:
    alarms.raise_alarm(AlarmKind.DUTY_FAILING, "x", coded_text("duty_failing", duty="a\n\x1b[2Jb", times=3))

    found = with_text("duty_failing")

    assert len(found) == 1
    assert found[0].isprintable()


def test_database_without_tables_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    new = installations.Installation(tmp_path, f"sqlite:///{tmp_path / 'new.sqlite3'}")

    done = new.run("preflight")

    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert "Migration dispatch.0001_initial" in done.stdout
    assert "PROBLEM: Not checked (link)" in done.stdout
