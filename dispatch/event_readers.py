"""Reading the history of all jobs step by step, for what reacts to events outside of their transaction.

A receiver of `job_event_recorded` must not fail and must not wait; a reader here may come late, and comes again to
what it has not settled. No event is left out, however late its transaction commits; each is read at least once.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from dispatch.models import JobEvent, JobEventReader
from monitoring.transaction_numbers import SETTLED_AFTER_SECONDS, transactions

# of a backlog: a step takes SETTLED_AFTER_SECONDS
MOST_EVENTS = 2000
Handle = Callable[[Sequence[JobEvent]], None]


def forget_reader(name: str) -> None:
    """It begins anew with what is recorded after its next call: for whoever wants no past."""
    JobEventReader.objects.filter(name=name).delete()


def read_events(name: str, handle: Handle, *, settled_after: float = SETTLED_AFTER_SECONDS) -> None:
    """Call `handle` with the events that this reader has not settled, in the order of their keys, in one transaction
    with what it writes. It must know what it has handled already: the newest events come again at the next call.

    A new reader begins with what is recorded from now on.
    """
    known = JobEventReader.objects.filter(name=name).first()
    # nothing is written, and nobody waits for a lock, where nothing has happened
    if known is None or JobEvent.objects.filter(pk__gt=known.settled_to).exists():
        _read_locked(name, handle, settled_after)


@transaction.atomic
def _read_locked(name: str, handle: Handle, settled_after: float) -> None:
    reader = _locked_reader(name)
    events = JobEvent.objects.filter(pk__gt=reader.settled_to).select_related("job")
    if _can_settle(reader, settled_after):
        handle(list(events.filter(pk__lte=reader.mark_key).order_by("pk")))
        reader.settled_to, reader.mark_key = reader.mark_key or reader.settled_to, None
    handle(list(events.filter(pk__gt=reader.settled_to).order_by("pk")[:MOST_EVENTS]))
    if reader.mark_key is None:
        _set_mark(reader)
    reader.save()


def _locked_reader(name: str) -> JobEventReader:
    newest = JobEvent.objects.aggregate(key=Max("pk"))["key"] or 0
    JobEventReader.objects.get_or_create(name=name, defaults={"settled_to": newest})
    return JobEventReader.objects.select_for_update().get(name=name)


def _can_settle(reader: JobEventReader, settled_after: float) -> bool:
    """Whether every transaction that may still write below the mark is over."""
    if reader.mark_key is None or reader.marked_at is None:
        return False
    if timezone.now() - reader.marked_at < timedelta(seconds=settled_after):
        return False
    oldest, _following = transactions()
    return oldest >= reader.mark_transaction


def _set_mark(reader: JobEventReader) -> None:
    """The key first: who got a lower one had begun by then."""
    keys = JobEvent.objects.filter(pk__gt=reader.settled_to).order_by("pk").values_list("pk", flat=True)
    found = list(keys[:MOST_EVENTS])
    if found:
        _oldest, reader.mark_transaction = transactions()
        reader.mark_key, reader.marked_at = found[-1], timezone.now()
