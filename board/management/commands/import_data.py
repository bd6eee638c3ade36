"""manage.py import_data: engineers with their shifts, or areas, from another system's CSV file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from board.people.csv_import import KINDS, CsvImport, CsvPlan
from board.people.import_views import AREAS, ENGINEERS
from board.spreadsheets import decode
from closures.safe_csv import UnreadableSheet
from engineers.area_scope import scope_of
from engineers.models import Right, User

IMPORTS: dict[str, CsvImport[Any]] = {"engineers": ENGINEERS, "areas": AREAS}


class Command(BaseCommand):
    help = (
        "Import engineers or areas from a CSV file, in the layout of the pages' templates: every row or none"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("kind", choices=IMPORTS)
        parser.add_argument("file", type=Path)
        parser.add_argument("--by", required=True, help="user name that the audit page names")
        parser.add_argument("--check", action="store_true", help="say what each row would do, change nothing")

    def handle(self, *_args: Any, kind: str, file: Path, check: bool, **options: Any) -> None:
        wanted, by = IMPORTS[kind], _permitted_user(options["by"])
        try:
            plan = wanted.make_plan(decode(file.read_bytes()), by)
        except OSError as problem:
            raise CommandError(f"{file}: {problem.strerror}") from problem
        except UnreadableSheet as problem:
            raise CommandError(f"{file}: {problem}") from problem
        self._show(plan, is_each_shown=check)
        if plan.number_of("wrong"):
            raise CommandError(f"{file}: nothing was imported; correct the rows that are named above")
        if plan.can_apply and not check:
            _apply(wanted, plan, by)

    def _show(self, plan: CsvPlan[Any], *, is_each_shown: bool) -> None:
        for row in plan.rows:
            for problem in row.problems:
                self.stderr.write(f"line {row.line}, {row.name}: {problem}")
            if is_each_shown and row.kind in {"new", "changed"}:
                changes = "; ".join(change.text for change in row.changes)
                self.stdout.write(f"line {row.line}, {row.name}: {row.kind} {changes}".rstrip())
        self.stdout.write(", ".join(f"{plan.number_of(kind)} {kind}" for kind in KINDS))


def _permitted_user(username: str) -> User:
    """Somebody who could do the same on the page."""
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise CommandError(f"--by: no active user is called {username!r}")
    if Right.CHANGE_PEOPLE not in user.rights or scope_of(user).is_limited:
        raise CommandError(
            f"--by: {username} may not change the people of all areas; name a supervisor who may"
        )
    return user


def _apply(wanted: CsvImport[Any], plan: CsvPlan[Any], by: User) -> None:
    try:
        wanted.apply(plan, by)
    except wanted.refusals as problem:
        raise CommandError(f"{wanted.refusal}") from problem
