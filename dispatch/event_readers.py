"""Reading the history of all jobs step by step, for what reacts to events outside of their transaction.

A receiver of `job_event_recorded` must not fail and must not wait; a reader here may come late, and comes again to
what it has not settled. No event is left out, however late its transaction commits; each is read at least once.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from dispatch.models import JobEvent, JobEventReader
from monitoring.transaction_numbers import SETTLED_AFTER_SECONDS, transactions

# new ones in one call, and of what is handed over again; a step of settling takes SETTLED_AFTER_SECONDS
MOST_EVENTS = 2000
Handle = Callable[[Sequence[JobEvent]], None]


def forget_reader(name: str) -> None:
    """It begins anew with what is recorded after its next call: for whoever wants no past."""
    JobEventReader.objects.filter(name=name).delete()


def start_reader(name: str) -> None:
    """It begins anew with what is recorded from this moment on, however late its next call comes."""
    newest = _newest_key()
    start = {"settled_to": newest, "read_to": newest, "high_water_key": None, "marked_at": None}
    JobEventReader.objects.update_or_create(name=name, defaults=start)


def read_events(name: str, handle: Handle, *, settled_after: float = SETTLED_AFTER_SECONDS) -> None:
    """Call `handle` with the events that this reader has not settled, in the order of their keys, in one transaction
    with what it writes. It must know what it has handled already: the newest events come again at the next call, and
    what is settled once more. New ones never wait for that: a transaction may stay open for hours.

    A new reader begins with what is recorded from now on.
    """
    known = JobEventReader.objects.filter(name=name).first()
    # nothing is written, and nobody waits for a lock, where nothing has happened
    if known is None or JobEvent.objects.filter(pk__gt=known.settled_to).exists():
        _read_locked(name, handle, settled_after)


@transaction.atomic
def _read_locked(name: str, handle: Handle, settled_after: float) -> None:
    reader = _locked_reader(name)
    if _can_settle(reader, settled_after):
        handle(list(_unsettled(reader).filter(pk__lte=reader.high_water_key)))
        reader.settled_to, reader.high_water_key = reader.high_water_key or reader.settled_to, None
    _hand_over(reader, handle)
    if reader.high_water_key is None or _mark_lies_ahead(reader):
        _set_mark(reader)
    reader.save()


def _unsettled(reader: JobEventReader) -> QuerySet[JobEvent]:
    return JobEvent.objects.filter(pk__gt=reader.settled_to).select_related("job").order_by("pk")


def _hand_over(reader: JobEventReader, handle: Handle) -> None:
    """What is new, after the newest of what was read: among those an event most likely appears late."""
    events = _unsettled(reader)
    read = events.filter(pk__lte=reader.read_to).reverse()[:MOST_EVENTS]
    found = [*reversed(read), *events.filter(pk__gt=reader.read_to)[:MOST_EVENTS]]
    handle(found)
    reader.read_to = max(reader.read_to, reader.settled_to, *(event.pk for event in found[-1:]))


def _locked_reader(name: str) -> JobEventReader:
    if not JobEventReader.objects.filter(name=name).exists():
        newest = _newest_key()
        start = {"settled_to": newest, "read_to": newest}
        JobEventReader.objects.get_or_create(name=name, defaults=start)
    return JobEventReader.objects.select_for_update().get(name=name)


def _newest_key() -> int:
    return JobEvent.objects.aggregate(key=Max("pk"))["key"] or 0


def _can_settle(reader: JobEventReader, settled_after: float) -> bool:
    """Whether every transaction that may still write below the mark is over."""
    if reader.high_water_key is None or reader.marked_at is None:
        return False
    if timezone.now() - reader.marked_at < timedelta(seconds=settled_after):
        return False
    oldest, _following = transactions()
    return oldest >= reader.mark_transaction


def _mark_lies_ahead(reader: JobEventReader) -> bool:
    """Set by a clock that was put back since, or in the cluster that a backup came from, which counts transactions for
    itself: it would be waited for until then."""
    _oldest, following = transactions()
    is_future = reader.marked_at is not None and reader.marked_at > timezone.now()
    return is_future or reader.mark_transaction > following


def _set_mark(reader: JobEventReader) -> None:
    """The key first: who got a lower one had begun by then."""
    keys = JobEvent.objects.filter(pk__gt=reader.settled_to).order_by("pk").values_list("pk", flat=True)
    found = list(keys[:MOST_EVENTS])
    if found:
        _oldest, reader.mark_transaction = transactions()
        reader.high_water_key, reader.marked_at = found[-1], timezone.now()
