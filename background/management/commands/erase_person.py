"""`manage.py erase_person`: anonymise one person on request; asks first, unless --yes."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from background import personal_data
from dispatch.problems import ActionRefused


class Command(BaseCommand):
    help = "Anonymise one customer (telephone number, e-mail address or job number) or one former engineer."

    def add_arguments(self, parser: ArgumentParser) -> None:
        who = parser.add_mutually_exclusive_group(required=True)
        who.add_argument(
            "--customer", metavar="CONTACT", help="telephone number, e-mail address or job number"
        )
        who.add_argument("--engineer", metavar="STAFF_NUMBER")
        parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            if options["customer"]:
                self._erase_customer(options["customer"], is_sure=options["yes"])
            else:
                self._erase_engineer(options["engineer"], is_sure=options["yes"])
        except ActionRefused as refusal:
            raise CommandError(" ".join(problem.message for problem in refusal.problems)) from refusal

    def _erase_customer(self, contact: str, *, is_sure: bool) -> None:
        jobs = personal_data.jobs_of_customer(contact)
        self.stdout.write("Jobs: " + ", ".join(jobs.values_list("provider_job_id", flat=True)))
        self._ask(is_sure=is_sure)
        for name, number in personal_data.erase_customer(contact).items():
            self.stdout.write(f"{number:8} {name}")

    def _erase_engineer(self, staff_number: str, *, is_sure: bool) -> None:
        engineer = personal_data.engineer_of(staff_number)
        self.stdout.write(f"Engineer {staff_number}: {engineer.name}")
        self._ask(is_sure=is_sure)
        personal_data.erase_engineer(staff_number)
        self.stdout.write("Done.")

    def _ask(self, *, is_sure: bool) -> None:
        if not is_sure and input("This cannot be undone. Write yes to go on: ") != "yes":
            raise CommandError("Nothing was changed.")
