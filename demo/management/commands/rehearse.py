"""`manage.py rehearse`: a whole day without a person, over the same processes as the demo, every message compared."""

import os
import signal
import sys
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from demo.environment import BASE_DIR, DemoEnvironment, make_data, wait_until_serving
from demo.management.commands.demo_people import ENGINEERS
from demo.order_scenarios.playing import rehearse_orders
from demo.plan_rehearsal import day_results
from demo.plan_rehearsal.day_results import is_planner_ahead, results_table
from demo.ports import free_ports
from demo.process_manager import ProcessManager
from demo.rehearsal import findings, job_scenarios, runner
from demo.rehearsal.app_client import SessionError
from demo.rehearsal.findings import RehearsalProgress
from demo.rehearsal.rehearsal_folders import empty_folder, mark_new_folder, refuse_production
from demo.rehearsal.runner import Rehearsal
from demo.rehearsal.sandbox_client import LoggedMessage, SellerJob
from demo.text_table import table

DISPATCHER = "dana"


class Command(BaseCommand):
    help = (
        "The sandbox sends 40 packs of all job types for tomorrow, an automatic dispatcher assigns them, simulated "
        "engineers do them. A share of packs, results and endpoints is odd, by seed. Fails when the two records "
        "differ in any message, when the seller finds anything, or when a file is not what closeJob says. With --plan: "
        "one day dispatched by hand and by the planner with the same disturbances; fails when the planner is not "
        "ahead. With --orders: scenarios of orders, from the buyer's message to the closed job."
    )
    requires_system_checks = []

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # what the supervisor had to say: a process that died is a finding
        self.notes: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--plan", action="store_true", help="compare the planner with dispatching by hand"
        )
        parser.add_argument(
            "--orders", action="store_true", help="short scenarios of orders by seed (manage.py scenario)"
        )
        parser.add_argument("--engineers", type=int, default=day_results.ENGINEERS, help="with --plan")
        parser.add_argument(
            "--jobs", type=int, help=f"{job_scenarios.JOBS}, with --plan {day_results.JOBS} unless given"
        )
        parser.add_argument("--folder", type=Path, default=BASE_DIR / "var" / "rehearse")
        parser.add_argument(
            "--postgresql",
            default="",
            metavar="URL",
            help="use this PostgreSQL database instead of SQLite; it is DROPPED and created again, and dropped after a "
            "day without findings",
        )
        parser.add_argument(
            "--seed",
            type=int,
            default=job_scenarios.SEED,
            help="random seed for the packs and their peculiarities",
        )
        parser.add_argument("--seconds", type=float, default=600, help="time limit in seconds")

    def handle(self, *_args: Any, **options: Any) -> None:
        refuse_production()
        mark_new_folder(options["folder"].resolve())
        if options["plan"]:
            self._rehearse_plan(options)
        elif options["orders"]:
            self._rehearse_orders(options)
        else:
            self._rehearse_jobs(options)

    def _rehearse_jobs(self, options: dict[str, Any]) -> None:
        url = options["postgresql"]
        demo = DemoEnvironment(
            folder=options["folder"].resolve(), ports=free_ports(), apart=True, database_url=url
        )
        empty_folder(demo.folder)
        if url:
            runner.recreate_database(url)
        demo.prepare()
        supervisor = ProcessManager(folder=BASE_DIR, logs=demo.folder / "logs", say=self.notes.append)
        # Ctrl-C ends the day at once; SIGTERM shall do the same
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            make_data(demo)
            supervisor.start(demo.children())
            wait_until_serving(demo, supervisor)
            self._rehearse(demo, supervisor, options)
        finally:
            supervisor.stop()
        if url:
            # with findings it stays, to be looked at
            runner.drop_database(url)

    def _rehearse_plan(self, options: dict[str, Any]) -> None:
        greedy, planner = day_results.play_both_ways(
            options["folder"].resolve() / "plan",
            engineers=options["engineers"],
            jobs=options["jobs"] or day_results.JOBS,
            seed=options["seed"],
            say=self._bar,
        )
        self.stdout.write(results_table(greedy, planner))
        if not is_planner_ahead(greedy, planner):
            raise CommandError("The planner is not ahead in the first three figures.")

    def _rehearse_orders(self, options: dict[str, Any]) -> None:
        # as for the day of jobs
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        folder = options["folder"].resolve() / "orders"
        empty_folder(folder)
        try:
            found = rehearse_orders(folder, seed=options["seed"], say=self.stdout.write)
        except SessionError as problem:
            raise CommandError(str(problem)) from problem
        if found:
            lines = "\n".join(f"  {finding}" for finding in found)
            raise CommandError(f"{len(found)} findings:\n{lines}\nThe logs are in {folder / 'logs'}")
        self.stdout.write("Every scenario went as expected, and both records agree in every message.")

    def _rehearse(self, demo: DemoEnvironment, supervisor: ProcessManager, options: dict[str, Any]) -> None:
        jobs, seed = options["jobs"] or job_scenarios.JOBS, options["seed"]
        progress = RehearsalProgress(total=jobs, write=self._bar)
        fates = job_scenarios.plan_scenarios(jobs, seed=seed)
        day = Rehearsal(demo, fates, progress, dict(os.environ), options["seconds"], seed)
        trouble = self._live_through(day)
        progress.end()
        supervisor.restart_ended()
        books, passages, seller_jobs = day.books()
        self.stdout.write(_table_of_jobs(passages, seller_jobs))
        found = [
            *trouble,
            *self.notes,
            *findings.list_differences(books),
            *findings.contract_breaches(passages),
            *findings.unplanned_outcomes(seller_jobs, day.fate_of),
            *day.odd_packs.findings(),
            *day.interruptions.findings(passages),
            *findings.unseen_photos(passages),
        ]
        self._conclude(
            found, books, photos=sum(len(passage.photo_links) for passage in passages), logs=supervisor.logs
        )

    def _live_through(self, day: Rehearsal) -> list[str]:
        names = [engineer.username for engineer in ENGINEERS]
        try:
            day.run(day=_tomorrow(), dispatcher=DISPATCHER, engineers=names)
        except SessionError as problem:
            return [str(problem)]
        return []

    def _conclude(
        self, found: Sequence[str], books: findings.MessageSets, *, photos: int, logs: Path
    ) -> None:
        summary = (
            f"{len(books.we_sent)} messages to the seller, {len(books.we_received)} from it, {photos} photos"
        )
        if found:
            lines = "\n".join(f"  {finding}" for finding in found)
            raise CommandError(f"{summary}; {len(found)} findings:\n{lines}\nThe logs are in {logs}")
        self.stdout.write(
            f"\n{summary}; both records agree in every message, the seller can fetch every photo, "
            "and nothing broke the contract."
        )

    def _bar(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def _table_of_jobs(passages: Sequence[LoggedMessage], jobs: Iterable[SellerJob]) -> str:
    """One line for each job: what both said in order (→ to us, ← from us), and how it ended."""
    rows = [
        (
            job.seller_job_id,
            job.provider_job_id,
            job.job_type,
            job.state,
            job.closure,
            _message_sequence(job, passages),
        )
        for job in jobs
    ]
    return table(("seller's job", "our job", "type", "state", "closure", "messages in order"), rows)


def _message_sequence(job: SellerJob, passages: Sequence[LoggedMessage]) -> str:
    own = [passage for passage in passages if passage.job == job.seller_job_id and passage.counts]
    return " ".join(f"{'←' if passage.arrived else '→'}{passage.code}" for passage in own)


def _tomorrow() -> date:
    """Its windows are open at whatever hour the rehearsal runs: nobody is assigned to a window that has passed."""
    return timezone.localdate() + timedelta(days=1)
