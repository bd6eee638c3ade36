"""Which services were tested, by whom, when, and with which result: a ticket says whether it was done before."""

from datetime import datetime

from django.db.models import DateTimeField

from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.diagnostics.models import DiagnosticsRun

_UNTIL = CompiledQuery(
    lambda: DiagnosticsRun.objects.filter(
        service_identifier=Parameter("service"),
        caller=Parameter("caller"),
        run_at__lte=Parameter("until", DateTimeField()),
    ).order_by("-run_at", "-pk")[:1]
)


def record(run: DiagnosticsRun) -> None:
    """Keep a run; the same message of a caller again is the run that is there."""
    DiagnosticsRun.objects.bulk_create([run], ignore_conflicts=True)


def last_run(*, service_identifier: str, caller: str, until: datetime) -> DiagnosticsRun | None:
    """The caller's newest run for a service, not later than `until`."""
    return _UNTIL.first(service=service_identifier, caller=caller, until=until)
