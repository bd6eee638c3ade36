"""What was learned of lengths and drives, on its page: read by the office, switched by a supervisor."""

import pytest
from django.db import OperationalError, connection
from django.test import Client

from dispatch.driving.drive_corrections import FEWEST_DRIVES, DriveSample
from dispatch.job_lengths import FEWEST_JOBS, LengthSample
from dispatch.models import DriveCorrection, DriveSource, LearnedLength
from dispatch.states import JobType
from engineers.models import AuditEntry, Role
from tests import make
from tests.board.office import signed_in
from tests.learning import learn_corrections, learn_lengths

pytestmark = pytest.mark.django_db
ADDRESS = "/board/plans/learned/"


@pytest.fixture
def learned() -> LearnedLength:
    samples = [LengthSample(JobType.INSTALLATION, "", frozenset({"DTL"}), 95.0)] * FEWEST_JOBS
    learn_lengths(samples, now=make.at("02:00"))
    learn_corrections([DriveSample(DriveSource.ESTIMATE, 8, 1.25)] * FEWEST_DRIVES, now=make.at("02:00"))
    return LearnedLength.objects.get()


def test_learned_times_are_shown_with_the_defaults(learned: LearnedLength) -> None:
    lengths, drives = signed_in().get(ADDRESS).context["page"].tables

    (line,) = lengths.lines
    assert (line.about, line.default, line.learned, line.learned_from, line.is_used) == (
        "Installation · DTL",
        "150 min",
        "95 min",
        FEWEST_JOBS,
        True,
    )
    assert [(line.about, line.learned) for line in drives.lines] == [
        ("Estimate · all hours", "125 %"),
        ("Estimate · 08:00–09:00", "125 %"),
    ]


def test_supervisor_switches_and_dispatcher_does_not(learned: LearnedLength) -> None:
    supervisor = Client()
    supervisor.force_login(make.dispatcher(role=Role.SUPERVISOR))
    drive = DriveCorrection.objects.get(hour=8)
    addresses = [f"{ADDRESS}length/{learned.pk}/", f"{ADDRESS}drive/{drive.pk}/"]

    assert [signed_in().post(address, {"used": "0"}).status_code for address in addresses] == [403, 403]
    assert [supervisor.post(address, {"used": "0"}).status_code for address in addresses] == [302, 302]

    learned.refresh_from_db()
    drive.refresh_from_db()
    assert (learned.is_used, drive.is_used) == (False, False)
    assert AuditEntry.objects.filter(action="learned_time_switched").count() == 2
    assert "Use what was learned" in supervisor.get(ADDRESS).content.decode()


def test_switch_that_the_audit_cannot_record_is_not_made(learned: LearnedLength) -> None:
    supervisor = Client(raise_request_exception=False)
    supervisor.force_login(make.dispatcher(role=Role.SUPERVISOR))

    def refuse(execute: object, sql: str, *more: object) -> object:
        if sql.startswith('INSERT INTO "engineers_auditentry"'):
            raise OperationalError("disk full")
        return execute(sql, *more)  # type: ignore[operator]

    with connection.execute_wrapper(refuse):
        assert supervisor.post(f"{ADDRESS}length/{learned.pk}/", {"used": "0"}).status_code >= 500
    learned.refresh_from_db()
    assert learned.is_used


def test_page_without_anything_says_so() -> None:
    assert signed_in().get(ADDRESS).content.decode().count("Nothing has been learned yet.") == 2


@pytest.mark.parametrize("rows", [1, 3])
def test_page_costs_the_same_queries(rows: int, django_assert_num_queries: object) -> None:
    client = signed_in()
    for number in range(rows):
        samples = [LengthSample(JobType.CIVILS, f"P{kind}", frozenset(), 90.0) for kind in range(number + 1)]
        learn_lengths(samples * FEWEST_JOBS, now=make.at("02:00"))

    # session, user, rules, lengths, drives; and the frame's three
    with django_assert_num_queries(8):  # type: ignore[operator]
        client.get(ADDRESS)
