"""docs/operating.md has a row for everything that an operator may meet: causes, alarms, metrics, parts."""

import re
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from background.tasks import update_schedules
from dispatch.states import JobState
from monitoring.health_checks import PARTS
from monitoring.metrics import COLLECTORS
from monitoring.models import AlarmKind, Heartbeat
from seller_link.caller_authorization import RejectionCause
from seller_link.models import (
    DeliveryAttempt,
    InboundMessage,
    InboundOutcome,
    OutboundMessage,
    RejectedCaller,
)
from tests import make
from tests.conventions.sources import ROOT
from tests.partner_api.webhooks import subscription

OF_POSTGRESQL = {"database_sessions", "database_max_sessions", "database_oldest_transaction_seconds"}
BOOK = (ROOT / "docs" / "operating.md").read_text()


def table(title: str, heading: str) -> dict[str, list[str]]:
    """The rows of a section's table that begins with this heading: first cell → the others."""
    section = BOOK.partition(f"\n### {title}\n")[2].partition("\n### ")[0]
    rows = section.partition(f"\n| {heading} |")[2].partition("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]
    assert len({first for first, *_rest in cells}) == len(cells), "a row is there twice"
    return {first.strip("`"): rest for first, *rest in cells}


def gigabytes(text: str) -> list[float]:
    """Of `0.6 to 2.4 GB`."""
    return [float(number) for number in text.removesuffix(" GB").split(" to ")]


def test_disk_is_large_enough_for_the_photos_of_the_retention_time_and_their_backup() -> None:
    scaling = (ROOT / "docs" / "scaling.md").read_text()
    of_thousand_jobs = gigabytes(re.findall(r"^\| photos \| .* \| (.*) \|$", scaling, re.M)[0])
    days = int(re.findall(r"^\| `RETENTION_PHOTO_DAYS` \| .* \| `(\d+)` \| `\d+` \|$", BOOK, re.M)[0])

    rows = re.findall(r"^\| (\d+) \| ([\d.]+ to [\d.]+ GB) \| ([\d.]+ to [\d.]+ GB) \|$", BOOK, re.M)

    assert f"| disk for {days} days of them |" in BOOK
    assert len(rows) == 3
    for engineers, of_day, disk in rows:
        expected = [int(engineers) * 5 * each / 1000 for each in of_thousand_jobs]
        assert gigabytes(of_day) == pytest.approx(expected)
        assert gigabytes(disk) == pytest.approx([20 + each * days * 2 for each in expected])


@pytest.mark.parametrize(
    ("title", "heading", "names"),
    [
        ("Alarms", "alarm", {str(kind) for kind in AlarmKind}),
        ("Rejected callers", "cause", {str(cause) for cause in RejectionCause}),
    ],
)
def test_everything_has_what_it_means_and_what_to_do(title: str, heading: str, names: set[str]) -> None:
    found = table(title, heading)

    assert set(found) == names
    assert [name for name, cells in found.items() if len(cells) != 2 or not all(cells)] == []


def test_every_alarm_has_its_rule_in_the_architecture() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    rows = text.partition("\n| alarm |")[2].partition("\n\n")[0].splitlines()[2:]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row.split(" | ")[0])]

    assert sorted(named) == sorted(AlarmKind)


def test_every_part_of_readiness_is_named() -> None:
    says = table("Health and metrics", "address")["/readyz"][0]

    assert [part for part in PARTS if f"`{part}`" not in says] == []


@pytest.mark.django_db
def test_every_metric_is_described_with_its_labels(
    our_certificates: None, settings: Settings, tmp_path: Path
) -> None:
    settings.BACKUP_FOLDER = str(tmp_path)
    something_of_everything()

    offered = {
        family.name + ("_total" if family.type == "counter" else ""): {
            label for sample in family.samples for label in sample.labels if label != "le"
        }
        for collector in COLLECTORS
        for family in collector.collect()
    }

    described = table("Health and metrics", "metric")
    if connection.vendor != "postgresql":
        described = {name: cells for name, cells in described.items() if name not in OF_POSTGRESQL}
    assert {name: set(re.findall(r"`(\w+)`", cells[0])) for name, cells in described.items()} == offered
    assert [name for name, cells in described.items() if len(cells) != 2 or not all(cells)] == []


def something_of_everything() -> None:
    """So that no figure is without a label."""
    make.job(at_state=JobState.ASSIGNED)
    Client().get("/login/")
    update_schedules()
    now = timezone.now()
    DeliveryAttempt.objects.create(
        message=OutboundMessage.objects.get(), endpoint="https://a", started_at=now, milliseconds=1
    )
    InboundMessage.objects.create(
        operation="createJob",
        body="{}",
        received_at=now,
        outcome=InboundOutcome.ACCEPTED,
        response_status=200,
        repeats=1,
        repeated_at=now,
    )
    RejectedCaller.objects.create(cause=RejectionCause.SUBJECT, day=now.date(), count=1, last_at=now)
    Heartbeat.objects.create(process="relay host 1", beat_at=now)
    subscription()
