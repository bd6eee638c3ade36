"""A relay that settles and a dispatcher who replays do not wait for each other's alarms (PostgreSQL)."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.db import connection, transaction

from demo.environment import wait_until
from dispatch.states import JobState
from monitoring import alarms
from monitoring.coded_texts import CodedText
from monitoring.models import AlarmKind
from seller_link import message_alarms
from tests import make
from tests.together import is_somebody_waiting_for_us

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.postgresql,
    pytest.mark.skipif(
        "connection.vendor != 'postgresql'", reason="SQLite's writers come one after the other"
    ),
]
REASON = "503 busy"


def test_relay_that_counts_a_group_anew_waits_for_no_replay_of_its_jobs() -> None:
    jobs = [
        str(make.job(at_state=JobState.ASSIGNED).provider_job_id) for _ in range(message_alarms.MANY_JOBS)
    ]
    for job in jobs:
        message_alarms.raise_unconfirmed(job, reason=REASON)
    message_alarms.clear_message_alarms([jobs[-1]])
    is_replayed = Event()

    def replay() -> None:
        try:
            with transaction.atomic():
                message_alarms.clear_message_alarms([jobs[0]])
        finally:
            is_replayed.set()
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            message_alarms.raise_unconfirmed(jobs[-1], reason=REASON)
            replaying = pool.submit(replay)
            assert wait_until(lambda: is_replayed.is_set() or is_somebody_waiting_for_us(), seconds=20)
            message_alarms.raise_unconfirmed(jobs[0], reason=REASON)
        replaying.result()

    known = alarms.known_alarms(AlarmKind.MESSAGE_UNCONFIRMED, AlarmKind.MESSAGES_FAILING)
    assert known[AlarmKind.MESSAGE_UNCONFIRMED].keys() == set(jobs)
    (group,) = known[AlarmKind.MESSAGES_FAILING].values()
    assert group.parameters["jobs"] == len(jobs)


def test_alarms_of_several_jobs_are_locked_by_subject() -> None:
    """Whoever waits for the first holds no other, in whatever order their rows lie in the table."""
    kind, subjects = AlarmKind.MESSAGE_UNCONFIRMED, ["JOB-1", "JOB-2", "JOB-3"]
    for subject in reversed(subjects):
        alarms.raise_alarm(kind, subject, CodedText("unconfirmed", {"job": subject}))

    def clear_all() -> None:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                # as in a table that is better read as a whole
                cursor.execute("SET LOCAL enable_indexscan = off")
                alarms.clear_alarms(kind, subjects)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            alarms.clear_alarm(kind, subjects[0])
            clearing = pool.submit(clear_all)
            assert wait_until(is_somebody_waiting_for_us, seconds=20)
            others = alarms.open_alarms().filter(subject__in=subjects[1:]).select_for_update(nowait=True)
            assert len(others) == 2
        clearing.result()

    assert not alarms.open_alarms().exists()
