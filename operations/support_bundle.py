"""One zip for somebody who helps from outside: what runs here and how it is, without personal data and secrets.

Everything in it is on a list of what is harmless (bundle_settings, bundle_logs): names of tables, states, kinds,
numbers and times. A part that cannot be read, for example since the database is away, says which error it met.
"""

import json
import platform
import re
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from datetime import datetime
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core import checks
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Count, Field, Model
from django.utils import timezone
from django_q.models import Schedule, Task
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from monitoring.alarms import open_alarms
from monitoring.health_checks import part_problems
from monitoring.metrics import COLLECTORS, render_metrics
from monitoring.models import Heartbeat
from monitoring.whole_files import whole_file
from operations import bundle_logs, bundle_settings
from operations.pending_migrations import list_pending_migrations, list_unknown_migrations

HEALTH_WITHIN_SECONDS = 5.0
PATH = re.compile(r"/\S+")
OTHER = "other"


def write_bundle(target: Path, *, logs: list[Path], lines: int) -> list[str]:
    """The names of the files in it. Readable by its owner only; refuses a file that is there (FileExistsError)."""
    with whole_file(target) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, part in PARTS.items():
            bundle.writestr(f"{name}.json", _as_text(part))
        bundle.writestr("metrics.txt", _guarded(open_metrics))
        bundle.writestr("log.jsonl", _guarded(lambda: _open_log(logs, lines)))
        return bundle.namelist()


def _as_text(part: Callable[[], Any]) -> str:
    return _guarded(lambda: json.dumps(part(), indent=1, default=_plain))


def _open_log(files: list[Path], lines: int) -> str:
    return "".join(f"{json.dumps(line)}\n" for line in bundle_logs.last_lines(files, most=lines))


def _guarded(part: Callable[[], str]) -> str:
    """Whatever is broken here is what the bundle is made for; a database's own words carry rows."""
    try:
        return part()
    except Exception as problem:
        return json.dumps({"not_read": type(problem).__name__})


def _plain(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else OTHER


def versions() -> dict[str, Any]:
    return {
        "made_at": timezone.now(),
        "version": settings.VERSION,
        "python": platform.python_version(),
        "system": platform.system(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "database": {"vendor": connection.vendor, "version": _database_version()},
        "packages": {found.metadata["Name"]: found.version for found in distributions()},
    }


def _database_version() -> str:
    if connection.vendor != "postgresql":
        return sqlite3.sqlite_version
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return str(cursor.fetchone()[0])


def migrations() -> dict[str, Any]:
    return {
        "applied": sorted(
            f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations()
        ),
        "pending": [pending.name for pending in list_pending_migrations()],
        "unknown": list_unknown_migrations(),
    }


def health() -> dict[str, Any]:
    """Reasons without paths, which may name a person's folder."""
    problems = part_problems(within_seconds=HEALTH_WITHIN_SECONDS)
    return {name: PATH.sub("(path)", problem) or "ok" for name, problem in problems.items()}


def processes() -> list[dict[str, Any]]:
    rows = Heartbeat.objects.order_by("process")
    return [
        {"process": bundle_settings.open_labels({"process": row.process})["process"], "beat_at": row.beat_at}
        for row in rows
    ]


def alarms() -> list[dict[str, Any]]:
    """Kinds and times; subjects and texts name jobs and people."""
    return [
        {
            "kind": alarm.kind,
            "raised_at": alarm.raised_at,
            "is_acknowledged": alarm.acknowledged_at is not None,
        }
        for alarm in open_alarms()
    ]


def counts() -> dict[str, Any]:
    """Rows of each table of ours, and by the value of each column that has a list of values."""
    ours = [model for app in apps.get_app_configs() if _is_ours(app.path) for model in app.get_models()]
    return {model._meta.db_table: _count(model) for model in ours}


def _is_ours(path: str) -> bool:
    return Path(path).parent == Path(settings.BASE_DIR)


def _count(model: type[Model]) -> dict[str, Any]:
    rows = model._default_manager.order_by()
    fields = [field for field in model._meta.concrete_fields if field.choices]
    return {"rows": rows.count(), **{field.name: _by_value(model, field) for field in fields}}


def _by_value(model: type[Model], field: "Field[Any, Any]") -> dict[str, int]:
    known = {str(value) for value, _label in field.flatchoices}
    found: dict[str, int] = {}
    rows = model._default_manager.order_by().values_list(field.name).annotate(number=Count("pk"))
    for value, number in rows:
        # what stands on the list of values, and nothing else that a row may hold
        key = str(value) if str(value) in known else OTHER
        found[key] = found.get(key, 0) + number
    return found


def tasks() -> dict[str, Any]:
    """By the names of functions, which the worker has checked; never arguments and results."""
    failed = Task.objects.filter(success=False).order_by().values_list("func").annotate(number=Count("pk"))
    return {
        "failed": {func if _is_function_name(func) else OTHER: number for func, number in failed},
        "schedules": {
            name if name and _is_function_name(name) else OTHER: next_run
            for name, next_run in Schedule.objects.values_list("name", "next_run")
        },
    }


def _is_function_name(func: str) -> bool:
    return re.fullmatch(r"[a-z_.]{1,100}", func) is not None


def findings() -> list[dict[str, Any]]:
    """Of `check --deploy` by number: their texts may repeat a setting."""
    found = checks.run_checks(include_deployment_checks=True)
    return [{"id": message.id, "level": message.level} for message in found if not message.is_silenced()]


class OpenCollector(Collector):
    """Each registered metric with only harmless labels."""

    def collect(self) -> Iterator[Metric]:
        for collector in COLLECTORS:
            for metric in collector.collect():
                metric.samples = [
                    sample._replace(labels=bundle_settings.open_labels(sample.labels))
                    for sample in metric.samples
                ]
                yield metric


def open_metrics() -> str:
    return render_metrics(OpenCollector()).decode()


PARTS: dict[str, Callable[[], Any]] = {
    "versions": versions,
    "settings": bundle_settings.open_variables,
    "migrations": migrations,
    "health": health,
    "processes": processes,
    "alarms": alarms,
    "counts": counts,
    "tasks": tasks,
    "checks": findings,
}
