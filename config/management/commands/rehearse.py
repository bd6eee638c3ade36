"""`manage.py rehearse`: a whole day without a person, over the same processes as the demo, every message compared."""

import os
import shutil
import signal
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from config.demonstration import BASE_DIR, Demonstration, free_ports
from config.management.commands.demo_people import ENGINEERS
from config.opening import make_data, wait_until_serving
from config.rehearsal import comparison, findings, plan
from config.rehearsal.day import Day
from config.rehearsal.report import Progress, table
from config.rehearsal.seller import Passage, SellerJob
from config.rehearsal.web import Trouble
from config.supervisor import Supervisor

DISPATCHER = "dana"


class Command(BaseCommand):
    help = (
        "The sandbox sends 40 packs of all job types for today, an automatic dispatcher assigns them, simulated "
        "engineers do them. Fails when the seller's record and ours differ in any message."
    )
    requires_system_checks = []

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # what the supervisor had to say: a process that died is a finding
        self.notes: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--jobs", type=int, default=plan.JOBS)
        parser.add_argument("--folder", type=Path, default=BASE_DIR / "var" / "rehearse")
        parser.add_argument("--seconds", type=float, default=600, help="give up after this long")

    def handle(self, *_args: Any, **options: Any) -> None:
        demo = Demonstration(folder=options["folder"].resolve(), ports=free_ports(), apart=True)
        shutil.rmtree(demo.folder, ignore_errors=True)
        demo.prepare()
        supervisor = Supervisor(folder=BASE_DIR, logs=demo.folder / "logs", say=self.notes.append)
        # Ctrl-C ends the day at once; SIGTERM shall do the same
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            make_data(demo)
            supervisor.start(demo.children())
            wait_until_serving(demo, supervisor)
            self._rehearse(demo, supervisor, jobs=options["jobs"], seconds=options["seconds"])
        finally:
            supervisor.stop()

    def _rehearse(self, demo: Demonstration, supervisor: Supervisor, *, jobs: int, seconds: float) -> None:
        progress = Progress(total=jobs, write=self._bar)
        day = Day(demo, plan.fates(jobs), progress, dict(os.environ), seconds)
        trouble = self._live_through(day)
        progress.end()
        supervisor.look()
        books, passages, seller_jobs = day.books()
        self.stdout.write(_table_of_jobs(passages, seller_jobs))
        found = [
            *trouble,
            *self.notes,
            *comparison.differences(books),
            *findings.breaches(passages),
            *findings.not_as_planned(seller_jobs, day.fate_of),
            *findings.unseen_photos(passages),
        ]
        self._conclude(
            found, books, photos=sum(len(one.photo_links) for one in passages), logs=supervisor.logs
        )

    def _live_through(self, day: Day) -> list[str]:
        names = [engineer.username for engineer in ENGINEERS]
        try:
            day.run(day=timezone.localdate(), dispatcher=DISPATCHER, engineers=names)
        except Trouble as problem:
            return [str(problem)]
        return []

    def _conclude(self, found: Sequence[str], books: comparison.Books, *, photos: int, logs: Path) -> None:
        said = f"{len(books.we_sent)} messages to the seller, {len(books.we_heard)} from it, {photos} photos"
        if found:
            lines = "\n".join(f"  {finding}" for finding in found)
            raise CommandError(f"{said}; {len(found)} findings:\n{lines}\nThe logs are in {logs}")
        self.stdout.write(
            f"\n{said}; both records agree in every message, the seller can fetch every photo, "
            "and nothing broke the contract."
        )

    def _bar(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def _table_of_jobs(passages: Sequence[Passage], jobs: Iterable[SellerJob]) -> str:
    """One line for each job: what both said in order (→ to us, ← from us), and how it ended."""
    rows = [
        (job.seller_job_id, job.provider_job_id, job.job_type, job.state, job.closure, _story(job, passages))
        for job in jobs
    ]
    return table(("seller's job", "our job", "type", "state", "closure", "messages in order"), rows)


def _story(job: SellerJob, passages: Sequence[Passage]) -> str:
    own = [passage for passage in passages if passage.job == job.seller_job_id and passage.counts]
    return " ".join(f"{'←' if passage.arrived else '→'}{passage.word}" for passage in own)
