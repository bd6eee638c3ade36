"""Makes one proposal that a dispatcher has requested; the worker starts this (dispatch/planning/tasks.py)."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dispatch.planning.proposal_making import make_proposal


class Command(BaseCommand):
    help = "Make a proposal of the planner that was requested; one that is ready stays as it is."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("proposal", type=int)

    def handle(self, *_args: Any, **options: Any) -> None:
        make_proposal(options["proposal"])
