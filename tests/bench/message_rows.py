"""Years of closed jobs with all that was sent and recorded about them, made by PostgreSQL itself.

Of 40 rows for each job, none of whose bodies is longer than 200 bytes: 6 events, 5 messages to the seller with an
attempt each, 2 from the seller and 22 from a phone. What retention would have taken away is away, but for one day.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, models
from django.utils import timezone

from closures.models import Closure
from dispatch import jobs
from dispatch.models import Job, JobEvent, Visit
from dispatch.states import JobState
from engineers.models import Engineer, PhoneMessage, User
from seller_link.models import DeliveryAttempt, InboundMessage, OutboundMessage
from tests import make
from tests.bench.table_rows import insert_from

YEARS = 5
EVENTS, SENT, RECEIVED, FROM_PHONES = 6, 5, 2, 22
ROWS_OF_A_JOB = EVENTS + SENT + SENT + RECEIVED + FROM_PHONES
TABLES: tuple[type[models.Model], ...] = (
    JobEvent,
    OutboundMessage,
    DeliveryAttempt,
    InboundMessage,
    PhoneMessage,
)
KINDS = ("received", "engineer_assigned", "en_route", "on_site", "ont_scanned", "closed")
STATES = ("unassigned", "assigned", "en_route", "on_site", "on_site", "closed")
EMPTY = "'{}'::jsonb"
NO_ANSWER = """'{"text": "no_answer", "parameters": {}}'::jsonb"""
POSITION = "jsonb_build_object('latitude', 53.81, 'longitude', -1.56{rounded})"


@dataclass(frozen=True)
class History:
    """What was made: so many jobs, with keys from 1 in the order of their windows."""

    jobs: int
    rows: int


def fill(rows: int, *, people: list[Engineer], office: User) -> History:
    """About so many rows in all of TABLES."""
    filling = HistoryFilling(people=people, office=office, now=timezone.now())
    number = max(1, rows // ROWS_OF_A_JOB)
    with connection.cursor() as cursor:
        # the rows are sound by the way they are made, and checking each key took half of the time
        cursor.execute("SET session_replication_role = replica")
        with _indexes_made_at_the_end():
            filling.add_all(number)
        cursor.execute("RESET session_replication_role")
    _settle_tables()
    return History(number, sum(model._default_manager.count() for model in TABLES))


@contextmanager
def _indexes_made_at_the_end() -> Iterator[None]:
    """Of TABLES: quicker than to keep them in order for each row."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index "
            "WHERE indrelid = ANY(%s::regclass[]) AND NOT indisunique",
            [[model._meta.db_table for model in TABLES]],
        )
        indexes = cursor.fetchall()
        for name, _definition in indexes:
            cursor.execute(f"DROP INDEX {name}")
        yield
        for _name, definition in indexes:
            cursor.execute(definition)


def _settle_tables() -> None:
    """As a database is that has been running for years: its keys go on behind the rows, it knows its tables."""
    with connection.cursor() as cursor:
        for model in (Job, Visit, JobEvent, OutboundMessage):
            table = model._meta.db_table
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))"
            )
        cursor.execute("ANALYZE" if connection.in_atomic_block else "VACUUM (ANALYZE)")


@dataclass(frozen=True)
class HistoryFilling:
    people: list[Engineer]
    office: User
    now: datetime

    def add_all(self, number: int) -> None:
        self._add_jobs(number)
        self._add_visits()
        self._add_events()
        self._add_sent()
        self._add_received()
        self._add_from_phones()

    def _add_jobs(self, number: int) -> None:
        age = f"({number} - n.number)::float8 / {number} * interval '{YEARS * 365} days'"
        day = f"({self._moment(0)} - {age})"
        digits = "lpad(n.number::text, 8, '0')"
        columns = {
            "id": "n.number",
            "provider_job_id": f"'J-' || left({digits}, 4) || '-' || right({digits}, 4)",
            "seller_job_id": "'S-' || n.number",
            "buyer_order_reference": "'B-' || n.number",
            "seller_order_reference": "'O-' || n.number",
            "uprn": "(100000000000 + n.number)::text",
            "postcode": "'LS' || n.number % 29 + 1 || ' ' || n.number % 9 || 'AB'",
            "postcode_key": "'LS' || n.number % 29 + 1 || n.number % 9 || 'AB'",
            "received_at": f"{day} - interval '7 days'",
            "window_start": f"date_trunc('day', {day}) + n.number % 9 * interval '1 hour'",
            "window_end": f"date_trunc('day', {day}) + (n.number % 9 + 5) * interval '1 hour'",
            "state": f"'{JobState.CLOSED}'",
            "last_event_seq": f"{EVENTS}",
            "anonymised_at": self._purged(day, settings.RETENTION_PACK_DAYS),
        }
        source = f"generate_series(1, {number}) n(number)"
        insert_from(Job, columns, source=source, constants=jobs.columns_of(make.pack()))

    def _add_visits(self) -> None:
        self._add(
            Visit,
            {
                "id": "job.id",
                "engineer_id": self._of_people([person.pk for person in self.people]),
                "planned_start": "job.window_start",
                "planned_end": _later("120"),
                "travel_started_at": _later("20"),
                "arrived_at": _later("40"),
                "ended_at": _later("150"),
            },
        )
        self._add(
            Closure,
            {
                "code": "CASE job.id % 10 WHEN 0 THEN 'RNA/NA' WHEN 1 THEN 'POP' ELSE 'SP' END",
                "description": "'As found'",
                "closed_at": _later("150"),
                "recorded_at": _later("150"),
                "by_name": "'Erin'",
            },
        )

    def _add_events(self) -> None:
        users = self._of_people([person.user_id for person in self.people])
        old = f"job.window_start < {self._moment(settings.POSITION_EXACT_DAYS + 1)}"
        exact, rounded = POSITION.format(rounded=""), POSITION.format(rounded=", 'position_rounded', true")
        self._add(
            JobEvent,
            {
                "id": f"job.id * {EVENTS} + n.number",
                "seq": "n.number + 1",
                "kind": _choice(KINDS),
                "to_state": _choice(STATES),
                "actor": "CASE n.number WHEN 0 THEN 'seller' WHEN 1 THEN 'dispatcher' ELSE 'engineer' END",
                "user_id": f"CASE n.number WHEN 0 THEN NULL WHEN 1 THEN {self.office.pk} ELSE {users} END",
                "occurred_at": _later("20 * n.number"),
                "recorded_at": _later("20 * n.number"),
                "facts": f"CASE WHEN n.number NOT IN (2, 3) THEN {EMPTY} WHEN {old} THEN {rounded} ELSE {exact} END",
            },
            numbers=EVENTS,
        )

    def _add_sent(self) -> None:
        self._add(
            OutboundMessage,
            {
                "id": f"job.id * {EVENTS} + n.number + 1",
                "event_id": f"job.id * {EVENTS} + n.number + 1",
                "seq": "n.number + 1",
                "message_id": "gen_random_uuid()",
                "operation": f"CASE n.number WHEN {SENT - 1} THEN 'closeJob' ELSE 'notifyJob' END",
                "body": "jsonb_build_object('messageId', job.id, 'event', n.number, 'text', repeat('x', 120))",
                "state": "'sent'",
                "claims": "1",
                "created_at": _later("20 * n.number + 20"),
                "next_attempt_at": _later("20 * n.number + 20"),
                "sent_at": _later("20 * n.number + 21"),
                "purged_at": self._purged("job.window_start", settings.RETENTION_MESSAGE_DAYS),
            },
            numbers=SENT,
        )
        is_failed = "job.id % 100 = 0 AND n.number = 2"
        self._add(
            DeliveryAttempt,
            {
                "message_id": f"job.id * {EVENTS} + n.number + 1",
                "endpoint": "'https://seller' || job.id % 2 || '.example'",
                "started_at": _later("20 * n.number + 20"),
                "milliseconds": "job.id % 300",
                "status": f"CASE WHEN {is_failed} THEN NULL ELSE 200 END",
                "error": f"CASE WHEN {is_failed} THEN {NO_ANSWER} ELSE '{{}}'::jsonb END",
                "response": "'{\"messageId\": \"' || job.id || '\"}'",
            },
            numbers=SENT,
        )

    def _add_received(self) -> None:
        is_refused = "(n.number = 1 AND job.id % 500 = 7)"
        self._add(
            InboundMessage,
            {
                "message_id": f"CASE WHEN {is_refused} THEN NULL ELSE gen_random_uuid() END",
                "raw_message_id": "'m-' || job.id || '-' || n.number",
                "operation": "CASE n.number WHEN 0 THEN 'createJob' ELSE 'notifyJob' END",
                "body": "repeat('x', 200)",
                "body_sha256": "md5(job.id::text) || md5(n.number::text)",
                "received_at": _later("60 * n.number - 10080"),
                "outcome": f"CASE WHEN {is_refused} THEN 'refused' ELSE 'accepted' END",
                "response_status": f"CASE WHEN {is_refused} THEN 400 ELSE 200 END",
                "response": "jsonb_build_object('providerJobId', job.provider_job_id)",
                "repeated_at": f"CASE WHEN job.id % 300 = 0 THEN {_later('1')} END",
                "purged_at": self._purged(_later("60 * n.number - 10080"), settings.RETENTION_MESSAGE_DAYS),
            },
            numbers=RECEIVED,
        )

    def _add_from_phones(self) -> None:
        purged = self._purged("job.window_start", settings.RETENTION_PHONE_MESSAGE_DAYS)
        body = "CASE n.number WHEN 0 THEN jsonb_build_object('body', jsonb_build_object('position', {position})) "
        body += "ELSE jsonb_build_object('kind', 'answered', 'body', jsonb_build_object('value', 'yes')) END"
        self._add(
            PhoneMessage,
            {
                "message_id": "gen_random_uuid()",
                "engineer_id": self._of_people([person.pk for person in self.people]),
                "kind": "CASE n.number WHEN 0 THEN 'en_route' ELSE 'answered' END",
                "provider_job_id": "job.provider_job_id",
                "body": f"CASE WHEN {purged} IS NULL THEN {body.format(position=POSITION.format(rounded=''))} "
                "ELSE '{}'::jsonb END",
                "body_sha256": "md5(job.id::text) || md5(n.number::text)",
                "occurred_at": _later("5 * n.number"),
                "received_at": _later("5 * n.number"),
                "outcome": "'applied'",
                "answer": """'{"outcome": "applied", "problems": []}'::jsonb""",
                "purged_at": purged,
            },
            numbers=FROM_PHONES,
        )

    def _add(self, model: type[models.Model], columns: dict[str, str], *, numbers: int = 1) -> None:
        """`numbers` rows for each job."""
        known = {field.attname for field in model._meta.concrete_fields}
        own = {"job_id": "job.id"} if "job_id" in known else {}
        source = f"dispatch_job job CROSS JOIN generate_series(0, {numbers - 1}) n(number) ORDER BY job.id"
        insert_from(model, own | columns, source=source)

    def _moment(self, days: int) -> str:
        return f"'{(self.now - timedelta(days=days)).isoformat()}'::timestamptz"

    def _purged(self, when: str, days: int) -> str:
        """All but the day that is over since yesterday."""
        return f"CASE WHEN {when} < {self._moment(days + 1)} THEN {self._moment(0)} END"

    def _of_people(self, keys: list[int]) -> str:
        return f"(ARRAY{keys})[job.id % {len(keys)} + 1]"


def _later(minutes: str) -> str:
    return f"(job.window_start + ({minutes}) * interval '1 minute')"


def _choice(texts: tuple[str, ...]) -> str:
    return "CASE n.number " + " ".join(f"WHEN {key} THEN '{text}'" for key, text in enumerate(texts)) + " END"
