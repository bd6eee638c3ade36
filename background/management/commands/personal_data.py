"""`manage.py personal_data`: purge what is too old, export or erase what is kept about one person."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from background import erasure, personal_data, personal_data_export
from background.personal_data import PurgeIncomplete
from background.personal_data_export import Export
from closures.evidence_packs import PacksNotDeleted
from closures.retention import PhotosNotDeleted
from dispatch.problems import ActionRefused
from engineers.audit import record_audit


class Command(BaseCommand):
    help = "Purge personal data, or export or erase that of one person (docs/operating.md)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        text = (
            "Delete or anonymise personal data older than the RETENTION_… settings, as the hourly task does."
        )
        purge = actions.add_parser("purge", help=text, description=text)
        purge.add_argument(
            "--dry-run", action="store_true", help="count what would be purged; change nothing"
        )
        text = "Write all data about one person to a zip file: data.json and photos/."
        export = actions.add_parser("export", help=text, description=text)
        _add_person(export)
        export.add_argument("file", type=Path, help="a new file, readable by its owner only")
        text = "Anonymise one customer, one former engineer or one suspended office account."
        erase = actions.add_parser("erase", help=text, description=text)
        _add_person(erase)
        erase.add_argument("--yes", action="store_true", help="do not ask for confirmation")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            {"purge": self._purge, "export": self._export, "erase": self._erase}[options["action"]](options)
        except ActionRefused as refusal:
            raise CommandError(" ".join(problem.message for problem in refusal.problems)) from refusal

    def _purge(self, options: dict[str, Any]) -> None:
        now = timezone.now()
        try:
            counts = personal_data.count_expired(now) if options["dry_run"] else personal_data.purge(now)
        except PurgeIncomplete as problem:
            self._write_counts(problem.counts)
            raise CommandError(f"{problem}. The log says why.") from problem
        self._write_counts(counts)
        held_back = personal_data.count_waiting_for_delivery(now)
        if held_back:
            self.stdout.write(
                "Kept because the seller has not received all messages: " + ", ".join(held_back)
            )
        self.stdout.write("Nothing was changed." if options["dry_run"] else "Done.")

    def _write_counts(self, counts: dict[str, int]) -> None:
        for name, number in counts.items():
            self.stdout.write(f"{number:8} {name}")

    def _export(self, options: dict[str, Any]) -> None:
        export = _export_of(options)
        try:
            missing = personal_data_export.write(export, options["file"])
        except FileExistsError as problem:
            raise CommandError(f"{options['file']} already exists. Choose a new file name.") from problem
        except OSError as problem:
            raise CommandError(f"{options['file']} cannot be written: {problem.strerror}.") from problem
        if missing:
            self.stderr.write(f"Missing in the evidence storage: {', '.join(missing)}")
        self.stdout.write(f"Written: {options['file']}")

    def _erase(self, options: dict[str, Any]) -> None:
        if options["customer"] is not None:
            self._erase_customer(options["customer"], is_sure=options["yes"])
        elif options["engineer"] is not None:
            self._erase_engineer(options["engineer"], is_sure=options["yes"])
        else:
            self._erase_account(options["account"], is_sure=options["yes"])

    def _erase_customer(self, contact: str, *, is_sure: bool) -> None:
        jobs = erasure.jobs_of_customer(contact)
        self.stdout.write("Jobs: " + ", ".join(jobs.values_list("provider_job_id", flat=True)))
        _ask(is_sure=is_sure)
        try:
            counts = erasure.erase_customer(contact)
        except (PhotosNotDeleted, PacksNotDeleted) as problem:
            raise _not_erased(problem) from problem
        self._write_counts(counts)

    def _erase_engineer(self, staff_number: str, *, is_sure: bool) -> None:
        engineer = erasure.engineer_of(staff_number)
        self.stdout.write(f"Engineer {staff_number}: {engineer.name}")
        _ask(is_sure=is_sure)
        try:
            erasure.erase_engineer(staff_number)
        except PacksNotDeleted as problem:
            raise _not_erased(problem) from problem
        self.stdout.write("Done.")

    def _erase_account(self, username: str, *, is_sure: bool) -> None:
        user = erasure.account_of(username)
        self.stdout.write(f"Account {username}: {user.display_name}")
        _ask(is_sure=is_sure)
        erasure.erase_account(username)
        self.stdout.write("Done.")


def _export_of(options: dict[str, Any]) -> Export:
    if options["customer"] is not None:
        jobs = erasure.jobs_of_customer(options["customer"])
        numbers = sorted(jobs.values_list("provider_job_id", flat=True))
        _record_export(f"{len(numbers)} jobs", {"jobs": numbers})
        return personal_data_export.export_customer(jobs)
    if options["engineer"] is not None:
        engineer = erasure.engineer_of(options["engineer"])
        _record_export(engineer.staff_number)
        return personal_data_export.export_engineer(engineer)
    user = erasure.account_of(options["account"])
    # by its name, which an erasure replaces
    _record_export(user.username)
    return personal_data_export.export_account(user)


def _record_export(subject: str, facts: dict[str, Any] | None = None) -> None:
    """Before the file is there; by numbers alone, which an erasure leaves."""
    record_audit(actor=None, action="personal_data_exported", subject=subject, after=facts)


def _not_erased(problem: Exception) -> CommandError:
    return CommandError(
        f"{problem}. Nothing else of this person was erased. Run the command again once the evidence storage deletes "
        "them."
    )


def _add_person(parser: ArgumentParser) -> None:
    person = parser.add_mutually_exclusive_group(required=True)
    person.add_argument(
        "--customer", metavar="CONTACT", help="telephone number, e-mail address or job number"
    )
    person.add_argument("--engineer", metavar="STAFF_NUMBER")
    person.add_argument("--account", metavar="USERNAME", help="somebody of the office")


def _ask(*, is_sure: bool) -> None:
    if is_sure:
        return
    try:
        answer = input("This cannot be undone. Write yes to go on: ")
    except EOFError as problem:
        raise CommandError("Nothing was changed: nobody is there to answer. Give --yes.") from problem
    if answer != "yes":
        raise CommandError("Nothing was changed.")
