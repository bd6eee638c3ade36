"""Exports of a period: columns, formats, guards, areas, and how much is held at once."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dispatch import visits
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Area, Engineer
from partner_api.exports import EXPORTS, ExportKind
from tests import make
from tests.partner_api.caller import Caller
from tests.servers import small_disk

pytestmark = pytest.mark.django_db
DAYS = "first=2026-11-23&last=2026-11-23"


def rows(kind: str, *, caller: Caller | None = None, days: str = DAYS) -> list[dict[str, Any]]:
    answer = (caller or Caller()).get(f"/api/v1/exports/{kind}.jsonl?{days}")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/jsonl"
    return [json.loads(line) for line in answer.getvalue().splitlines()]


def worked(engineer: Engineer) -> Job:
    """En route 08:00, on site 08:20, closed 09:20."""
    with time_machine.travel(make.at("07:00"), tick=False):
        job = make.job()
        visits.assign(job=job, engineer=engineer, starts_at=make.at("08:30"), by=make.office())
    with time_machine.travel(make.at("08:00"), tick=False):
        make.start_travel(job)
    with time_machine.travel(make.at("08:20"), tick=False):
        make.arrive(job)
        job.refresh_from_db()
        make.scan(job)
        make.result(job, 1)
        make.answer_all(job)
    with time_machine.travel(make.at("09:20"), tick=False):
        make.close(job)
    return job


def test_jobs_of_a_day() -> None:
    erin = make.engineer()
    job = worked(erin)
    make.job(day=make.DAY.replace(day=24))

    (row,) = rows("jobs")

    assert tuple(row) == EXPORTS[ExportKind.JOBS][0]
    assert (row["number"], row["state"], row["engineer"]) == (str(job), "closed", erin.staff_number)
    assert (row["window_start"], row["arrived_at"]) == ("2026-11-23T08:00:00Z", "2026-11-23T08:20:00Z")


def test_closures_and_evidence_of_a_day() -> None:
    job = worked(make.engineer())

    (closure,) = rows("closures")
    evidence = rows("evidence")

    assert (closure["number"], closure["code"], closure["closed_at"]) == (
        str(job),
        "SP",
        "2026-11-23T09:20:00Z",
    )
    assert evidence
    assert {row["number"] for row in evidence} == {str(job)}
    assert all(len(row["sha256"]) == 64 for row in evidence)


def test_working_times_of_a_day() -> None:
    erin = make.engineer()
    worked(erin)
    make.engineer(name="Ali Khan")

    first, second = rows("working_times")

    assert first == {
        "engineer": erin.staff_number,
        "name": "Erin Engineer",
        "day": "2026-11-23",
        "rostered_minutes": 600,
        "first_start": "2026-11-23T08:00:00Z",
        "last_end": "2026-11-23T09:20:00Z",
        "visits": 1,
        "travel_minutes": 20,
        "on_site_minutes": 60,
    }
    assert (second["name"], second["visits"], second["first_start"]) == ("Ali Khan", 0, None)


def test_csv_guards_formulas_and_has_its_columns_without_rows() -> None:
    empty = Caller().get(f"/api/v1/exports/jobs.csv?{DAYS}").getvalue().decode("utf-8-sig")
    job = make.job()
    Job.objects.filter(pk=job.pk).update(product_name="=HYPERLINK(1)", flags=["MDU", "A"])
    answer = Caller().get(f"/api/v1/exports/jobs.csv?{DAYS}")
    (row,) = csv.DictReader(io.StringIO(answer.getvalue().decode("utf-8-sig")), delimiter=";")

    assert empty.strip().split(";") == list(EXPORTS[ExportKind.JOBS][0])
    assert row["product"] == "'=HYPERLINK(1)"
    assert (row["flags"], row["engineer"]) == ("MDU, A", "")
    assert answer.streaming
    assert "jobs_2026-11-23_2026-11-23.csv" in answer.headers["Content-Disposition"]


def test_no_customer_is_in_an_export() -> None:
    worked(make.engineer())
    texts = "".join(str(rows(kind)) for kind in ExportKind.values)

    for personal in ("Pat Tester", "07700", "Chapel", "100012345678", "53.8"):
        assert personal not in texts


def test_token_with_areas_exports_what_lies_in_them() -> None:
    leeds, york = (
        Area.objects.create(name=name, postcodes=code) for name, code in (("Leeds", "LS"), ("York", "YO"))
    )
    erin = make.engineer()
    worked(erin)
    Engineer.objects.filter(pk=erin.pk).update(area=leeds)

    for kind in ExportKind.values:
        assert rows(kind, caller=Caller(areas=[leeds])) != []
        assert rows(kind, caller=Caller(areas=[york])) == []


@pytest.mark.parametrize("kind", ["jobs", "working_times"])
def test_queries_do_not_grow_with_the_rows(kind: str) -> None:
    caller, counts = Caller(), []
    for _ in range(2):
        for _ in range(3):
            make.job(at_state=JobState.ASSIGNED)
        rows(kind, caller=caller)
        with CaptureQueriesContext(connection) as queries:
            rows(kind, caller=caller)
        counts.append(len(queries))

    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"jobs.xlsx?{DAYS}", 404),
        (f"salaries.csv?{DAYS}", 404),
        ("jobs.csv", 400),
        ("jobs.csv?first=2026-11-23&last=2026-11-22", 400),
        ("jobs.csv?first=2025-11-23&last=2026-11-24", 400),
        ("jobs.csv?first=0001-01-01&last=0001-01-01", 400),
        ("working_times.csv?first=9999-12-31&last=9999-12-31", 400),
    ],
)
def test_export_that_is_none_is_refused(path: str, status: int) -> None:
    assert Caller().get(f"/api/v1/exports/{path}").status_code == status


def test_command_writes_a_whole_file_or_none(tmp_path: Path) -> None:
    worked(make.engineer())
    file = tmp_path / "closures.csv"
    days = ("--first", "2026-11-23", "--last", "2026-11-23")

    call_command("export_data", "closures", str(file), *days)

    assert "SP" in file.read_text("utf-8-sig")
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [file]
    with pytest.raises(CommandError, match="No such file"):
        call_command("export_data", "jobs", str(tmp_path / "none" / "jobs.csv"), *days)
    with pytest.raises(CommandError, match="not before"):
        call_command("export_data", "jobs", str(file), "--first", "2026-11-23", "--last", "2026-11-22")
    with pytest.raises(CommandError, match="from 2000 to 2199"):
        call_command("export_data", "jobs", str(file), "--first", "9999-12-31", "--last", "9999-12-31")
    with pytest.raises(CommandError, match="file: name the file"):
        call_command("export_data", "jobs", "", *days)


def test_command_writes_to_a_device_or_a_link_and_replaces_neither(tmp_path: Path) -> None:
    worked(make.engineer())
    days = ("--first", "2026-11-23", "--last", "2026-11-23")
    link, file = tmp_path / "link.csv", tmp_path / "closures.csv"
    link.symlink_to(file)
    device = tmp_path / "full"
    device.symlink_to("/dev/full")

    call_command("export_data", "closures", str(link), *days)
    for full in (device, Path("/dev/full")):
        with pytest.raises(CommandError, match="No space left on device"):
            call_command("export_data", "closures", str(full), *days)

    assert (link.is_symlink(), "SP" in file.read_text("utf-8-sig")) == (True, True)
    assert Path("/dev/full").is_char_device()


@pytest.mark.skipif(bool(small_disk.missing()), reason=small_disk.missing() or "-")
def test_full_disk_leaves_no_unfinished_file(tmp_path: Path) -> None:
    worked(make.engineer())
    days = ("--first", "2026-11-23", "--last", "2026-11-23")
    with small_disk.mounted(tmp_path / "disk", megabytes=1) as disk:
        balloon = small_disk.fill(disk)

        with pytest.raises(CommandError, match="No space left on device"):
            call_command("export_data", "closures", str(disk / "closures.csv"), *days)

        assert list(disk.iterdir()) == [balloon]
