"""`manage.py rehearse_plan_day`: one of the two days of `rehearse --plan`, in the database that the environment names,
which must be migrated and empty; prints what came of it as JSON."""

import json
import sys
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from demo.plan_rehearsal.day_results import WAYS
from demo.plan_rehearsal.rehearsed_plan import rehearse_plan
from demo.rehearsal.rehearsal_folders import refuse_production
from dispatch.models import Job


class Command(BaseCommand):
    help = "Part of rehearse --plan. Fills the database with a day and plays it."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("way", choices=WAYS)
        parser.add_argument("--engineers", type=int, required=True)
        parser.add_argument("--jobs", type=int, required=True)
        parser.add_argument("--seed", type=int, required=True)

    def handle(self, *_args: Any, **options: Any) -> None:
        refuse_production()
        if Job.objects.exists():
            raise CommandError("The database has jobs: a rehearsed day needs one of its own.")
        found = rehearse_plan(
            options["way"],
            engineers=options["engineers"],
            jobs=options["jobs"],
            seed=options["seed"],
            say=lambda text: print(text, file=sys.stderr),
        )
        self.stdout.write(json.dumps(asdict(found)))
