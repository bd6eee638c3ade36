"""The status page: every part with its state, for the office only, in both languages."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation
from pytest_django import Settings

from dispatch.states import JobState
from engineers.models import LastSync
from monitoring import heartbeats
from monitoring.alarms import raise_alarm
from monitoring.coded_texts import coded_text
from monitoring.heartbeats import record_beat
from monitoring.models import AlarmKind
from operations.backup_folders import MANIFEST, NAME_FORMAT
from operations.status_page import StatusLine, status_sections
from phone import pwa
from seller_link.models import EndpointHealth, OutboundMessage, OutboundState
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db
PATH = "/board/status/"


def lines(key: str) -> list[StatusLine]:
    return next(section.lines for section in status_sections(timezone.now()) if section.key == key)


def test_page_is_linked_from_the_board_and_for_the_office_only() -> None:
    engineer = Client()
    engineer.force_login(make.engineer().user)

    assert f'href="{PATH}"' in signed_in().get("/board/").content.decode()
    assert signed_in().get(PATH).status_code == 200
    assert engineer.get(PATH).status_code == 403
    assert Client().get(PATH).status_code == 302


def test_endpoint_that_is_not_tried_is_an_alarm() -> None:
    url = configured.SELLER_ENDPOINTS[0]
    until = timezone.now() + timedelta(seconds=20)
    EndpointHealth.objects.create(endpoint=url, open_until=until, last_error="connection refused")

    first, second, *_queue = lines("seller")
    assert (first.name, first.state, first.tone) == (
        f"Calls to {url}",
        "Failing, retried automatically",
        "alarm",
    )
    assert first.details == "connection refused"
    assert second.state == "Not used yet"


def test_endpoint_in_use_is_working_and_one_that_failed_is_being_tried() -> None:
    first, second = configured.SELLER_ENDPOINTS
    EndpointHealth.objects.create(endpoint=first)
    EndpointHealth.objects.create(endpoint=second, open_until=timezone.now() - timedelta(seconds=1))

    assert [(line.state, line.tone) for line in lines("seller")[:2]] == [
        ("Working", "good"),
        ("Failed before, being tried again", "warning"),
    ]


def test_messages_that_wait_are_no_alarm_and_those_that_are_held_are() -> None:
    def queue() -> list[tuple[str, str]]:
        return [(line.state, line.tone) for line in lines("seller")[-2:]]

    assert queue() == [("0 messages waiting", "good"), ("0 messages held", "good")]
    make.job(at_state=JobState.ASSIGNED)
    message = OutboundMessage.objects.get()
    assert queue() == [("1 message waiting", "good"), ("0 messages held", "good")]
    message.state, message.held_reason = OutboundState.HELD, "400 badPhone"
    message.save()
    assert queue() == [("0 messages waiting", "good"), ("1 message held", "alarm")]
    waiting, held = lines("seller")[-2:]
    assert (waiting.details, held.url) == ("", "/board/messages/stuck/")


def test_phone_that_was_never_seen_is_named_with_a_link() -> None:
    engineer = make.engineer(name="Anna Fibre")

    (line,) = lines("phones")
    assert (line.name, line.state) == ("Anna Fibre", "Never seen")
    assert line.url == f"/board/people/{engineer.pk}/"


def synced(hours_ago: float, *, version: str = "", release: str = "", name: str = "Anna Fibre") -> None:
    at = timezone.now() - timedelta(hours=hours_ago)
    LastSync.objects.create(engineer=make.engineer(name=name), version=version, release=release, synced_at=at)


def test_phones_are_counted_by_version() -> None:
    synced(1, version=pwa.version(), release="0.9.0")
    synced(1, version=pwa.version(), release="0.9.0")
    synced(1, version="0123456789abcdef", release="0.8.0")
    synced(1)

    assert [(line.name, line.state, line.tone) for line in lines("phones")] == [
        ("Version 0.9.0", "2 phones", "good"),
        ("Version 0.8.0", "1 phone", "warning"),
        ("Unknown version", "1 phone", "warning"),
    ]


def test_phone_that_has_not_synced_for_long_is_named_with_its_version() -> None:
    synced(25, version="0123456789abcdef", release="0.8.0")
    synced(23, version=pwa.version(), release="0.9.0", name="Bert Copper")

    silent = [line for line in lines("phones") if line.url]
    assert [line.name for line in silent] == ["Anna Fibre"]
    assert silent[0].state.startswith("Last sync: ")
    assert silent[0].details.endswith("Version 0.8.0")


def test_stuck_process_is_an_alarm() -> None:
    record_beat("relay a 1", {})
    record_beat("relay b 2", {})
    record_beat("seller server c 3", {})
    text = coded_text("process_stuck", process="relay b 2", since_at=timezone.now())
    raise_alarm(AlarmKind.PROCESS_STUCK, "relay b 2", text)

    assert [(line.name, line.tone, line.details.rpartition(" · ")[2]) for line in lines("processes")] == [
        ("Relay to the seller", "good", "relay a 1"),
        ("Relay to the seller", "alarm", "relay b 2"),
        ("Server for the seller", "good", "seller server c 3"),
        ("Worker", "alarm", "Tell the system operator."),
    ]


def test_process_that_does_not_run_is_an_alarm() -> None:
    assert [(line.name, line.state, line.tone) for line in lines("processes")] == [
        ("Relay to the seller", "None is running", "alarm"),
        ("Server for the seller", "None is running", "alarm"),
        ("Worker", "None is running", "alarm"),
    ]


def test_every_process_has_a_name_for_people() -> None:
    for kind in (*heartbeats.REPLACEABLE, heartbeats.WORKER):
        record_beat(heartbeats.process_name(kind) if kind != heartbeats.WORKER else kind, {})

    assert {line.name for line in lines("processes")} == {
        "Live updates of the board",
        "Relay to the seller",
        "Server for the seller",
        "Web server",
        "Webhooks",
        "Worker",
    }


def test_certificate_that_cannot_be_read_is_an_alarm(settings: Settings, tmp_path: Path) -> None:
    settings.SELLER_CLIENT_CERT = str(tmp_path / "gone.pem")

    assert (lines("certificates")[0].state, lines("certificates")[0].tone) == ("Can't be read", "alarm")


@pytest.mark.parametrize(("hours", "tone"), [(1, "good"), (40, "alarm")])
def test_newest_backup_has_its_age(settings: Settings, tmp_path: Path, hours: int, tone: str) -> None:
    settings.BACKUP_FOLDER, settings.BACKUP_WARNING_HOURS = str(tmp_path), 30
    folder = tmp_path / (timezone.now() - timedelta(hours=hours)).strftime(NAME_FORMAT)
    folder.mkdir()
    (folder / MANIFEST).write_text("{}")

    assert [line.tone for line in lines("backups")] == [tone]


def test_backups_that_are_away_are_an_alarm(settings: Settings, tmp_path: Path) -> None:
    settings.BACKUP_FOLDER = str(tmp_path / ("x" * 300))

    line = next(line for line in lines("disk") if line.name == "Backups")
    with translation.override("de"):
        in_german = next(line.details for line in lines("disk") if line.name == "Sicherungen")

    assert (line.state, line.tone) == ("Can't be read", "alarm")
    assert in_german.startswith(f"{settings.BACKUP_FOLDER} antwortet nicht. ")
    assert [line.tone for line in lines("backups")] == ["alarm"]


def test_empty_parts_say_what_to_do(settings: Settings) -> None:
    settings.BACKUP_FOLDER = ""
    html = signed_in().get(PATH).content.decode()

    assert "Backups are not monitored here." in html


def test_page_is_complete_in_german() -> None:
    client = signed_in()
    client.cookies[configured.LANGUAGE_COOKIE_NAME] = "de"
    html = client.get(PATH).content.decode()

    assert "Systemstatus" in html and "Speicherplatz" in html
    with translation.override("de"):
        assert lines("seller")[0].state == "Noch nicht benutzt"


def test_more_engineers_and_processes_need_no_more_queries() -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            status_sections(timezone.now())
        return len(captured)

    make.engineer()
    record_beat("relay a 1", {})
    before = queries()
    for number in range(5):
        make.engineer()
        record_beat(f"relay b {number}", {})

    assert queries() == before
