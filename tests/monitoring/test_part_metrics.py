"""Worker, database, photos, planner and phones in figures."""

import json
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone
from django_q.models import OrmQ, Schedule
from django_q.signing import SignedPackage
from prometheus_client.registry import Collector
from pytest_django import Settings
from redis import Redis

from background.task_metrics import TaskCollector
from background.tasks import update_schedules
from closures.models import Photo
from closures.photos.evidence_metrics import EvidenceCollector
from dispatch.models import PlanProposal, ProposalState
from dispatch.planning.plan_metrics import PlanCollector
from dispatch.planning.tasks import watch_plans
from engineers.models import LastSync
from monitoring.database_metrics import DatabaseCollector
from monitoring.health_checks import DiskCollector
from monitoring.metrics import render_metrics
from monitoring.task_queue import enqueue_by_name
from phone import pwa
from phone.sync_times import PhoneCollector
from tests import make
from tests.background.worker_process import eventually
from tests.monitoring.test_web_metrics import samples
from tests.phone.phone import Phone
from tests.servers.ports import free_port

pytestmark = pytest.mark.django_db
TASK = "background.tasks.beat"


def figures(collector: Collector) -> dict[str, float]:
    return samples(render_metrics(collector).decode())


def test_queue_of_the_database_is_measured() -> None:
    assert figures(TaskCollector())["task_queue_tasks"] == 0
    for _ in range(3):
        enqueue_by_name(TASK)
    first = OrmQ.objects.earliest("pk")
    OrmQ.objects.filter(pk=first.pk).update(lock=timezone.now() - timedelta(minutes=10))
    # a worker has it
    OrmQ.objects.filter(pk=OrmQ.objects.latest("pk").pk).update(lock=timezone.now() + timedelta(minutes=1))

    found = figures(TaskCollector())

    assert found["task_queue_tasks"] == 2
    assert 600 <= found["task_queue_oldest_seconds"] < 660


def test_queue_in_redis_is_measured(settings: Settings, tmp_path: Path) -> None:
    port = free_port()
    command = [
        "redis-server",
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--dir",
        str(tmp_path),
    ]
    settings.Q_BROKER, settings.REDIS_URL = "redis", f"redis://127.0.0.1:{port}/0"
    assert "task_queue_tasks" not in figures(TaskCollector())
    try:
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    except FileNotFoundError:
        pytest.skip("redis-server is not installed")
    try:
        assert eventually(lambda: "task_queue_tasks" in figures(TaskCollector()))
        queued = {"id": "1", "func": TASK, "started": timezone.now() - timedelta(minutes=5)}
        Redis(port=port).rpush("django_q:dispatch:q", SignedPackage.dumps(queued), b"not ours")
        found = figures(TaskCollector())
    finally:
        server.terminate()
        server.wait()

    assert found["task_queue_tasks"] == 2
    assert 300 <= found["task_queue_oldest_seconds"] < 360


def test_schedule_that_is_late_is_measured() -> None:
    update_schedules()
    Schedule.objects.update(next_run=timezone.now() + timedelta(minutes=1))
    Schedule.objects.filter(name="sweep").update(next_run=timezone.now() - timedelta(minutes=30))
    # planned by a clock that was an hour ahead
    Schedule.objects.filter(name="update_forecast").update(next_run=timezone.now() + timedelta(minutes=61))

    found = figures(TaskCollector())

    assert 1800 <= found["task_schedule_late_seconds sweep"] < 1860
    assert 3540 < found["task_schedule_late_seconds update_forecast"] <= 3600
    assert found["task_schedule_late_seconds clean_up"] == 0


def test_database_and_disk_are_measured() -> None:
    found = figures(DatabaseCollector()) | figures(DiskCollector())

    assert found["database_answer_seconds"] >= 0
    assert found["database_size_bytes"] > 100_000
    assert found["disk_size_bytes evidence"] > found["disk_free_bytes evidence"] > 0
    if connection.vendor == "postgresql":
        assert found["database_sessions active"] >= 1
        assert found["database_max_sessions"] >= 10
        assert found["database_oldest_transaction_seconds"] >= 0


def test_photos_are_measured() -> None:
    job = make.job()
    stored, waiting = make.photo(job, question_code="PHO01"), make.photo(job, question_code="PHO01")
    Photo.objects.filter(pk=stored.pk).update(size_bytes=1000, stored_at=timezone.now())
    Photo.objects.filter(pk=waiting.pk).update(
        stored_at=None, recorded_at=timezone.now() - timedelta(hours=2)
    )

    found = figures(EvidenceCollector())

    assert (found["evidence_photos stored"], found["evidence_photos waiting"]) == (1, 1)
    assert found["evidence_stored_bytes"] == 1000
    assert 7200 <= found["evidence_oldest_waiting_seconds"] < 7260


def test_plans_are_measured() -> None:
    assert figures(PlanCollector())["plan_seconds 0.5"] == 0
    by, now = make.dispatcher(), timezone.now()
    for seconds in (4, 8, 60):
        requested = now - timedelta(hours=1)
        propose(by, requested, state=ProposalState.READY, made_at=requested + timedelta(seconds=seconds))
    propose(by, now - timedelta(hours=30), state=ProposalState.READY, made_at=now)
    propose(by, now - timedelta(minutes=5), state=ProposalState.REQUESTED)

    found = figures(PlanCollector())

    assert [found[f"plan_seconds {quantile}"] for quantile in ("0.5", "0.95", "1.0")] == [8, 60, 60]
    assert (found["plan_proposals ready"], found["plan_proposals requested"]) == (3, 1)
    assert 300 <= found["plan_oldest_unmade_seconds"] < 360


def test_plan_whose_process_died_waits_no_longer() -> None:
    by, now = make.dispatcher(), timezone.now()
    hour_ago = now - timedelta(hours=1)
    propose(by, hour_ago, state=ProposalState.PLANNING, started_at=hour_ago)
    propose(by, now, state=ProposalState.PLANNING, started_at=now)
    propose(by, now - timedelta(minutes=5), state=ProposalState.REQUESTED)

    watch_plans()

    found = figures(PlanCollector())
    states = [found[f"plan_proposals {state}"] for state in ("failed", "planning", "requested")]
    assert states == [1, 1, 1]
    # a request that no worker takes is still an alarm
    assert 300 <= found["plan_oldest_unmade_seconds"] < 360


def propose(by: object, requested: object, **fields: object) -> None:
    ends = timezone.now() + timedelta(hours=8)
    PlanProposal.objects.create(
        requested_by=by, requested_at=requested, starts_at=timezone.now(), ends_at=ends, seconds=10, **fields
    )


def test_phones_are_measured_by_version_and_last_sync(settings: Settings) -> None:
    engineers = [make.engineer() for _ in range(3)]
    ours, old = Phone(engineers[0]), Phone(engineers[1])
    ours.client.get("/phone/day.json", headers={"X-Phone-Version": pwa.version()})
    old.client.get("/phone/day.json", headers={"X-Phone-Version": "0123456789abcdef"})
    LastSync.objects.filter(engineer=engineers[1]).update(synced_at=timezone.now() - timedelta(hours=9))

    found = figures(PhoneCollector())

    assert {name: number for name, number in found.items() if name.startswith("phones ")} == {
        f"phones true {settings.VERSION}": 1,
        "phones false 01234567": 1,
        "phones false unknown": 1,
    }
    late = [found[f"phones_not_synced {limit}"] for limit in ("1h", "8h", "24h", "7d")]
    assert late == [2, 2, 1, 1]


def test_sync_of_the_queue_is_recorded_with_its_version() -> None:
    phone = Phone(make.engineer())
    headers = {"Accept": "application/json", "X-Phone-Version": pwa.version()}

    phone.client.post("/phone/sync", json.dumps({"messages": []}), "application/json", headers=headers)

    sync = LastSync.objects.get()
    assert (sync.engineer, sync.version) == (phone.engineer, pwa.version())


@pytest.mark.parametrize("header", ["", "<script>", "0" * 500, "ABCDEF0123456789", "\u00e9"])
def test_header_that_is_no_version_is_not_stored(header: str) -> None:
    phone = Phone(make.engineer())

    phone.client.get("/phone/day.json", headers={"X-Phone-Version": header})

    assert LastSync.objects.get().version == ""


def test_day_that_a_page_fetches_ahead_of_its_script_is_for_our_version() -> None:
    phone = Phone(make.engineer())

    phone.client.get("/phone/day.json")

    assert LastSync.objects.get().version == pwa.version()


def test_release_stays_with_its_version_after_an_upgrade(settings: Settings) -> None:
    phone, release = Phone(make.engineer()), settings.VERSION
    phone.client.get("/phone/day.json", headers={"X-Phone-Version": pwa.version()})
    LastSync.objects.update(version="0123456789abcdef")

    phone.client.get("/phone/day.json", headers={"X-Phone-Version": "0123456789abcdef"})
    assert LastSync.objects.get().release == release
    phone.client.get("/phone/day.json", headers={"X-Phone-Version": "fedcba9876543210"})
    assert LastSync.objects.get().release == ""
