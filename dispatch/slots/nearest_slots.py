"""The slots of the nearest engineers, without the rotas of those who cannot be among them."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import MAXYEAR, datetime
from operator import itemgetter

from dispatch.driving.travel import Coordinates, job_coordinates
from dispatch.slots.busy_visits import BusyVisit
from dispatch.slots.free_slots import (
    JobDay,
    PersonDay,
    SlotSuggestion,
    earliest_start,
    find_slot,
    person_day,
    read_drives,
)
from dispatch.slots.slot_data import Homes
from engineers.shifts import TimeSpan

# so many rotas are read first, and then twice as many each time: some of these engineers are off, and at a busy hour a
# drive takes longer than its bound, by which the next may still be nearer
FIRST_READ = 20
# of a slot, and the place of its engineer among all, which decides between equals
Rank = tuple[bool, int, datetime, int]
PersonSlot = tuple[SlotSuggestion, PersonDay]


def nearest_slots(day: JobDay, homes: Homes, *, most: int) -> list[SlotSuggestion]:
    return [slot for slot, _person in nearest_people(day, homes, most=most)]


def nearest_people(day: JobDay, homes: Homes, *, most: int) -> list[PersonSlot]:
    """Of these engineers as if everybody's slot were found and the nearest kept. Five queries and those of `day`, whose
    drives it sets; four more for each further reading of rotas. One where everybody's were read before (`day.people`),
    and none for what `day.reading` has read."""
    found: list[tuple[Rank, PersonSlot]] = []
    candidates, size = sorted(_candidates(day, homes)), FIRST_READ
    while candidates:
        found = sorted([*found, *_ranked_slots(day, candidates[:size])], key=itemgetter(0))
        candidates, size = candidates[size:], 2 * size
        if len(found) >= most:
            candidates = [candidate for candidate in candidates if candidate[0] < found[most - 1][0]]
    return [pair for _rank, pair in found[:most]]


def _candidates(day: JobDay, homes: Homes) -> Iterator[tuple[Rank, int]]:
    """The engineers (keys) whose visits leave time, each with the best rank that the slot can have."""
    read_drives(day, homes.values())
    for number, (key, home) in enumerate(homes.items()):
        bound = slot_bound(day, day.busy.get(key, []), home=home)
        if bound:
            yield (False, *bound, number), key


def _ranked_slots(day: JobDay, candidates: Iterable[tuple[Rank, int]]) -> Iterator[tuple[Rank, PersonSlot]]:
    numbers = {engineer: number for (*_best, number), engineer in candidates}
    for person in _people(day, numbers):
        slot = find_slot(day, person)
        if slot:
            yield (*slot.rank, numbers[person.engineer.pk]), (slot, person)


def _people(day: JobDay, keys: Collection[int]) -> list[PersonDay]:
    if day.people is not None:
        return [person for person in day.people if person.engineer.pk in keys]
    return [person_day(day, engineer) for engineer in day.reading.rotas(keys)]


def slot_bound(
    day: JobDay, visits: Sequence[BusyVisit], *, home: Coordinates | None
) -> tuple[int, datetime] | None:
    """Seconds of the drive and start: whatever the rota of the engineer with these visits says, no slot is nearer, and
    none is sooner. None where the visits leave no time."""
    # nobody works in the last year of the calendar (shifts.work_time), and nothing can be added to its end
    if day.opens.start.year == MAXYEAR:
        return None
    always = TimeSpan(day.opens.start, day.opens.end + day.job.duration)
    held = [visit.held for visit in visits if visit.holds_time]
    starts_at = earliest_start(day.job, at_work=[always], occupied=held, opens=day.opens)
    if starts_at is None:
        return None
    ended = [number for number, visit in enumerate(visits) if visit.held.end <= starts_at]
    # whoever begins later comes from the same visit or from a later one
    origins = [visit for visit in visits[ended[-1] if ended else 0 :] if visit.held.end < day.opens.end]
    own = job_coordinates(day.job)
    travel = [day.drives.seconds(visit.position, own, at=visit.free_at) for visit in origins]
    if not ended:
        leaves = TimeSpan(starts_at, day.opens.end)
        travel.append(day.drives.least_seconds(home, own, during=leaves))
    return min(travel), starts_at
