"""What runs every hour or night, and pages of the messages, read the large tables by an index of the few rows that
they want: after years nearly all rows are purged, rounded and delivered (`make bench ARGS="--only message_tables"`)."""

from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

from background import personal_data
from dispatch import retention
from engineers import audit, location_history
from engineers.audit import AuditFilter
from engineers.models import AuditEntry
from seller_link import message_log, replays
from seller_link.message_log import MessageFilter, StatusFilter
from tests import make

pytestmark = [
    pytest.mark.django_db,
    # which is for fewer rows, and uses no partial index whose condition has bound values
    pytest.mark.skipif(connection.vendor == "sqlite", reason="plans of PostgreSQL"),
]
BEFORE = make.at("08:00")
PURGED = {
    "messages from the seller": "inbound_unmasked",
    "messages to the seller": "outbound_unmasked",
    "phone messages": "phone_message_unpurged",
    "job packs": "job_personal",
    "later events of jobs": "job_written_again",
}


def plan_of(rows: QuerySet[Any]) -> str:
    """How the database would read them if it had too many rows to read them all, or to sort what it has found."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
    return str(rows.explain())


@pytest.mark.parametrize(("name", "index"), PURGED.items(), ids=PURGED)
def test_what_is_to_be_purged_is_read_by_its_index(name: str, index: str) -> None:
    [data_class] = [data_class for data_class in personal_data.CLASSES if data_class.name == name]
    plan = plan_of(data_class.expired(BEFORE)[:100])

    assert index in plan, plan
    assert "Sort" not in plan, plan


@pytest.mark.parametrize(
    ("find", "index"),
    [
        (retention.exact_events, "event_exact_position"),
        (location_history.exact_phone_messages, "phone_message_exact"),
    ],
)
def test_positions_to_be_rounded_are_read_by_their_index(find: Any, index: str) -> None:
    plan = plan_of(find(BEFORE))

    assert index in plan, plan


def test_looks_at_a_job_are_read_by_their_index() -> None:
    """Each opened job asks for those of its reader, who has many, within an hour in which there are many."""
    reader = make.dispatcher()
    AuditEntry.objects.bulk_create(
        AuditEntry(actor=reader, action=audit.JOB_VIEWED, subject=f"JOB-{number}", recorded_at=BEFORE)
        for number in range(1000)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE engineers_auditentry")
    plan = plan_of(audit.looks_near(BEFORE, user=reader, action=audit.JOB_VIEWED, subject="JOB-1"))

    assert "audit_by_subject" in plan, plan


@pytest.mark.parametrize(
    "rows",
    [
        audit.expired_entries(BEFORE)[:100],
        audit.find_entries(AuditFilter(first=BEFORE, last=make.at("09:00")))[:51],
    ],
    ids=["purge", "page"],
)
def test_audit_of_a_time_is_read_by_its_index(rows: QuerySet[AuditEntry]) -> None:
    plan = plan_of(rows)

    assert "audit_by_time" in plan, plan
    assert "Sort" not in plan, plan


def test_messages_of_an_outage_are_read_by_indexes() -> None:
    plan = plan_of(replays.outage_messages(BEFORE, make.at("09:00")))

    assert "Seq Scan" not in plan, plan
    assert "outbound_by_time" in plan, plan
    assert "attempt_by_time" in plan, plan


def test_refused_messages_are_read_by_their_index() -> None:
    rows = message_log.inbound(MessageFilter(status=StatusFilter.REFUSED)).order_by("-received_at", "-pk")[
        :51
    ]
    plan = plan_of(rows)

    assert "inbound_refused_by_time" in plan, plan
