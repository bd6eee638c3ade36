"""Exports of a period: columns, formats, guards, areas, and how much is held at once."""

import csv
import io
import json
from dataclasses import replace
from datetime import time, timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.core.management.base import CommandError
from django.core.signals import request_finished
from django.db import close_old_connections, connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from background import erasure
from closures.models import Closure
from dispatch import handover_requests, jobs, visits
from dispatch.job_events import Performer
from dispatch.models import Job
from dispatch.states import Actor, JobState
from engineers.engineer_records import read_record, update_engineer
from engineers.models import Area, Engineer, RotaWeek, Shift
from engineers.working_hours import PlannedShift
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


def rostered(days: str) -> list[int]:
    return [row["rostered_minutes"] for row in rows("working_times", days=days)]


def test_working_times_of_past_days_stay_when_the_pattern_changes_and_after_an_erasure() -> None:
    erin, days = make.engineer(), "first=2026-11-22&last=2026-11-25"
    hours = [(time(8), time(12)), (time(9), time(12)), (time(8), time(12))]
    for day, (starts, ends) in zip((23, 24, 24), hours, strict=True):
        pattern = tuple(PlannedShift(RotaWeek.EVERY, weekday, starts, ends) for weekday in range(7))
        with time_machine.travel(make.at("10:00", day=make.DAY.replace(day=day)), tick=False):
            stored = read_record(erin)
            change = {"record": replace(stored, shifts=pattern), "version": stored.version}
            update_engineer(engineer=erin, by=make.dispatcher(), **change)
            assert read_record(erin).shifts == pattern
            expected = [600, *[240] * (day - 23), *[(ends.hour - starts.hour) * 60] * (26 - day)]
            assert rostered(days) == expected
    with time_machine.travel(make.at("10:00", day=make.DAY.replace(day=25)), tick=False):
        erasure.erase_engineer(erin.staff_number)
    assert (read_record(erin).shifts, rostered(days)) == ((), [600, 240, 240])


def working_times(days: str = DAYS) -> dict[str, tuple[Any, ...]]:
    """By day: first start, last end, visits, minutes of travel and on site."""
    columns = ("first_start", "last_end", "visits", "travel_minutes", "on_site_minutes")
    return {row["day"]: tuple(row[column] for column in columns) for row in rows("working_times", days=days)}


def test_working_times_end_when_the_phone_closed_and_not_at_its_receipt() -> None:
    job = worked(make.engineer())
    # the phone had no signal until the evening
    job.visits.update(ended_at=make.at("19:00"))

    assert working_times() == {"2026-11-23": ("2026-11-23T08:00:00Z", "2026-11-23T09:20:00Z", 1, 20, 60)}


@pytest.mark.parametrize(
    ("arrived", "minutes"), [("08:20", (20, 40)), (None, (60, 0))], ids=["on site", "on the way"]
)
def test_working_times_count_a_visit_that_was_unassigned(
    arrived: str | None, minutes: tuple[int, int]
) -> None:
    job = worked(make.engineer())
    Closure.objects.filter(job=job).delete()
    job.visits.update(ended_at=None, unassigned_at=make.at("09:00"), arrived_at=arrived and make.at(arrived))

    expected = ("2026-11-23T08:00:00Z", "2026-11-23T09:00:00Z", 1, *minutes)
    assert working_times() == {"2026-11-23": expected}
    job.visits.update(travel_started_at=None, arrived_at=None)
    assert working_times() == {"2026-11-23": (None, None, 0, 0, 0)}


NEXT_MORNING = make.at("07:30", day=make.DAY.replace(day=24))


def on_site(engineer: Engineer) -> Job:
    """En route 08:00, on site 08:20."""
    with time_machine.travel(make.at("08:00"), tick=False):
        job = make.job(at_state=JobState.EN_ROUTE, to=engineer)
    make.arrive(job, occurred_at=make.at("08:20"))
    return job


@pytest.mark.parametrize("asked", [("10:00", "16:00"), ()], ids=["asked", "not asked"])
def test_working_times_of_a_job_that_goes_to_a_colleague_the_next_morning(asked: tuple[str, ...]) -> None:
    erin = make.engineer()
    colleague = make.engineer()
    job, by = on_site(erin), Performer(Actor.ENGINEER, erin.user)
    for clock in asked:
        more = {"occurred_at": make.at(clock), "reason": "No ladder"}
        make.act(handover_requests.request_handover, job=job, engineer=erin, by=by, **more)
    with time_machine.travel(NEXT_MORNING, tick=False):
        visits.assign(
            job=job,
            engineer=colleague,
            starts_at=NEXT_MORNING + timedelta(hours=1),
            by=make.office(),
            override_reason="Agreed",
        )
    colleague.shifts.all().delete()

    end, minutes = ("16:00", 460) if asked else ("18:00", 580)
    expected = ("2026-11-23T08:00:00Z", f"2026-11-23T{end}:00Z", 1, 20, minutes)
    assert working_times()["2026-11-23"] == expected


@pytest.mark.parametrize(
    ("hours", "began", "end"),
    [
        (("08:00", "18:00"), "07:40", "2026-11-23T18:00:00Z"),
        (("08:00", "18:00"), "19:00", "2026-11-24T00:00:00Z"),
        (("22:00", "06:00"), "23:00", "2026-11-24T06:00:00Z"),
        (("22:00", "06:00"), "03:00", "2026-11-23T06:00:00Z"),
    ],
)
def test_working_times_of_a_visit_forgotten_on_the_way_end_with_the_shift(
    hours: tuple[str, str], began: str, end: str
) -> None:
    job = make.job(at_state=JobState.EN_ROUTE)
    Shift.objects.update(starts=hours[0], ends=hours[1])
    closed_at = make.at("12:00", day=make.DAY.replace(day=25))
    job.visits.update(travel_started_at=make.at(began), ended_at=closed_at)

    assert working_times()["2026-11-23"][1] == end


def test_working_times_count_no_night_before_a_closure_that_was_sent_back_comes_again() -> None:
    erin = make.engineer()
    job, by = on_site(erin), Performer(Actor.ENGINEER, erin.user)
    make.act(jobs.submit_job, job=job, by=by, occurred_at=make.at("09:20"), facts={})
    for ended_at, minutes in ((make.at("10:00"), 100), (NEXT_MORNING, 60)):
        make.act(jobs.send_back_job, job=job, by=make.office(), facts={})
        make.act(jobs.submit_job, job=job, by=by, occurred_at=ended_at, facts={})
        job.visits.update(ended_at=ended_at)
        assert working_times()["2026-11-23"][3:] == (20, minutes)


def test_working_times_count_what_the_engineer_worked_beyond_the_shift() -> None:
    job = on_site(make.engineer())
    job.visits.update(ended_at=make.at("19:30"))

    assert working_times()["2026-11-23"][1] == "2026-11-23T19:30:00Z"


def test_working_times_are_of_the_day_on_which_the_work_began() -> None:
    job = worked(make.engineer())
    planned = make.at("08:30", day=make.DAY.replace(day=26))
    job.visits.update(planned_start=planned, planned_end=planned + timedelta(hours=1))

    done = ("2026-11-23T08:00:00Z", "2026-11-23T09:20:00Z", 1, 20, 60)
    assert working_times() == {"2026-11-23": done}
    assert working_times("first=2026-11-26&last=2026-11-26")["2026-11-26"][2] == 0


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


def close_unread(answer: Any) -> None:
    """As the server does when the caller has gone; the test goes on with its connection."""
    request_finished.disconnect(close_old_connections)
    answer.close()
    request_finished.connect(close_old_connections)


def test_one_export_at_a_time_is_written() -> None:
    caller, path = Caller(), f"/api/v1/exports/working_times.csv?{DAYS}"
    first = caller.get(path)
    refused = caller.get(path)
    first.getvalue()
    second = caller.get(path)
    close_unread(second)
    third = caller.get(path)

    assert [answer.status_code for answer in (refused, second, third)] == [503, 200, 200]
    assert int(refused.headers["Retry-After"]) > 0
    assert third.getvalue() != b""


def test_exports_have_a_limit_of_their_own(settings: Settings) -> None:
    settings.RATE_LIMIT_SCALE = 0.1
    caller = Caller()
    with time_machine.travel(make.at("08:00:30"), tick=False):
        answers = []
        for _ in range(3):
            answers.append(caller.get(f"/api/v1/exports/jobs.csv?{DAYS}"))
            answers[-1].getvalue()
        other = caller.get("/api/v1/areas")

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert "at most 20 a minute" in answers[-1].json()["detail"]
    assert other.status_code == 200


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
