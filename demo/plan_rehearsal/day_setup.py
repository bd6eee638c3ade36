"""The people and the jobs of a rehearsed day, from a seed: a town with clusters of premises, half-day windows, and a
little more work than the day holds."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from math import cos, radians
from random import Random

from dispatch import jobs
from dispatch.job_pack import JobPack, Premises, SiteAddress, SiteContact
from dispatch.models import Job
from dispatch.states import JobType
from engineers import staff
from engineers.models import Engineer, Role, Skill, User
from engineers.shifts import TimeSpan, day_span
from engineers.staff import Position, ShiftPattern

# a Monday on which no clocks change: the same day whenever it is rehearsed
DAY = date(2027, 3, 1)
SHIFTS = (ShiftPattern((0,), time(8), time(12)), ShiftPattern((0,), time(12, 30), time(18)))
# hours of the day and the share of the jobs
WINDOWS, SHARES = ((8, 13), (13, 18), (8, 18)), (0.45, 0.45, 0.10)
QUARTERS = (4, 9)
CENTRE, CLUSTERS = (53.80, -1.55), 8
# kilometres
SPREAD_OF_CLUSTERS, SPREAD_OF_CLUSTER, SPREAD_OF_HOMES = 6.0, 1.2, 8.0
KILOMETRES_OF_DEGREE = 111.2
CLUSTERED_SHARE, FLAT_SHARE, SKILLED_SHARE = 0.8, 0.15, 0.4
SKILL_OF_FLATS, FLAG_OF_FLATS = "mdu", "MDU"


@dataclass(frozen=True)
class RehearsedPeople:
    dispatcher: User
    engineers: list[Engineer]
    jobs: list[Job]


def fill_day(*, engineers: int, jobs: int, seed: int) -> RehearsedPeople:
    """The same for the same arguments."""
    chance = Random(f"{seed}:day")  # noqa: S311  # a rehearsal, not a key
    hubs = [_point(chance, CENTRE, spread=SPREAD_OF_CLUSTERS) for _ in range(CLUSTERS)]
    Skill.objects.get_or_create(code=SKILL_OF_FLATS, defaults={"name": SKILL_OF_FLATS})
    dispatcher = staff.hire_office(username="dana", password=None, name="Dana Lowe", role=Role.DISPATCHER)
    return RehearsedPeople(
        dispatcher,
        [_hire(number, chance) for number in range(engineers)],
        [_receive(number, chance, hubs) for number in range(jobs)],
    )


def hour_of(hour: float) -> datetime:
    return day_span(DAY).start + timedelta(hours=hour)


# between the two shifts
BREAK = TimeSpan(hour_of(12), hour_of(12.5))


def _hire(number: int, chance: Random) -> Engineer:
    latitude, longitude = _point(chance, CENTRE, spread=SPREAD_OF_HOMES)
    return staff.hire_engineer(
        username=f"engineer{number:03}",
        password=None,
        name=f"Engineer {number:03}",
        staff_number=f"E{number:03}",
        phone="",
        home=Position(latitude, longitude, accuracy_metres=10),
        skill_codes=[SKILL_OF_FLATS] if chance.random() < SKILLED_SHARE else [],
        shifts=SHIFTS,
    )


def _receive(number: int, chance: Random, hubs: list[tuple[float, float]]) -> Job:
    is_clustered = chance.random() < CLUSTERED_SHARE
    spread = SPREAD_OF_CLUSTER if is_clustered else SPREAD_OF_HOMES
    latitude, longitude = _point(chance, chance.choice(hubs) if is_clustered else CENTRE, spread=spread)
    window = _window(chance)
    pack = JobPack(
        seller_job_id=f"S-{number:04}",
        job_type=JobType.INSTALLATION,
        product_name="Residential FTTH 1 Gbps",
        premises=Premises(
            uprn=f"{number:012}",
            address=SiteAddress((f"{number + 1} Chapel Row",), "Leeds", f"LS{number % 29 + 1} 1AA"),
            latitude=latitude,
            longitude=longitude,
            flags=(FLAG_OF_FLATS,) if chance.random() < FLAT_SHARE else (),
        ),
        contact=SiteContact("Pat Tester", ""),
        window_start=window.start,
        window_end=window.end,
        reservation_key=f"RK-{number:04}",
        duration_minutes=15 * chance.randint(*QUARTERS),
    )
    return jobs.create_job(pack=pack).job


def _window(chance: Random) -> TimeSpan:
    (hours,) = chance.choices(WINDOWS, SHARES)
    return TimeSpan(*map(hour_of, hours))


def _point(chance: Random, centre: tuple[float, float], *, spread: float) -> tuple[float, float]:
    north, east = chance.gauss(0, spread), chance.gauss(0, spread)
    latitude, longitude = centre
    width = KILOMETRES_OF_DEGREE * cos(radians(latitude))
    return round(latitude + north / KILOMETRES_OF_DEGREE, 6), round(longitude + east / width, 6)
