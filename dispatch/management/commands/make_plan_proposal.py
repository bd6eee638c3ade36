"""Makes what a dispatcher has requested of the planner; the worker starts this (dispatch/planning/tasks.py)."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dispatch.planning.comparison_making import make_comparison
from dispatch.planning.proposal_making import make_proposal


class Command(BaseCommand):
    help = "Make a requested proposal of the planner, or all of a comparison; what is ready stays as it is."
    # the worker that starts this has the same settings and checked them; a dispatcher waits for the answer
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("number", type=int)
        parser.add_argument("--comparison", action="store_true", help="the number is that of a comparison")

    def handle(self, *_args: Any, **options: Any) -> None:
        make = make_comparison if options["comparison"] else make_proposal
        make(options["number"])
