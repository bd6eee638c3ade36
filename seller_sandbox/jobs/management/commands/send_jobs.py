"""Queues job packs for a day."""

from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from seller_sandbox import clock
from seller_sandbox.jobs.dispatching import Batch, send_batch
from seller_sandbox.jobs.models import JobType


class Command(BaseCommand):
    help = "Make realistic job packs and queue them for the partner; `work` sends them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--count", type=int, default=1)
        parser.add_argument("--day", type=date.fromisoformat, help="YYYY-MM-DD, default today")
        parser.add_argument("--type", action="append", choices=JobType.values, default=[], help="repeatable")
        parser.add_argument("--seed", type=int, help="the same seed makes the same packs")

    def handle(self, *_: Any, **options: Any) -> None:
        types = [JobType(name) for name in options["type"]]
        day = options["day"] or clock.today()
        batch = Batch(count=options["count"], day=day, types=types, seed=options["seed"])
        for job in send_batch(batch):
            self.stdout.write(job.seller_job_id)
