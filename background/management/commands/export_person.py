"""`manage.py export_person`: everything that is kept about one person, as one zip file for that person."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from background import personal_data, personal_data_export
from dispatch.problems import ActionRefused


class Command(BaseCommand):
    help = "Write all data about one customer or engineer to a zip file: data.json and photos/."

    def add_arguments(self, parser: ArgumentParser) -> None:
        who = parser.add_mutually_exclusive_group(required=True)
        who.add_argument(
            "--customer", metavar="CONTACT", help="telephone number, e-mail address or job number"
        )
        who.add_argument("--engineer", metavar="STAFF_NUMBER")
        parser.add_argument("file", type=Path, help="a new file, readable by its owner only")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            if options["customer"]:
                export = personal_data_export.export_customer(
                    personal_data.jobs_of_customer(options["customer"])
                )
            else:
                export = personal_data_export.export_engineer(personal_data.engineer_of(options["engineer"]))
            personal_data_export.write(export, options["file"])
        except ActionRefused as refusal:
            raise CommandError(" ".join(problem.message for problem in refusal.problems)) from refusal
        except FileExistsError as problem:
            raise CommandError(f"{options['file']} already exists. Choose a new file name.") from problem
        self.stdout.write(f"Written: {options['file']}")
