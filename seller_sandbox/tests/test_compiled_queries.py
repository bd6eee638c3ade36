"""A compiled query finds what the ORM's own query finds, each time anew."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db.models import DateTimeField, Exists, OuterRef, UUIDField

from seller_sandbox import clock, due_actions
from seller_sandbox.compiled_queries import CompiledQuery, CompiledUpdate, Parameter
from seller_sandbox.messages import outbox
from seller_sandbox.messages.models import MessageThread, OutboundMessage
from seller_sandbox.models import DueAction, Heartbeat
from seller_sandbox.tests import make

pytestmark = pytest.mark.django_db

BY_NAME = CompiledQuery(lambda: Heartbeat.objects.filter(name=Parameter("name")))
NAMES = CompiledQuery(lambda: Heartbeat.objects.order_by("-name").values_list("name"))
DUE = CompiledQuery(
    lambda: DueAction.objects.open().filter(due_at__lte=Parameter("now", DateTimeField())).order_by("id")
)
BY_MESSAGE_ID = CompiledQuery(
    lambda: OutboundMessage.objects.select_related("thread").filter(
        message_id=Parameter("message_id", UUIDField())
    )
)

MOVE = CompiledUpdate(
    lambda: Heartbeat.objects.filter(name=Parameter("name")), at=Parameter("at", DateTimeField())
)


def test_each_run_has_values_of_its_own_and_asks_the_database() -> None:
    first, second = [Heartbeat.objects.create(name=name, at=clock.now()) for name in ("a", "b")]

    assert [BY_NAME.first(name=name) for name in ("a", "b", "c")] == [first, second, None]
    assert BY_NAME.get(name="a").at == first.at
    assert NAMES.row() == ("b",)

    second.delete()

    assert BY_NAME.all(name="b") == []
    assert NAMES.row() == ("a",)


def test_nothing_found() -> None:
    assert NAMES.row() is None
    assert not NAMES.is_found()
    with pytest.raises(Heartbeat.DoesNotExist):
        BY_NAME.get(name="a")


def test_an_instant_and_an_identifier_are_written_as_the_database_wants_them() -> None:
    now = clock.now()
    due, _ = [
        due_actions.schedule("orders.validate", at=now + timedelta(hours=hours), subject="S")
        for hours in (1, 3)
    ]
    message = OutboundMessage.objects.get(thread=make.job().thread)

    assert DUE.all(now=now + timedelta(hours=2)) == [due]
    assert BY_MESSAGE_ID.first(message_id=message.message_id) == message
    assert BY_MESSAGE_ID.first(message_id=uuid4()) is None


def test_related_rows_and_json_come_with_the_instance(
    django_assert_num_queries,
) -> None:
    thread = make.job().thread
    message = outbox.enqueue(thread=thread, operation="cancelJob", members={"reason": {"code": "C"}})

    with django_assert_num_queries(1):
        found = BY_MESSAGE_ID.get(message_id=message.message_id)

        assert (found.thread, found.thread.reference) == (thread, thread.reference)
        assert found.members == {"reason": {"code": "C"}}


def test_an_update_changes_its_rows_and_counts_them() -> None:
    names = [Heartbeat.objects.create(name=name, at=clock.now()).name for name in ("a", "b")]
    later = clock.now() + timedelta(hours=1)

    assert [MOVE.run(name=name, at=later) for name in (names[0], "c")] == [1, 0]
    assert [row.at == later for row in Heartbeat.objects.order_by("name")] == [True, False]


def test_annotations_come_with_the_instance() -> None:
    job = make.job()
    query = CompiledQuery(
        lambda: (
            MessageThread.objects.filter(reference=Parameter("reference"))
            .select_related("job")
            .annotate(is_asked=Exists(OutboundMessage.objects.filter(thread=OuterRef("pk"))))
        )
    )
    other = MessageThread.objects.create(kind="job", reference="R", recipient="partner")

    found, unasked = [query.get(reference=thread.reference) for thread in (job.thread, other)]

    assert (found, found.job, found.is_asked) == (job.thread, job, True)
    assert (unasked, unasked.is_asked) == (other, False)
