"""The people of the demo: invented names round Leeds, with homes, skills and shifts. May be run again."""

from dataclasses import dataclass
from datetime import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from dispatch.skills import SKILL_NAMES
from engineers import staff
from engineers.models import Role, Skill, User
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
HOIST, DANGER, MDU, CIVILS = "cherry-picker", "dangerous-sites", "mdu", "civils"


@dataclass(frozen=True)
class DemoEngineer:
    username: str
    name: str
    latitude: float
    longitude: float
    skills: tuple[str, ...]
    shifts: tuple[ShiftPattern, ...] = DAY


ENGINEERS = (
    DemoEngineer("aled", "Aled Hughes", 53.8290, -1.5405, (HOIST, MDU)),
    DemoEngineer("bea", "Bea Okafor", 53.8152, -1.5801, (MDU,)),
    DemoEngineer("callum", "Callum Reid", 53.7793, -1.5716, (HOIST, DANGER, CIVILS)),
    DemoEngineer("divya", "Divya Nair", 53.8021, -1.4893, (MDU, DANGER)),
    DemoEngineer("ewan", "Ewan Marsh", 53.8417, -1.6384, (CIVILS, HOIST), EARLY),
    DemoEngineer("farah", "Farah Aziz", 53.7960, -1.5265, (MDU,)),
    DemoEngineer("gwen", "Gwen Pritchard", 53.7644, -1.5088, (CIVILS, DANGER), SHORT_WEEKEND),
    DemoEngineer("hassan", "Hassan Bello", 53.8105, -1.6592, (HOIST, MDU, DANGER)),
    DemoEngineer("isla", "Isla Thorne", 53.8533, -1.5190, (MDU,), LATE),
    DemoEngineer("jonas", "Jonas Pike", 53.7866, -1.6120, (CIVILS,), SHORT_WEEKEND),
    DemoEngineer("kasia", "Kasia Nowak", 53.8214, -1.4620, (HOIST, DANGER, MDU, CIVILS)),
    DemoEngineer("leroy", "Leroy Grant", 53.7721, -1.4731, ()),
)


class Command(BaseCommand):
    help = "Create the demo's supervisor, dispatchers and engineers; existing ones are kept."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--password-file", type=Path, required=True, help="file with the password of all of them"
        )

    @transaction.atomic
    def handle(self, *_args: Any, **options: Any) -> None:
        if settings.DEPLOYMENT == "production":
            raise CommandError("Demo users share one known password and are not allowed in production.")
        password = options["password_file"].read_text().strip()
        for code, skill_name in SKILL_NAMES.items():
            Skill.objects.get_or_create(code=code, defaults={"name": str(skill_name)})
        for username, name, role in OFFICE:
            if not self._known(username, password):
                staff.hire_office(username=username, password=password, name=name, role=role)
        for number, engineer in enumerate(ENGINEERS, start=1):
            if not self._known(engineer.username, password):
                self._hire(engineer, number=number, password=password)

    def _known(self, username: str, password: str) -> bool:
        """Whether the person is there; a log-in that no longer works with the printed password is restored."""
        user = User.objects.filter(username=username).first()
        if user and not user.check_password(password):
            user.set_password(password)
            user.must_change_password = False
            user.save(update_fields=["password", "must_change_password"])
        # made by version 0.1
        User.objects.filter(username=username, is_superuser=True).update(is_superuser=False)
        return user is not None

    def _hire(self, engineer: DemoEngineer, *, number: int, password: str) -> None:
        staff.hire_engineer(
            username=engineer.username,
            password=password,
            name=engineer.name,
            staff_number=f"LS{number:03}",
            phone=f"07700 900{100 + number}",
            home=Position(latitude=engineer.latitude, longitude=engineer.longitude),
            skill_codes=engineer.skills,
            shifts=engineer.shifts,
        )
