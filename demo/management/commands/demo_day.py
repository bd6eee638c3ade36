"""`manage.py demo_day`: fills the day of a running demo and, if asked, lets its engineers work on."""

from datetime import datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from demo.living_day.day_plan import shift_patterns
from demo.living_day.day_seeding import DaySeeding
from demo.living_day.day_work import DayWork
from demo.rehearsal.app_client import SessionError
from engineers.models import Engineer, Shift
from monitoring.processes import call_on_stop_signal

MARK = "day_filled_at"
# a day that is older has been; the next start makes a new one
DAY_LASTS = timedelta(hours=8)


class Command(BaseCommand):
    help = "Fill the day of a running demo: shifts round the present hour, jobs in every state."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--board", required=True, help="where board and phone answer")
        parser.add_argument("--console", required=True, help="where the sandbox seller's console answers")
        parser.add_argument("--folder", type=Path, required=True, help="the demo's folder")
        parser.add_argument("--jobs", type=int, required=True)
        parser.add_argument("--live", action="store_true", help="let the engineers work on")
        parser.add_argument("--speed", type=float, default=1, help="how many times faster they work")

    def handle(self, *_args: Any, **options: Any) -> None:
        if settings.DEPLOYMENT == "production":
            raise CommandError("The demo's day is made of invented jobs and is not allowed in production.")
        password = (options["folder"] / "password").read_text().strip()
        now, mark = timezone.now(), options["folder"] / MARK
        try:
            if not _is_fresh(mark, now=now):
                lay_shifts(now)
                DaySeeding(options["board"], options["console"], password, now, self._say).fill(
                    jobs=options["jobs"]
                )
                mark.write_text(now.isoformat())
            if options["live"]:
                over = Event()
                call_on_stop_signal(over.set)
                work = DayWork(
                    options["board"], options["console"], password, options["speed"], over, self._say
                )
                work.run(Engineer.objects.values_list("user__username", flat=True))
        except SessionError as problem:
            raise CommandError(str(problem)) from problem

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def _is_fresh(mark: Path, *, now: datetime) -> bool:
    return mark.exists() and now - datetime.fromisoformat(mark.read_text()) < DAY_LASTS


@transaction.atomic
def lay_shifts(now: datetime) -> None:
    """Every engineer's weekly shifts anew, with `now` in their middle."""
    Shift.objects.all().delete()
    Shift.objects.bulk_create(
        Shift(engineer=engineer, weekday=weekday, starts=pattern.starts, ends=pattern.ends)
        for turn, engineer in enumerate(Engineer.objects.order_by("staff_number"))
        for pattern in shift_patterns(now, turn=turn)
        for weekday in pattern.weekdays
    )
