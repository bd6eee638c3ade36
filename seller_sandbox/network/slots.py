"""Half days in which an engineer can come, and how many visits are left in each."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count, DateField, DateTimeField

from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.network import business_days
from seller_sandbox.network.models import Appointment, AppointmentType, Half, SlotCapacity

HOURS = {Half.AM: (time(8), time(13)), Half.PM: (time(13), time(18))}
_SATURDAY = 5

# appointment type, local day, half
HalfDay = tuple[str, date, str]


@dataclass(frozen=True)
class Slot:
    """Aware instants; 08:00–13:00 or 13:00–18:00 of a local day."""

    starts_at: datetime
    ends_at: datetime

    @property
    def day(self) -> date:
        return self.starts_at.astimezone(settings.LOCAL_ZONE).date()


@dataclass(frozen=True)
class Team:
    """Whose visits are counted together: engineers of one area for one type of appointment."""

    area: str
    appointment_type: AppointmentType


_OF_TEAM = {"area": Parameter("area"), "appointment_type": Parameter("kind")}
_LOCKED = CompiledQuery(
    lambda: SlotCapacity.objects.select_for_update().filter(**_OF_TEAM).order_by("pk").values_list("pk")
)
_CAPACITIES = CompiledQuery(
    lambda: (
        SlotCapacity.objects.filter(**_OF_TEAM)
        .exclude(day__lt=Parameter("first", DateField()))
        .exclude(day__gt=Parameter("last", DateField()))
        .values_list("day", "half", "capacity")
    )
)
# how many visits begin and end together
_VISITS = CompiledQuery(
    lambda: (
        Appointment.objects.using_capacity()
        .filter(
            starts_at__gte=Parameter("first", DateTimeField()),
            starts_at__lte=Parameter("last", DateTimeField()),
            **_OF_TEAM,
        )
        .order_by()
        .values_list("starts_at", "ends_at")
        .annotate(visits=Count("pk"))
    )
)


def slot_on(day: date, half: Half) -> Slot:
    """The half day by the local clock, so that 13:00 stays 13:00 when the clocks change."""
    start, end = (datetime.combine(day, hour, tzinfo=settings.LOCAL_ZONE) for hour in HOURS[half])
    return Slot(start, end)


def reservation_end(slot: Slot, *, reserved_at: datetime) -> datetime:
    """After the usual hours; at the latest when the day of the visit begins, on that day when its slot begins."""
    day_begins = datetime.combine(slot.day, time(), tzinfo=settings.LOCAL_ZONE)
    latest = day_begins if reserved_at < day_begins else slot.starts_at
    return min(reserved_at + timedelta(hours=settings.RESERVATION_HOURS), latest)


def is_working_day(day: date, appointment_type: AppointmentType = AppointmentType.INSTALL) -> bool:
    """Repairs are made on Saturdays, too."""
    works_on_saturdays = settings.SATURDAY_APPOINTMENTS or appointment_type == AppointmentType.REPAIR
    is_saturday = day.weekday() == _SATURDAY and not business_days.is_bank_holiday(day)
    return business_days.is_business_day(day) or (works_on_saturdays and is_saturday)


def free_slots(team: Team, *, first: date, last: date) -> list[Slot]:
    """Those of working days from `first` to `last` in which a visit is left, in order."""
    capacity = _Capacity(team, first, last)
    used = _used(team, first, last)
    return [
        slot_on(day, half)
        for day in _working_days(team, first, last)
        for half in Half
        if capacity.of(day, half) > used[slot_on(day, half)]
    ]


def lock(team: Team) -> None:
    """Nobody else takes a slot of this team until the transaction ends (SQLite: nobody writes at all)."""
    _LOCKED.rows(area=team.area, kind=team.appointment_type)


@transaction.atomic
def set_capacity(team: Team, *, half: Half, day: date | None, capacity: int) -> None:
    """Visits that the team can take in this half day: usually (no day), or on this day."""
    lock(team)
    SlotCapacity.objects.update_or_create(
        area=team.area,
        appointment_type=team.appointment_type,
        half=half,
        day=day,
        defaults={"capacity": capacity},
    )


def own_capacities(area: str, *, first: date) -> dict[HalfDay, int]:
    """Half days from `first` on that do not have the usual capacity."""
    rows = SlotCapacity.objects.filter(area=area, day__gte=first)
    return {(row.appointment_type, row.day, row.half): row.capacity for row in rows if row.day}


def used_visits(area: str, *, first: date) -> Counter[HalfDay]:
    """How many visits appointments use from `first` on."""
    found = Appointment.objects.using_capacity().filter(
        area=area, starts_at__gte=slot_on(first, Half.AM).starts_at
    )
    halves = {start: half for half, (start, _) in HOURS.items()}
    used: Counter[HalfDay] = Counter()
    for appointment_type, starts_at in found.values_list("appointment_type", "starts_at"):
        local = starts_at.astimezone(settings.LOCAL_ZONE)
        used[appointment_type, local.date(), halves[local.time()]] += 1
    return used


class _Capacity:
    """The capacity rows of a team, read once."""

    def __init__(self, team: Team, first: date, last: date) -> None:
        found = _CAPACITIES.rows(area=team.area, kind=team.appointment_type, first=first, last=last)
        self._visits = {(day, half): capacity for day, half, capacity in found}

    def of(self, day: date, half: Half) -> int:
        return self._visits.get((day, half), self._visits.get((None, half), 0))


def _used(team: Team, first: date, last: date) -> Counter[Slot]:
    found = _VISITS.rows(
        area=team.area,
        kind=team.appointment_type,
        first=slot_on(first, Half.AM).starts_at,
        last=slot_on(last, Half.PM).starts_at,
    )
    return Counter({Slot(start, end): visits for start, end, visits in found})


def _working_days(team: Team, first: date, last: date) -> Iterator[date]:
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        if is_working_day(day, team.appointment_type):
            yield day
