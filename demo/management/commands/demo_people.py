"""The people of the demo: invented names round Leeds, with homes, skills and shifts. May be run again."""

from dataclasses import dataclass
from datetime import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import check_password, is_password_usable, make_password
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from dispatch.skills import SKILL_NAMES
from engineers import staff
from engineers.models import Area, Role, Skill, User
from engineers.staff import Position, ShiftPattern

OFFICE = (
    ("supervisor", "Ruth Calder", Role.SUPERVISOR),
    ("dana", "Dana Whitlock", Role.DISPATCHER),
    ("imran", "Imran Sadiq", Role.DISPATCHER),
)
EVERY_DAY = tuple(range(7))
DAY = (ShiftPattern(EVERY_DAY, time(8), time(18)),)
EARLY = (ShiftPattern(EVERY_DAY, time(7), time(16)),)
LATE = (ShiftPattern(EVERY_DAY, time(10), time(20)),)
# weekdays long, weekend short
SHORT_WEEKEND = (
    ShiftPattern((0, 1, 2, 3, 4), time(8), time(18)),
    ShiftPattern((5, 6), time(8), time(14)),
)
AREAS = {
    "Leeds Centre": "LS30 LS34",
    "Leeds North": "LS32 LS35 LS36",
    "Leeds South": "LS33 LS39",
    "Leeds West": "LS31 LS37 LS38",
}
CENTRE, NORTH, SOUTH, WEST = AREAS
HOIST, DANGER, MDU, CIVILS, TEAM = "cherry-picker", "dangerous-sites", "mdu", "civils", "team-of-two"


@dataclass(frozen=True)
class DemoEngineer:
    username: str
    name: str
    area: str
    latitude: float
    longitude: float
    skills: tuple[str, ...]
    shifts: tuple[ShiftPattern, ...] = DAY
    further_areas: tuple[str, ...] = ()


ENGINEERS = (
    DemoEngineer("aled", "Aled Hughes", NORTH, 53.8290, -1.5405, (HOIST, MDU, TEAM)),
    DemoEngineer("bea", "Bea Okafor", WEST, 53.8152, -1.5801, (MDU,)),
    DemoEngineer(
        "callum", "Callum Reid", SOUTH, 53.7793, -1.5716, (HOIST, DANGER, CIVILS, TEAM), further_areas=(WEST,)
    ),
    DemoEngineer("divya", "Divya Nair", CENTRE, 53.8021, -1.4893, (MDU, DANGER)),
    DemoEngineer("ewan", "Ewan Marsh", WEST, 53.8417, -1.6384, (CIVILS, HOIST, TEAM), EARLY),
    DemoEngineer("farah", "Farah Aziz", CENTRE, 53.7960, -1.5265, (MDU,)),
    DemoEngineer("gwen", "Gwen Pritchard", SOUTH, 53.7644, -1.5088, (CIVILS, DANGER, TEAM), SHORT_WEEKEND),
    DemoEngineer("hassan", "Hassan Bello", WEST, 53.8105, -1.6592, (HOIST, MDU, DANGER, TEAM)),
    DemoEngineer("isla", "Isla Thorne", NORTH, 53.8533, -1.5190, (MDU,), LATE),
    DemoEngineer("jonas", "Jonas Pike", WEST, 53.7866, -1.6120, (CIVILS,), SHORT_WEEKEND),
    DemoEngineer(
        "kasia",
        "Kasia Nowak",
        NORTH,
        53.8214,
        -1.4620,
        (HOIST, DANGER, MDU, CIVILS, TEAM),
        further_areas=(CENTRE, SOUTH),
    ),
    DemoEngineer("leroy", "Leroy Grant", SOUTH, 53.7721, -1.4731, ()),
    DemoEngineer("mina", "Mina Patel", CENTRE, 53.8003, -1.5402, (MDU, CIVILS)),
    DemoEngineer("owen", "Owen Price", SOUTH, 53.7702, -1.5333, (HOIST, MDU, TEAM), LATE),
)


# for a full day: invented, and each first name once
MORE_NAMES = (
    "Adam Birch, Amir Dean, Anna Frost, Ben Holt, Bryn Jones, Carys Lowe, Chloe Marr, Colin Nash, Dev Rao, Diana Orr, "
    "Edie Quinn, Elin Rees, Eric Shaw, Faye Todd, Finn Usher, Gabi Vance, Glen Ward, Hana Yuen, Hugh Abbot, Ines Bell, "
    "Ivan Cole, Jade Drew, Jim East, Joan Ford, Kate Gill, Keith Hand, Kofi Mensah, Lena Ivory, Liam Judd, Lucy Knox, "
    "Malik Amin, Maya Lund, Max Moor, Nadia Noor, Nils Ost, Nora Page, Olga Raine, Omar Said, Paul Tate, Petra Vale, "
    "Rhys Wynn, Rosa York, Sami Zaman, Tess Ash, Vera Blythe, Will Cross"
)
SKILL_SETS = (
    (HOIST, MDU, TEAM),
    (MDU,),
    (HOIST, DANGER, CIVILS, TEAM),
    (MDU, DANGER),
    (CIVILS,),
    (HOIST, MDU, DANGER, TEAM),
)


def more_engineers(count: int) -> list[DemoEngineer]:
    """At most so many after the named ones, spread over areas, homes and skills."""
    return [
        DemoEngineer(
            username=name.split()[0].lower(),
            name=name,
            area=list(AREAS)[number % len(AREAS)],
            latitude=round(53.755 + 0.017 * (number % 7), 4),
            longitude=round(-1.655 + 0.022 * (number % 9), 4),
            skills=SKILL_SETS[number % len(SKILL_SETS)],
        )
        for number, name in enumerate(MORE_NAMES.split(", ")[: max(0, count)])
    ]


class Command(BaseCommand):
    help = "Create the demo's supervisor, dispatchers and engineers; existing ones are kept."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--password-file", type=Path, required=True, help="file with the password of all of them"
        )
        parser.add_argument("--engineers", type=int, default=len(ENGINEERS), help="how many there are in all")

    @transaction.atomic
    def handle(self, *_args: Any, **options: Any) -> None:
        if settings.DEPLOYMENT == "production":
            raise CommandError("Demo users share one known password and are not allowed in production.")
        password = options["password_file"].read_text().strip()
        for code, skill_name in SKILL_NAMES.items():
            Skill.objects.get_or_create(code=code, defaults={"name": str(skill_name)})
        for area, postcodes in AREAS.items():
            Area.objects.get_or_create(name=area, defaults={"postcodes": postcodes})
        for username, name, role in OFFICE:
            if not self._known(username):
                staff.hire_office(username=username, password=None, name=name, role=role)
        engineers = [*ENGINEERS, *more_engineers(options["engineers"] - len(ENGINEERS))]
        for number, engineer in enumerate(engineers, start=1):
            if not self._known(engineer.username):
                self._hire(engineer, number=number)
        _let_in([*(username for username, *_ in OFFICE), *(made.username for made in engineers)], password)

    def _known(self, username: str) -> bool:
        # made by version 0.1
        User.objects.filter(username=username, is_superuser=True).update(is_superuser=False)
        return User.objects.filter(username=username).exists()

    def _hire(self, engineer: DemoEngineer, *, number: int) -> None:
        staff.hire_engineer(
            username=engineer.username,
            password=None,
            name=engineer.name,
            staff_number=f"LS{number:03}",
            phone=f"07700 900{100 + number}",
            home=Position(latitude=engineer.latitude, longitude=engineer.longitude),
            skill_codes=engineer.skills,
            shifts=engineer.shifts,
            areas=[Area.objects.get(name=name) for name in (engineer.area, *engineer.further_areas)],
        )


def _let_in(usernames: list[str], password: str) -> None:
    """Whose log-in does not work with the printed password gets it. A hash is slow on purpose: all share one."""
    people = User.objects.filter(username__in=usernames)
    hashes = filter(is_password_usable, people.values_list("password", flat=True).distinct())
    right = [known for known in hashes if check_password(password, known)]
    wrong = people.exclude(password__in=right)
    if wrong.exists():
        wrong.update(password=right[0] if right else make_password(password), must_change_password=False)
