"""manage.py worker: background work under a watchdog, until it receives a stop signal."""

import os
from argparse import ArgumentParser
from typing import Any

from alerting import delivery_tasks
from background import forecast_tasks, qcluster_watchdog
from closures.photos import thumbnails
from monitoring.service_command import ServiceCommand
from phone import push_tasks

# registered in this process and the ones it starts, and in no other
WORKER_TASKS = (
    push_tasks.send_push,
    delivery_tasks.notify_contacts,
    delivery_tasks.send_deliveries,
    forecast_tasks.update_forecast,
    forecast_tasks.learn_spreads,
    forecast_tasks.fetch_drives,
)
# people wait for pages and phones, so those come first where the processor is busy
NICENESS = 5


class Command(ServiceCommand):
    help = "Run the background tasks (thumbnails, purging); restart the cluster when it is stuck"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--cluster",
            action="store_true",
            help="run the cluster without the watchdog (the watchdog starts this itself)",
        )
        parser.add_argument(
            "--try-again",
            action="store_true",
            help="give thumbnails that failed three more attempts, then exit",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["try_again"]:
            self.stdout.write(f"{thumbnails.retry_failed()} photos get three more attempts within minutes.")
            return
        if options["cluster"]:
            self.load_addresses()
            qcluster_watchdog.run_cluster()
            return
        # what it starts is as nice
        os.nice(NICENESS)
        qcluster_watchdog.watch()
