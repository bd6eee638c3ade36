"""Every job pack that the server accepts, worked on: on site and closed with evidence, cancelled on the way.

Pages of the office, the phone, the customer's live page, and what other systems read.
"""

import json
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.cache import cache
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import Settings

from closures import codes
from closures.question_matrix.matrix_editions import matrix_for_job
from config.storage import evidence_storage
from customer_messages.live_links import live_address
from customer_messages.models import CustomerMessage, CustomerMessageKind, MessageChannel
from dispatch import jobs
from dispatch.models import Job
from dispatch.states import WITH_ONT_SCAN
from engineers.models import Engineer, Role
from partner_api.exports import ExportKind
from tests import make
from tests.board.test_worst_packs import TODAY, broken, jobs_of, opens, shows, with_engineer
from tests.board.test_worst_packs_everywhere import pages, read_elsewhere
from tests.partner_api.caller import Caller
from tests.phone.phone import Phone
from tests.rolled_back import rolled_back
from tests.seller_link.inbox import say_all
from tests.seller_link.legal_packs import Body, packs

__all__ = ["broken"]
pytestmark = pytest.mark.django_db
PERIOD = f"first={TODAY - timedelta(days=7)}&last={TODAY + timedelta(days=30)}"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Settings) -> Iterator[Path]:
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{tmp_path}")}
    # one client opens what a day of several people opens
    settings.RATE_LIMIT_SCALE = 100
    yield tmp_path


@pytest.fixture
def supervisor() -> Client:
    client = Client()
    client.force_login(make.dispatcher(username="ruth", role=Role.SUPERVISOR))
    client.get("/board/version")
    return client


def success_of(job: Job) -> str:
    return next(code.code for code in codes.codes_for(job.job_type) if code.succeeds)


def be_under_way(job: Job, engineer: Engineer) -> None:
    """With a message to the customer."""
    with_engineer(job, engineer, make.at("09:00", day=TODAY))
    make.start_travel(job, engineer=engineer)
    job.refresh_from_db()
    CustomerMessage.objects.create(
        key=str(job),
        message_id=uuid.uuid4(),
        job=job,
        kind=CustomerMessageKind.ON_THE_WAY,
        channel=MessageChannel.MAIL,
        recipient=job.contact_email or "pat@example.com",
        text=f"{job.contact_name}: {live_address(job)}",
        window_start=job.window_start,
        **dict.fromkeys(("created_at", "next_attempt_at", "expires_at"), make.now()),
    )


def be_on_site(job: Job, engineer: Engineer) -> None:
    """With every answer and photo of a success, and a scan."""
    be_under_way(job, engineer)
    make.arrive(job, engineer=engineer)
    job.refresh_from_db()
    if job.job_type in WITH_ONT_SCAN:
        make.scan(job, fsan=f"CXNK{job.pk:08X}")
        make.result(job, 1)
    make.answer_all(job, code=success_of(job))


def be_closed(job: Job, engineer: Engineer) -> None:
    be_on_site(job, engineer)
    make.close(job, success_of(job), engineer=engineer, remarks="As agreed")


def be_cancelled(job: Job, engineer: Engineer) -> None:
    """Later nobody can; with a photo that was taken before."""
    be_under_way(job, engineer)
    questions = matrix_for_job(job).questions
    make.answer(job, next(each for each in questions if each.is_picture and job.job_type in each.job_types))
    jobs.cancel_job(job=job, reason="Customer changed their mind")


WAYS: list[Callable[[Job, Engineer], None]] = [be_on_site, be_closed, be_cancelled]


def open_office(client: Client, job: Job, engineer: Engineer) -> None:
    shows(client, f"/board/?day={TODAY}&job={job}")
    shows(client, f"/board/jobs/{job}/")
    assert str(job) in shows(client, f"/board/search?q={job}")
    for path in pages(job, engineer):
        shows(client, path)


def open_for_others(client: Client, caller: Caller, job: Job) -> None:
    assert str(job) in shows(client, "/board/customer-messages/")
    live = live_address(job).removeprefix("http://127.0.0.1:8000")
    # 404 once the appointment is over
    assert Client().get(live).status_code in {200, 404}
    assert caller.read(f"/api/v1/jobs/{job}")["number"] == str(job)


def read_lists(caller: Caller, *, broken: set[str]) -> set[str]:
    """What a copy reads: the numbers of its jobs."""
    page = caller.read("/api/v1/jobs?changed_since=2026-01-01T00:00:00Z&page_size=200")
    assert {row["number"] for row in page["broken"]} == broken
    for kind in ExportKind.values:
        for file_format in ("csv", "jsonl"):
            assert caller.get(f"/api/v1/exports/{kind}.{file_format}?{PERIOD}").getvalue() is not None
    return {row["number"] for row in page["jobs"]}


# many pages, beside other work
@pytest.mark.timeout(900)
@hypothesis_settings(
    max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(legal=st.tuples(packs(), packs(), packs()))
def test_every_pack_opens_when_it_was_worked_on(supervisor: Client, legal: tuple[Body, Body, Body]) -> None:
    cache.clear()
    with rolled_back():
        created, caller = jobs_of(say_all("createJob", [*legal])), Caller()
        for job, work in zip(created, WAYS, strict=True):
            engineer = make.engineer()
            work(job, engineer)
            open_office(supervisor, job, engineer)
            read_elsewhere(job, engineer)
            open_for_others(supervisor, caller, job)
            payload = json.loads(opens(Phone(engineer).client, "/phone/day.json"))
            assert payload["broken"] == []

        assert read_lists(caller, broken=set()) == {str(job) for job in created}


@pytest.mark.parametrize("work", WAYS)
def test_job_that_cannot_be_shown_breaks_nothing_for_others(
    supervisor: Client, broken: Job, work: Callable[[Job, Engineer], None]
) -> None:
    other, caller = make.job(day=TODAY), Caller()
    worked = make.job(day=TODAY)
    work(worked, make.engineer())
    Job.objects.filter(pk=worked.pk).update(flags=7, address_lines=7)

    assert read_lists(caller, broken={str(broken), str(worked)}) == {str(other)}
    for job in (broken, worked):
        assert caller.get(f"/api/v1/jobs/{job}").status_code == 409
        assert Client().get(live_address(job).removeprefix("http://127.0.0.1:8000")).status_code == 200
    assert str(other) in opens(supervisor, "/board/?list=unassigned")
    opens(supervisor, "/board/customer-messages/")
    opens(Phone(Engineer.objects.get(visits__job=worked)).client, "/phone/day.json")
