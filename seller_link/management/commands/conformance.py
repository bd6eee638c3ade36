"""manage.py conformance: does the other side keep the contract?"""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from seller_link.conformance import report
from seller_link.conformance.cases import CaseResult, ConformanceSide, Verdict
from seller_link.conformance.conformance_client import ConformanceClient

FILES = ("cert", "key", "ca")
JOBS = ("job", "started-job", "closed-job")


class Command(BaseCommand):
    help = "Act as the other side against an implementation of the seller link (docs/conformance.md)"
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--list", action="store_true", help="print the list of cases and do nothing")
        parser.add_argument("--endpoint", help="https://host:port/path before the operation")
        for name in FILES:
            parser.add_argument(f"--{name}", help="PEM file")
        parser.add_argument(
            "--side", choices=[*ConformanceSide], default=ConformanceSide.PARTNER, help="whose endpoint it is"
        )
        parser.add_argument("--json", type=Path, help="write the results into this file, too")
        parser.add_argument("--planned-start", default="", help="an instant in the window of --job")
        for name in JOBS:
            parser.add_argument(f"--{name}", default="", help="a providerJobId; see docs/conformance.md")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["list"]:
            self.stdout.write(report.as_markdown(), ending="")
            return
        results = self._run(_line(options), ConformanceSide(options["side"]))
        if options["json"]:
            options["json"].write_text(json.dumps(report.as_data(results), indent=2) + "\n")
        if any(result.verdict == Verdict.FAIL for result in results):
            raise CommandError(report.summary(results))
        self.stdout.write(report.summary(results))

    def _run(self, line: ConformanceClient, side: ConformanceSide) -> list[CaseResult]:
        results = []
        for result in report.run_all(line, side):
            self.stdout.write(report.row(result))
            results.append(result)
        return results


def _line(options: dict[str, Any]) -> ConformanceClient:
    missing = [name for name in ("endpoint", *FILES) if not options[name]]
    if missing:
        raise CommandError(f"Give --{missing[0]}.")
    if not options["endpoint"].startswith("https://"):
        raise CommandError("Give --endpoint as https://host:port/path.")
    unreadable = [options[name] for name in FILES if not Path(options[name]).is_file()]
    if unreadable:
        raise CommandError(f"There is no file {unreadable[0]}.")
    jobs = tuple((name, options[name.replace("-", "_")]) for name in JOBS)
    return ConformanceClient(
        options["endpoint"],
        options["ca"],
        options["cert"],
        options["key"],
        jobs,
        planned_start=options["planned_start"],
    )
