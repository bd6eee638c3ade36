"""Faults of the network on one splitter, node or street: when they are a pattern, and holding the jobs ahead."""

from datetime import timedelta

import pytest
import time_machine
from pytest_django import Settings

from closures.models import Closure
from closures.network_patterns import find_patterns, list_elements, list_jobs_ahead, watch_patterns
from closures.question_matrix.matrix_editions import matrix_for_job
from dispatch import holds, visits
from dispatch.availability import NotBookable
from dispatch.models import Job
from dispatch.states import EventKind, JobState
from monitoring.alarms import open_alarms, text_of
from seller_link.models import OutboundMessage
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("day_before")]


def on(job: Job, *, street: str = "", **network: str) -> Job:
    """The same job on these elements of the network."""
    job.network = network
    job.address_lines = [street or f"{job.pk} Own Street {job.pk}"]
    job.save(update_fields=["network", "address_lines"])
    return job


def closed(code: str, *, street: str = "", minutes_ago: int = 10, **network: str) -> Job:
    """A job that ended with this code; the engineer's steps are not tested here."""
    job = on(make.job(), street=street, **network)
    moment = make.now() - timedelta(minutes=minutes_ago)
    Closure.objects.create(
        job=job, code=code, description=code, closed_at=moment, recorded_at=moment, by_name="Erin"
    )
    Job.objects.filter(pk=job.pk).update(state=JobState.CLOSED)
    return job


def found() -> list[tuple[str, int]]:
    return [(each.element.subject, len(each.failed)) for each in find_patterns(now=make.now())]


def test_three_network_closures_on_a_splitter_are_a_pattern() -> None:
    for code in ("POP", "CON", "REVPOP"):
        closed(code, splitter="SP-7", node="N-1")
    closed("RNA/NA", splitter="SP-7", node="N-1")

    assert found() == [("splitter:sp-7", 3)]


def test_wider_element_explains_the_narrower_ones() -> None:
    for splitter in ("SP-1", "SP-1", "SP-1", "SP-2"):
        closed("POP", splitter=splitter, node="N-1")

    assert found() == [("node:n-1", 4)]


def test_street_counts_without_its_numbers() -> None:
    for street in ("1 Mill Lane", "3a Mill Lane", "17, MILL LANE"):
        closed("CON", street=street)

    assert found() == [("street:mill lane, ls6", 3)]


def test_what_is_older_or_too_little_is_no_pattern(settings: Settings) -> None:
    closed("POP", node="N-1", minutes_ago=500)
    closed("POP", node="N-1")
    closed("POP", node="N-1")
    assert found() == []

    settings.NETWORK_PATTERN_JOBS = 2
    assert found() == [("node:n-1", 2)]
    settings.NETWORK_PATTERN_MINUTES = 5
    assert found() == []


def test_failed_provisioning_and_light_out_of_range_count() -> None:
    closed("POP", node="N-1")
    failed = on(make.job(at_state=JobState.ON_SITE), node="N-1")
    make.scan(failed)
    make.result(failed, 3)
    dim = on(make.job(at_state=JobState.ON_SITE), node="N-1")
    question = next(each for each in matrix_for_job(dim).questions if each.expected)
    make.record_answer(dim, question.code, question.minimum)

    assert found() == [("node:n-1", 3)]


def test_failure_does_not_count_after_a_success_of_the_next_attempt_or_ont() -> None:
    for success_of in ("attempt", "ont", ""):
        job = on(make.job(at_state=JobState.ON_SITE), node="N-1")
        make.scan(job, fsan=f"CXNK{job.pk:08X}")
        make.result(job, 3)
        if success_of == "ont":
            make.scan(job, fsan=f"ALCL{job.pk:08X}")
        if success_of:
            make.result(job, 1)
    closed("POP", node="N-1")
    assert found() == []

    closed("POP", node="N-1")
    assert found() == [("node:n-1", 3)]


@pytest.mark.parametrize("network", [{}, {"node": ""}, {"node": None}, {"node": ["N"]}, [], "text"])
def test_odd_network_of_the_seller_is_no_element(network: object) -> None:
    job = make.job()
    job.network, job.address_lines, job.postcode_key = network, [], ""

    assert list_elements(job) == []


def test_alarm_counts_the_jobs_and_what_lies_ahead() -> None:
    for _ in range(3):
        closed("POP", node="N-1")
    ahead = on(make.job(), node="n-1")

    watch_patterns()
    watch_patterns()

    alarm = open_alarms().get()
    assert (alarm.kind, alarm.subject) == ("network_pattern", "node:n-1")
    text = str(text_of(alarm))
    assert text.startswith("Node N-1: 3 jobs with a network fault since ")
    assert "Upcoming jobs there: 1, on hold: 0" in text
    assert list_jobs_ahead(["node:n-1"], now=make.now()) == {"node:n-1": [ahead]}


def test_alarm_stays_while_jobs_are_held_and_ends_with_their_release() -> None:
    for _ in range(3):
        closed("POP", node="N-1")
    job = on(make.job(), node="N-1")
    watch_patterns()
    holds.hold_job(job=job, by=make.office(), reason="Node down", element="node:n-1")

    with time_machine.travel(make.now() + timedelta(hours=5)):
        watch_patterns()
        assert str(text_of(open_alarms().get())) == "N-1: 1 job is still on hold."
        holds.release_job(job=job, by=make.office())
        watch_patterns()

    assert not open_alarms().exists()


def test_hold_is_an_event_once_and_tells_the_seller_nothing() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    sent = OutboundMessage.objects.count()

    results = [holds.hold_job(job=job, by=make.office(), reason="Node down") for _ in range(2)]

    event = job.events.last()
    assert (results, event.kind, event.facts) == (
        [True, False],
        EventKind.PUT_ON_HOLD,
        {"reason": "Node down"},
    )
    assert event.user is not None
    assert OutboundMessage.objects.count() == sent


def test_held_job_is_not_assigned_and_keeps_its_visit() -> None:
    job, other = make.job(at_state=JobState.ASSIGNED), make.engineer()
    holds.hold_job(job=job, by=make.office(), reason="Node down")

    with pytest.raises(NotBookable) as refusal:
        visits.assign(
            job=job, engineer=other, starts_at=make.at("10:00"), by=make.office(), override_reason="Now"
        )
    assert refusal.value.problems[0].code == "on_hold"

    assert holds.release_job(job=job, by=make.office()) is True
    assert holds.release_job(job=job, by=make.office()) is False
    visits.assign(job=job, engineer=other, starts_at=make.at("10:00"), by=make.office())


@pytest.mark.parametrize(
    ("state", "is_held"),
    [
        (JobState.UNASSIGNED, True),
        (JobState.EN_ROUTE, True),
        (JobState.ON_SITE, False),
        (JobState.CLOSED, False),
        (JobState.CANCELLED, False),
    ],
)
def test_who_is_on_site_or_done_is_not_held(state: JobState, is_held: bool) -> None:
    assert holds.hold_job(job=make.job(at_state=state), by=make.office(), reason="") is is_held


def test_engineer_en_route_is_warned_and_not_stopped() -> None:
    engineer = make.engineer()
    job = make.job(at_state=JobState.EN_ROUTE, to=engineer)
    holds.hold_job(job=job, by=make.office(), reason="Node down")

    make.arrive(job)

    job.refresh_from_db()
    assert (job.state, holds.release_job(job=job, by=make.office())) == (JobState.ON_SITE, True)


@pytest.mark.parametrize("rows", [3, 6])
def test_watch_costs_the_same_for_few_and_for_many(rows: int, django_assert_num_queries: object) -> None:
    for _ in range(rows):
        closed("POP", node="N-1")
        on(make.job(), node="N-1")
    watch_patterns()

    with django_assert_num_queries(6):  # type: ignore[operator]
        watch_patterns()
