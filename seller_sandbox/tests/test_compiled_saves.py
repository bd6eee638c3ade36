"""A model whose SQL is made once is saved as any other."""

import contextlib
from uuid import uuid4

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import F

from seller_sandbox.messages import outbox
from seller_sandbox.messages.models import MessageThread, OutboundMessage
from seller_sandbox.tests import make

pytestmark = pytest.mark.django_db


def test_a_row_is_read_as_it_was_written() -> None:
    thread = make.job().thread
    made = outbox.enqueue(thread=thread, operation="cancelJob", members={"reason": {"code": "C"}})
    made.body, made.message_id, made.attempts = "<a/>", uuid4(), 7
    made.save()

    found = OutboundMessage.objects.get(pk=made.pk)

    written = ("body", "message_id", "attempts", "members", "next_attempt_at", "thread_id", "leased_until")
    assert [getattr(found, name) for name in written] == [getattr(made, name) for name in written]


def test_only_the_named_fields_are_written() -> None:
    thread = make.job().thread
    thread.recipient, thread.is_held = "somebody else", True
    thread.save(update_fields=["is_held"])

    found = MessageThread.objects.get(pk=thread.pk)

    assert (found.recipient, found.is_held) == ("partner", True)


def test_an_expression_is_left_to_the_orm() -> None:
    thread = make.job().thread
    # createJob was the first message
    thread.last_seq = F("last_seq") + 1
    thread.save(update_fields=["last_seq"])

    assert MessageThread.objects.get(pk=thread.pk).last_seq == 2


def test_a_row_that_is_gone_is_not_updated() -> None:
    thread = MessageThread.objects.create(kind="job", reference="R", recipient="partner")
    MessageThread.objects.filter(pk=thread.pk).delete()

    with pytest.raises(DatabaseError):
        thread.save(update_fields=["is_held"])


def test_a_second_row_of_a_unique_key_is_refused() -> None:
    MessageThread.objects.create(kind="job", reference="R", recipient="partner")

    with pytest.raises(IntegrityError), transaction.atomic():
        MessageThread.objects.create(kind="job", reference="R", recipient="partner")


def test_an_added_row_is_one_that_can_be_changed() -> None:
    thread = MessageThread.add(kind="job", reference="R", recipient="partner")
    thread.is_held = True
    thread.save()

    assert (thread._state.adding, MessageThread.objects.get()) == (False, thread)
    assert MessageThread.objects.get().is_held


def test_a_row_with_a_key_of_its_own_is_left_to_django() -> None:
    thread = MessageThread(pk=7_000_000, kind="job", reference="R", recipient="partner")
    thread.save()

    assert MessageThread.objects.get().pk == 7_000_000


def test_named_fields_of_a_row_that_was_never_saved_are_refused() -> None:
    with pytest.raises(ValueError, match="no primary key"):
        MessageThread(kind="job", reference="R", recipient="partner").save(update_fields=["is_held"])


def test_a_failed_write_is_not_committed_with_what_came_before() -> None:
    """As with every model: who goes on after it is told to roll back."""
    MessageThread.add(kind="job", reference="R", recipient="partner")

    with pytest.raises(transaction.TransactionManagementError), transaction.atomic():
        with contextlib.suppress(IntegrityError):
            MessageThread.add(kind="job", reference="R", recipient="partner")
        MessageThread.objects.count()


def threads(*references: str) -> list[MessageThread]:
    return [MessageThread(kind="job", reference=reference, recipient="partner") for reference in references]


@pytest.mark.parametrize("references", [[], ["R"], ["R", "S", "T"]])
def test_rows_that_are_written_together_are_read_as_they_were_written(references: list[str]) -> None:
    MessageThread.add_all(threads(*references))
    rows = list(MessageThread.objects.order_by("id"))
    for number, row in enumerate(rows):
        row.last_seq, row.recipient = number, "somebody else"

    MessageThread.save_all(rows, update_fields=["last_seq"])

    found = MessageThread.objects.order_by("id").values_list("reference", "last_seq", "recipient")
    assert [*found] == [(reference, number, "partner") for number, reference in enumerate(references)]


def test_an_expression_among_rows_that_are_written_together_is_left_to_the_orm() -> None:
    MessageThread.add_all(threads("R", "S"))
    first, second = MessageThread.objects.order_by("id")
    first.last_seq, second.last_seq = F("last_seq") + 1, 7

    MessageThread.save_all([first, second], update_fields=["last_seq"])

    assert [*MessageThread.objects.order_by("id").values_list("last_seq", flat=True)] == [1, 7]


def test_one_row_that_is_gone_is_not_passed_over_among_others() -> None:
    MessageThread.add_all(threads("R", "S"))
    rows = list(MessageThread.objects.all())
    MessageThread.objects.filter(reference="S").delete()

    with pytest.raises(DatabaseError), transaction.atomic():
        MessageThread.save_all(rows, update_fields=["is_held"])


def test_one_second_row_of_a_unique_key_refuses_all_that_are_added_with_it() -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        MessageThread.add_all(threads("R", "S", "R"))

    assert not MessageThread.objects.exists()
