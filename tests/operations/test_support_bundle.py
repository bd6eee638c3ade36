"""The support bundle says how the installation is, and names nobody and no secret, whatever lies in it."""

import json
import os
import re
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from alerting.models import AlarmContact, AlarmDelivery
from dispatch.models import Job
from engineers.models import LastSync
from monitoring.alarms import raise_alarm
from monitoring.coded_texts import coded_text
from monitoring.health_checks import watched_folders
from monitoring.heartbeats import REPLACEABLE, record_beat
from monitoring.models import AlarmKind, Heartbeat
from operations.bundle_logs import open_line, our_events
from operations.bundle_settings import LABEL_SHAPES, open_labels, scheme_and_host
from operations.support_bundle import open_metrics
from partner_api.models import WebhookSubscription
from seller_link.certificate_expiry import certificate_days
from seller_link.models import DeliveryAttempt, OutboundMessage
from tests import make
from tests.background import worker_process
from tests.background.test_personal_data_everywhere import CUSTOMER, ENGINEER, job, left
from tests.config.test_handbook import something_of_everything, table
from tests.conventions.sources import ROOT
from tests.partner_api.webhooks import subscription
from tests.servers import small_disk

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["job"]
SECRETS = {
    "MAIL_SERVER_URL": "smtp://planted-user:planted-mail@mail.example.org:25",
    "ALARM_WEBHOOK_SECRET": "planted-webhook-secret",
    "SMS_GATEWAY_URL": "https://planted-user:planted-sms@sms.example.org/planted-path?key=planted-key",
    "SMS_GATEWAY_FIELDS": '{"key": "planted-field", "to": "{number}", "text": "{text}"}',
    "SMS_GATEWAY_AUTHORIZATION": "Bearer planted-authorization",
    "BACKUP_PASSPHRASE": "planted passphrase",
    "BACKUP_FOLDER": "/home/planted-folder",
    "OFFICE_PHONE": "0113 496 0999",
    "MAP_TILES_URL": "https://tiles.example.org/{z}/{x}/{y}.png?token=planted-token",
    "MAP_TILES_ATTRIBUTION": "planted-attribution",
    "SELLER_ENDPOINTS": "https://a.seller.example/planted-endpoint,https://b.seller.example",
    "PUSH_HOSTS": "planted-push.example.org",
    "REDIS_URL": "redis://planted-user:planted-redis@redis.example.org:6379/0",
}
LOG_LINES = [
    {
        "event": "request",
        "logger": "request",
        "level": "info",
        "route": "board:job",
        "status": 200,
        "job": "123",
    },
    {"event": "request", "logger": "request", "route": "Zelda Zuckermann", "status": "planted-status"},
    {
        "event": "task failed",
        "level": "error",
        "task": "sweep",
        "error": "OSError",
        "detail": "planted-detail",
    },
    {"event": "Call Pat Quibblethwaite, 07700 900456", "level": "info", "logger": "planted"},
    {"event": ["planted-list"]},
    ["planted-array"],
    "planted-string",
]


def write_log(folder: Path) -> Path:
    path = folder / "web.log"
    texts = [json.dumps(line) for line in LOG_LINES]
    texts += ["Traceback: planted-traceback", "{half a line, planted-half", "\x00planted-nul"]
    path.write_text("\n".join(texts))
    return path


def make_bundle(folder: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "manage.py", "support_bundle", *arguments],
        cwd=ROOT,
        env=worker_process.environment(folder, DEPLOYMENT="test", **variables),
        capture_output=True,
        text=True,
        check=False,
    )


def contents(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as bundle:
        return {name: bundle.read(name).decode() for name in bundle.namelist()}


@pytest.fixture
def planted(job: Job) -> None:
    """Next to what the system can know of a customer and an engineer."""
    AlarmContact.objects.create(name="planted-contact", channel="mail", address="planted@example.org")
    AlarmDelivery.objects.create(
        contact_name="planted-contact",
        channel="sms",
        address="07700 900456",
        title="planted-title",
        text="planted-text",
        created_at=make.now(),
        due_at=make.now(),
        last_error="planted-error",
    )
    raise_alarm(
        AlarmKind.SELLER_UNTRUSTED, "planted-subject", coded_text("seller_untrusted", endpoint="planted")
    )
    record_beat("relay planted@host/07700 12", {"planted": "planted-fact"})
    LastSync.objects.create(engineer=make.engineer(), version="", release="Zelda", synced_at=make.now())
    DeliveryAttempt.objects.create(
        message=OutboundMessage.objects.first(),
        endpoint="https://planted-user:planted-password@c.seller.example/planted-way",
        started_at=make.now(),
        milliseconds=1,
    )
    Job.objects.update(job_type="planted-type")
    Client().get("/login/?next=/planted-next")


@pytest.mark.usefixtures("planted")
def test_bundle_names_nobody_and_no_secret(tmp_path: Path) -> None:
    assert {text for _table, text in left((*CUSTOMER, *ENGINEER))} >= {*CUSTOMER, *ENGINEER}
    target = tmp_path / "bundle.zip"

    done = make_bundle(tmp_path, str(target), "--log", str(write_log(tmp_path)), **SECRETS)

    assert done.returncode == 0, done.stderr
    found = contents(target)
    everything = "\n".join(found.values()).casefold()
    secret = os.environ["SECRET_KEY"].casefold()
    texts = [*CUSTOMER, *ENGINEER, "planted", "0113 496", secret, "tests-postgres", "zuckermann", "/home/"]
    assert [text for text in texts if text.casefold() in everything] == []
    assert target.stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("planted")
def test_bundle_says_how_the_installation_is(tmp_path: Path) -> None:
    target = tmp_path / "bundle.zip"
    make_bundle(tmp_path, str(target), "--log", str(write_log(tmp_path)), WEB_THREADS="6", **SECRETS)

    found = contents(target)
    part: dict[str, Any] = {
        name.removesuffix(".json"): json.loads(text) for name, text in found.items() if name.endswith(".json")
    }
    assert [
        name for name, content in part.items() if isinstance(content, dict) and "not_read" in content
    ] == []
    assert part["versions"]["packages"]["Django"]
    assert part["settings"]["WEB_THREADS"] == "6"
    assert part["settings"]["SELLER_ENDPOINTS"] == "https://a.seller.example,https://b.seller.example"
    assert part["settings"]["MAIL_SERVER_URL"] == "smtp://mail.example.org"
    assert part["settings"]["ALARM_WEBHOOK_SECRET"] == "(set)"
    assert (part["migrations"]["pending"], "alerting.0001_initial" in part["migrations"]["applied"]) == (
        [],
        True,
    )
    assert part["health"]["database"] == "ok"
    assert [alarm["kind"] for alarm in part["alarms"]] == ["seller_untrusted", "handover_requested"]
    assert part["counts"]["dispatch_job"]["rows"] == Job.objects.count()
    assert part["counts"]["dispatch_job"]["job_type"] == {"other": Job.objects.count()}
    assert part["counts"]["alerting_alarmdelivery"]["state"] == {"waiting": 1}
    assert 'link_attempts_total{endpoint="https://c.seller.example"}' in found["metrics.txt"]
    assert [json.loads(line)["event"] for line in found["log.jsonl"].splitlines()] == [
        "request",
        "request",
        "task failed",
    ]
    first = json.loads(found["log.jsonl"].splitlines()[0])
    assert (first["route"], first["status"], "job" in first) == ("board:job", 200, False)


def test_bundle_is_made_without_a_database(tmp_path: Path) -> None:
    target = tmp_path / "bundle.zip"
    url = "postgresql://planted@127.0.0.1:9/planted"

    done = make_bundle(tmp_path, str(target), "--log", str(write_log(tmp_path)), DATABASE_URL=url)

    assert done.returncode == 0, done.stderr
    found = contents(target)
    assert json.loads(found["counts.json"]) == {"not_read": "OperationalError"}
    assert json.loads(found["settings.json"])["DATABASE_URL"] == "postgresql://127.0.0.1"
    assert "planted" not in "".join(found.values())


def test_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    target = tmp_path / "bundle.zip"
    target.write_text("mine")

    done = make_bundle(tmp_path, str(target))

    assert (done.returncode, target.read_text()) == (1, "mine")
    assert "Choose another name" in done.stderr
    assert "No such log file" in make_bundle(tmp_path, "--log", str(tmp_path / "none")).stderr


@pytest.mark.skipif(bool(small_disk.missing()), reason=small_disk.missing() or "-")
def test_full_disk_leaves_nothing_of_a_bundle(tmp_path: Path) -> None:
    with small_disk.mounted(tmp_path / "disk", megabytes=1) as disk:
        balloon = small_disk.fill(disk)

        done = make_bundle(tmp_path, str(disk / "bundle.zip"))

        assert (done.returncode, list(disk.iterdir())) == (1, [balloon])
        assert "cannot be written: No space left on device" in done.stderr


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("https://user:secret@a.example:8443/path?key=1", "https://a.example"),
        ("s3://bucket?endpoint=https://s3.example.net", "s3://bucket"),
        ("sqlite:////home/anna/dispatch.sqlite3", "sqlite://"),
        ("https://[::1", "(set)"),
        ("no address", "(set)"),
    ],
)
def test_address_is_its_scheme_and_host(address: str, text: str) -> None:
    assert scheme_and_host(address) == text


def test_label_with_another_shape_is_hidden() -> None:
    labels = {"view": "board:job", "process": "relay host-1 12", "kind": "Anna Fibre", "new": "x"}

    assert open_labels(labels) == {
        "view": "board:job",
        "process": "relay host-1 12",
        "kind": "(hidden)",
        "new": "(hidden)",
    }


@pytest.mark.usefixtures("our_certificates")
def test_no_label_of_ours_is_hidden_and_no_sample_is_there_twice(settings: Settings, tmp_path: Path) -> None:
    something_of_everything()
    subscription(name="Zelda Zuckermann")
    settings.BACKUP_FOLDER = str(tmp_path)
    settings.PUBLIC_CERT = settings.SELLER_CRL = settings.SELLER_CA
    message, now = OutboundMessage.objects.first(), make.now()
    for port in ("", ":8443"):
        url = f"https://a.seller.example{port}/planted"
        DeliveryAttempt.objects.create(message=message, endpoint=url, started_at=now, milliseconds=1)
    for kind in REPLACEABLE:
        Heartbeat.objects.create(process=f"{kind}{'host_1.' * 3}~{'host_2.' * 3} 4194304", beat_at=now)

    lines = [line for line in open_metrics().splitlines() if not line.startswith("#")]

    samples = [line.rpartition(" ")[0] for line in lines]
    assert [sample for sample in samples if "hidden" in sample or "(set)" in sample] == []
    assert [sample for sample, number in Counter(samples).items() if number > 1] == []
    assert {f'webhook="{hook.pk}"' for hook in WebhookSubscription.objects.all()} == set(
        re.findall(r'webhook="[^"]*"', "\n".join(samples))
    )
    text = "\n".join(samples)
    assert [name for name in (*watched_folders(), *certificate_days()) if f'="{name}"' not in text] == []
    assert "Zelda" not in text


def test_each_documented_label_has_a_shape() -> None:
    """The handbook names every label of every collector (test_handbook), also those that only PostgreSQL gives."""
    rows = table("Health and metrics", "metric").values()
    labels = {label for cells in rows for label in re.findall(r"`(\w+)`", cells[0])}

    assert labels - {"endpoint", "webhook"} <= set(LABEL_SHAPES)


def test_events_are_those_of_our_code() -> None:
    assert {"request", "task failed", "caller refused", "alarm not delivered"} <= our_events()
    assert open_line('{"event": "somebody else\'s"}') == {}
