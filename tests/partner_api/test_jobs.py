"""The list of jobs and one job: filters, pages, scopes, areas and the number of queries."""

import json
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Area
from tests import make
from tests.partner_api.caller import Caller, follow

pytestmark = pytest.mark.django_db


def numbers(caller: Caller, query: str = "") -> list[str]:
    return [row["number"] for row in follow(caller, f"/api/v1/jobs{query}", "jobs")]


def in_postcode(postcode: str) -> str:
    job = make.job()
    Job.objects.filter(pk=job.pk).update(postcode=postcode, postcode_key=postcode.replace(" ", ""))
    return job.provider_job_id


def test_job_is_read_with_its_visit_and_times_in_utc() -> None:
    erin = make.engineer()
    with time_machine.travel(make.at("08:10")):
        job = make.job(at_state=JobState.EN_ROUTE, to=erin)

    row = Caller().read("/api/v1/jobs")["jobs"][0]

    assert (row["number"], row["state"], row["type"]) == (job.provider_job_id, "en_route", "installation")
    assert row["window"] == {"start": "2026-11-23T08:00:00Z", "end": "2026-11-23T13:00:00Z"}
    assert row["visit"]["engineer"] == erin.staff_number
    assert row["visit"]["unassigned_at"] is None
    assert row["changed_at"].startswith("2026-11-23T08:10")
    assert row["event_number"] == 3


def test_customer_is_read_with_the_scope_for_it_only() -> None:
    make.job()

    assert (
        Caller("jobs:read", "customers:read").read("/api/v1/jobs")["jobs"][0]["customer"]["name"]
        == "Pat Tester"
    )
    plain = Caller("jobs:read").get("/api/v1/jobs")
    assert json.loads(plain.content)["jobs"][0]["customer"] is None
    for text in ("Pat Tester", "07700", "Chapel Row", "100012345678", "Dog"):
        assert text not in plain.content.decode()


def test_filters() -> None:
    caller, next_day = Caller(), make.DAY + timedelta(days=1)
    unassigned, assigned = make.job(), make.job(at_state=JobState.ASSIGNED)
    later = make.job(day=next_day)

    assert numbers(caller, "?state=assigned") == [assigned.provider_job_id]
    assert numbers(caller, "?state=assigned&state=unassigned&day=2026-11-23") == [
        str(unassigned),
        str(assigned),
    ]
    assert numbers(caller, f"?day={next_day}") == [later.provider_job_id]


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
@pytest.mark.parametrize("path", ["jobs?day={0}", "shifts?first={0}&last={0}"])
def test_day_of_a_far_year_is_refused_with_its_field(path: str, day: str) -> None:
    answer = Caller().get(f"/api/v1/{path.format(day)}")

    assert answer.status_code == 400
    assert "Choose a year from 2000 to 2199." in answer.content.decode()


def test_changed_since_gives_what_a_copy_lacks() -> None:
    caller = Caller()
    with time_machine.travel(make.at("06:00")):
        make.job()
        touched = make.job()
    with time_machine.travel(make.at("06:10"), tick=False):
        as_of = caller.read("/api/v1/jobs")["as_of"]
    with time_machine.travel(make.at("06:20")):
        make.walk(touched, at_state=JobState.ASSIGNED)

    assert as_of == "2026-11-23T06:09:00Z"
    assert numbers(caller, f"?changed_since={as_of}") == [touched.provider_job_id]


def test_pages_leave_nothing_out_and_repeat_nothing_while_jobs_are_added() -> None:
    caller = Caller()
    made = [make.job().provider_job_id for _ in range(5)]
    first = caller.read("/api/v1/jobs?page_size=2&state=assigned&state=unassigned")
    added = make.job().provider_job_id

    rest = follow(caller, first["next"], "jobs")

    assert [row["number"] for row in [*first["jobs"], *rest]] == [*made, added]


@pytest.mark.parametrize("number", [1, 7])
def test_list_takes_the_same_queries_for_any_number_of_jobs(number: int) -> None:
    area = Area.objects.create(name="Leeds", postcodes="LS")
    caller = Caller(areas=[area])
    for _ in range(number):
        make.job(at_state=JobState.ASSIGNED)
    caller.read("/api/v1/jobs")

    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert len(caller.read("/api/v1/jobs")["jobs"]) == number

    # token, its areas, postcodes of areas, jobs, visits, areas by code
    assert len(queries) == 6, [query["sql"] for query in queries]


def test_job_has_visits_events_closure_and_evidence() -> None:
    erin = make.engineer()
    job = make.job(at_state=JobState.ON_SITE, to=erin)
    make.scan(job)
    make.result(job, 1)
    make.answer_all(job)
    make.close(job)

    found = Caller("jobs:read").read(f"/api/v1/jobs/{job}")

    assert [event["kind"] for event in found["events"]][-1] == "closed"
    assert [event["number"] for event in found["events"]] == list(range(1, len(found["events"]) + 1))
    assert (found["closure"]["code"], found["closure"]["engineer"]) == ("SP", erin.staff_number)
    assert len(found["visits"]) == 1
    assert found["evidence"]
    assert all(len(photo["sha256"]) == 64 for photo in found["evidence"])


def test_job_without_closure_has_none() -> None:
    assert Caller().read(f"/api/v1/jobs/{make.job()}")["closure"] is None


def test_etag_answers_304_until_something_changes() -> None:
    caller, job = Caller(), make.job()
    etag = caller.get(f"/api/v1/jobs/{job}").headers["ETag"]
    listed = caller.get("/api/v1/jobs").headers["ETag"]

    assert caller.get(f"/api/v1/jobs/{job}", **{"If-None-Match": etag}).status_code == 304
    assert caller.get("/api/v1/jobs", **{"If-None-Match": listed}).status_code == 304
    make.walk(job, at_state=JobState.ASSIGNED)
    assert caller.get(f"/api/v1/jobs/{job}", **{"If-None-Match": etag}).status_code == 200


def test_token_with_areas_reads_the_jobs_in_them_and_no_others() -> None:
    leeds = Area.objects.create(name="Leeds", postcodes="LS")
    north = Area.objects.create(name="North", postcodes="LS6 LS16 BD")
    in_leeds, in_north = in_postcode("LS1 3AB"), in_postcode("LS16 3AB")
    in_six, elsewhere, other_postcode_area = (
        in_postcode("LS6 3AB"),
        in_postcode("S6 3AB"),
        in_postcode("L1 3AB"),
    )
    bradford, longer = in_postcode("BD1 1AA"), in_postcode("LS66 1AA")

    assert numbers(Caller(areas=[north])) == [in_north, in_six, bradford]
    assert numbers(Caller(areas=[leeds])) == [in_leeds, longer]
    assert numbers(Caller(), "?area=north") == [in_north, in_six, bradford]
    assert len(numbers(Caller())) == 7
    assert Caller(areas=[leeds]).get(f"/api/v1/jobs/{elsewhere}").status_code == 404
    assert Caller(areas=[leeds]).get("/api/v1/jobs?area=North").status_code == 400
    assert other_postcode_area not in numbers(Caller(areas=[leeds, north]))


@pytest.mark.parametrize("postcode", ["LS6 3A", "LS6 3ABC", "LS6", "LS6\u00a03AB", "LS6 3 AB"])
def test_postcode_with_a_mistake_is_read_in_the_area_that_the_job_names_and_in_no_other(
    postcode: str,
) -> None:
    areas = [
        Area.objects.create(name=name, postcodes=codes) for name, codes in (("Leeds", "LS"), ("North", "LS6"))
    ]
    number = in_postcode(postcode)
    named = Caller().read(f"/api/v1/jobs/{number}")["area"]

    readers = [area.name for area in areas if numbers(Caller(areas=[area])) == [number]]
    exported = [area.name for area in areas if number in _jobs_export(Caller(areas=[area]))]
    assert readers == exported == [name for name in [named] if name]


def _jobs_export(caller: Caller) -> str:
    answer = caller.get(f"/api/v1/exports/jobs.csv?first={make.DAY}&last={make.DAY}")
    return b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]


def test_token_whose_last_area_was_deleted_reads_nothing() -> None:
    area = Area.objects.create(name="Leeds", postcodes="LS")
    caller = Caller(areas=[area])
    make.job()
    area.delete()

    assert numbers(caller) == []


def broken_job(flags: object = 7) -> Job:
    """A row that no code of ours would write."""
    job = make.job()
    Job.objects.filter(pk=job.pk).update(flags=flags, address_lines=7)
    return job


def test_copy_gets_past_a_job_whose_data_cannot_be_read() -> None:
    first, broken, last = make.job(), broken_job(), make.job()
    caller = Caller()
    path = "/api/v1/jobs?page_size=2&changed_since=2026-11-01T00:00:00Z"

    page = caller.read(path)

    reason = (
        f"The data of job {broken} can't be displayed (TypeError). Give the job number to your supervisor."
    )
    assert [row["number"] for row in page["jobs"]] == [str(first)]
    assert page["broken"] == [{"number": str(broken), "reason": reason}]
    assert [row["number"] for row in follow(caller, path, "jobs")] == [str(first), str(last)]


def test_job_whose_data_cannot_be_read_is_refused_with_its_number() -> None:
    broken = broken_job()

    answer = Caller().get(f"/api/v1/jobs/{broken}")

    body = json.loads(answer.content)
    assert (answer.status_code, body["code"]) == (409, "job_broken")
    assert body["detail"].startswith(f"The data of job {broken} can't be displayed")


@pytest.mark.parametrize("flags", [7, [7, "MDU"], {"MDU": 1}])
@pytest.mark.parametrize("file_format", ["csv", "jsonl"])
def test_export_goes_on_after_a_job_whose_data_are_odd(flags: object, file_format: str) -> None:
    jobs = [broken_job(flags), make.job()]

    content = Caller().get(f"/api/v1/exports/jobs.{file_format}?first=2026-11-23&last=2026-11-23").getvalue()

    assert [str(job) in content.decode() for job in jobs] == [True, True]
